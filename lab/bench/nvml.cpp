// Energy of a GPU, and the version of its driver, by NVML, which comes with the driver: opened when it is asked for, its few names declared here.
#include <memory>

#include "bench/energy.hpp"
#include "core/check.hpp"
#include "peers/loaded_library.hpp"

namespace heddle::bench {

namespace {

using NvmlDevice = struct nvmlDevice_st*;
constexpr int nvml_success = 0;

struct Nvml {
  explicit Nvml(const std::string& file) : loaded("NVML", {file}) {
    if (!loaded.opened()) return;
    init = loaded.find<int()>("nvmlInit_v2");
    handle = loaded.find<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
    energy = loaded.find<int(NvmlDevice, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
    words = loaded.find<const char*(int)>("nvmlErrorString");
    driver = loaded.find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  }
  std::string said(int status) const { return words(status); }

  LoadedLibrary loaded;
  int (*init)() = nullptr;
  int (*handle)(const char*, NvmlDevice*) = nullptr;
  int (*energy)(NvmlDevice, unsigned long long*) = nullptr;  // millijoules since the driver was loaded
  const char* (*words)(int) = nullptr;
  int (*driver)(char*, unsigned) = nullptr;
};

EnergyCounter none(const std::string& why) { return {.source = "NVML", .absence = why, .joules = {}}; }

}  // namespace

EnergyCounter nvml_counter(const std::string& gpu, const std::string& file) {
  std::shared_ptr<Nvml> nvml;
  try {
    nvml = std::make_shared<Nvml>(file);
  } catch (const Error& error) {  // a library without these names
    return none(error.what());
  }
  if (!nvml->loaded.opened()) return none(fmt::format("{} cannot be opened", file));
  if (const int status = nvml->init(); status != nvml_success) return none("nvmlInit: " + nvml->said(status));
  NvmlDevice device{};
  if (const int status = nvml->handle(gpu.c_str(), &device); status != nvml_success)
    return none(fmt::format("GPU {}: {}", gpu, nvml->said(status)));
  unsigned long long ignored = 0;
  if (const int status = nvml->energy(device, &ignored); status != nvml_success)
    return none(fmt::format("GPU {} does not count its energy: {}", gpu, nvml->said(status)));
  return {.source = "NVML", .absence = {}, .joules = [nvml, device] {
            unsigned long long millijoules = 0;
            const int status = nvml->energy(device, &millijoules);
            check(status == nvml_success, ErrorKind::unavailable, "NVML: {}", nvml->said(status));
            return static_cast<double>(millijoules) * 1e-3;
          }};
}

std::string driver_version(const std::string& nvml_library) try {
  const Nvml nvml(nvml_library);
  char text[96] = {};
  const bool told =
      nvml.loaded.opened() && nvml.init() == nvml_success && nvml.driver(text, sizeof text) == nvml_success;
  return told ? text : "";
} catch (const Error&) {  // a library without these names
  return {};
}

}  // namespace heddle::bench
