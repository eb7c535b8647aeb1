// Where suites run that are quick enough to run everywhere at once; HEDDLE_TEST_DEVICE=gpu keeps them to the GPU and
// the CPU it is compared with.
#pragma once

#include <cstdlib>
#include <string_view>
#include <vector>

#include <heddle/device.hpp>
#include <heddle/plan.hpp>

namespace heddle::test {

inline std::vector<Device> devices_to_try() {
  const char* only = std::getenv("HEDDLE_TEST_DEVICE");
  if (only && std::string_view(only) == "gpu") return {Device::cpu(), Device::gpu()};
  std::vector<Device> devices{Device::cpu(), Device::emulator()};
  if (gpu_available()) devices.push_back(Device::gpu());
  return devices;
}

// How values are stored may change with them; all else in a plan stays.
inline Plan without_values(Plan plan) {
  std::erase_if(plan.settings, [](const auto& setting) { return setting.first == "values"; });
  return plan;
}

}  // namespace heddle::test
