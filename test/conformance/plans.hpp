// The plans the conformance suite tries: every format with its defaults, and with every value of every setting.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
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

// Every value, or (where layouts multiply the number of plans) the first, a middle one and the last.
inline std::vector<std::string> some_values_to_try(const SettingInfo& setting) {
  const std::vector<std::string> all = values_to_try(setting);
  if (all.size() <= 3) return all;
  return {all[1], all[all.size() / 2], all.back()};
}

// The format itself, and each of its layouts where it has several.
inline std::vector<std::string> starts(const FormatInfo& format) {
  for (const SettingInfo& setting : format.settings)
    if (setting.name == "layout") {
      std::vector<std::string> all;
      for (const std::string& layout : setting.allowed) all.push_back(format.name + " layout=" + layout);
      return all;
    }
  return {format.name};
}

// Some settings belong to one layout only, and a codec for values takes the values it was made for alone (its own tests
// have them; `auto` meets them here).
inline bool means_something(const std::string& plan, const std::string& setting) {
  if (setting == "layout" || setting == "values") return false;
  const Csr<double> one =
      make_csr<double>(1, 1, std::vector<Offset>{0, 1}, std::vector<Index>{0}, std::vector<double>{1});
  return resolve(one.view(), Plan::parse(plan)).find(setting) != nullptr;
}

// Every format and layout as it comes.
inline std::vector<std::string> default_plans() {
  std::vector<std::string> plans;
  for (const FormatInfo& format : formats())
    for (const std::string& start : starts(format)) plans.push_back(start);
  return plans;
}

// A thousand fibres for every row of three entries keep the emulator busy for minutes: the largest teams are for a GPU.
inline bool too_slow_here(const std::string& setting, const std::string& value) {
  const char* device = std::getenv("HEDDLE_TEST_DEVICE");
  return device && std::string(device) == "emulator" && setting == "team" && value == "1024";
}

// Settings that a stopwatch chooses: two builds need not have the same bits. Their formats' own tests have them.
inline bool is_timed(const std::string& format, const std::string& setting, const std::string& value) {
  return format == "ellr" && setting == "T" && value == "auto";
}

// HEDDLE_TEST_PLANS=default keeps to the first kind: for tools that slow a program down a hundredfold.
inline std::vector<std::string> plans_to_try() {
  const char* wanted = std::getenv("HEDDLE_TEST_PLANS");
  const bool defaults_only = wanted && std::string(wanted) == "default";
  std::vector<std::string> plans;
  for (const FormatInfo& format : formats()) {
    const std::vector<std::string> begun = starts(format);
    for (const std::string& start : begun) {
      plans.push_back(start);
      if (defaults_only) continue;
      for (const SettingInfo& setting : format.settings)
        for (const std::string& value : begun.size() > 1 ? some_values_to_try(setting) : values_to_try(setting)) {
          const std::string plan = start + " " + setting.name + "=" + value;
          if (is_timed(format.name, setting.name, value)) continue;
          if (value != setting.fallback && means_something(plan, setting.name) && !too_slow_here(setting.name, value))
            plans.push_back(plan);
        }
    }
  }
  return plans;
}

// A plan as the name of a test.
inline std::string readable(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace heddle::test
