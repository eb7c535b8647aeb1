// The plans the conformance suite tries: every format with its defaults, and with every value of every setting.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <heddle/formats.hpp>

namespace heddle::test {

inline std::vector<std::string> values_to_try(const SettingInfo& setting) {
  if (!setting.allowed.empty()) return setting.allowed;
  std::vector<std::string> values{setting.fallback};
  for (const std::int64_t v :
       {setting.low, setting.low + 1, (setting.low + std::min<std::int64_t>(setting.high, 64)) / 2})
    if (v >= setting.low && v <= setting.high) values.push_back(std::to_string(v));
  return values;
}

// HEDDLE_TEST_PLANS=default keeps to the first kind: for tools that slow a program down a hundredfold.
inline std::vector<std::string> plans_to_try() {
  const char* wanted = std::getenv("HEDDLE_TEST_PLANS");
  const bool defaults_only = wanted && std::string(wanted) == "default";
  std::vector<std::string> plans;
  for (const FormatInfo& format : formats()) {
    plans.push_back(format.name);
    if (defaults_only) continue;
    for (const SettingInfo& setting : format.settings)
      for (const std::string& value : values_to_try(setting))
        if (value != setting.fallback) plans.push_back(format.name + " " + setting.name + "=" + value);
  }
  return plans;
}

}  // namespace heddle::test
