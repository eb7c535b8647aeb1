#include "reproduce/nominal.hpp"

#include <limits>

namespace heddle::reproduce {

namespace {

struct Sheet {
  const char* name;  // part of the name the driver tells
  double gbps;
};
// The first that fits.
constexpr Sheet sheets[] = {{"B200", 8000},
                            {"GH200 480GB", 4000},
                            {"H200 NVL", 4800},
                            {"H200", 4800},
                            {"H100 PCIe", 2000},
                            {"H100 NVL", 3900},
                            {"H100", 3350},
                            {"A100-SXM4-80GB", 2039},
                            {"A100 80GB PCIe", 1935},
                            {"A100-SXM4-40GB", 1555},
                            {"A100-PCIE-40GB", 1555},
                            {"L40S", 864},
                            {"L4", 300},
                            {"V100", 900},
                            {"T4", 320},
                            {"RTX 4090", 1008},
                            {"RTX 3090", 936}};

}  // namespace

double nominal_gbps(const std::string& device_name) {
  for (const Sheet& sheet : sheets)
    if (device_name.find(sheet.name) != std::string::npos) return sheet.gbps;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace heddle::reproduce
