// The plans the conformance suite tries: every format with its defaults, and with every value of every setting.
#pragma once

#include <string>
#include <vector>

#include <heddle/formats.hpp>

namespace heddle::test {

inline std::vector<std::string> values_to_try(const SettingInfo& setting) {
  if (!setting.allowed.empty()) return setting.allowed;
  std::vector<std::string> values{setting.fallback};
  for (const std::int64_t v : {setting.low, setting.low + 1, (setting.low + std::min<std::int64_t>(setting.high, 64)) / 2})
    if (v >= setting.low && v <= setting.high) values.push_back(std::to_string(v));
  return values;
}

inline std::vector<std::string> plans_to_try() {
  std::vector<std::string> plans;
  for (const FormatInfo& format : formats()) {
    plans.push_back(format.name);
    for (const SettingInfo& setting : format.settings)
      for (const std::string& value : values_to_try(setting))
        if (value != setting.fallback) plans.push_back(format.name + " " + setting.name + "=" + value);
  }
  return plans;
}

}  // namespace heddle::test
