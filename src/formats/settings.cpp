#include "formats/settings.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/check.hpp"

namespace heddle {

namespace {

bool parse_number(const std::string& text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Nothing: it is not allowed.
std::optional<int> number_of(const Field& field, const std::string& text) {
  if (text == "auto" && field.may_be_automatic) return automatic;
  if (!field.words.empty()) {
    const auto* word = std::find(field.words.begin(), field.words.end(), text);
    return word == field.words.end() ? std::nullopt : std::optional(static_cast<int>(word - field.words.begin()));
  }
  int number = 0;
  if (!parse_number(text, number)) return {};
  const bool listed = std::find(field.numbers.begin(), field.numbers.end(), number) != field.numbers.end();
  const bool in_range = field.numbers.empty() && number >= field.low && number <= field.high;
  return listed || in_range ? std::optional(number) : std::nullopt;
}

int number_in(const Field& field) { return **field.value.begin(); }

}  // namespace

std::string text_of(const Field& field, int value) {
  if (value == automatic && field.may_be_automatic) return "auto";
  if (field.words.empty()) return std::to_string(value);
  check(value >= 0 && static_cast<std::size_t>(value) < field.words.size(), ErrorKind::internal, "{} = {}", field.name,
        value);
  return std::string(field.words.begin()[value]);
}

SettingInfo describe(const Field& field) {
  SettingInfo info{field.name, text_of(field, number_in(field)), field.meaning, {}, field.low, field.high};
  info.allowed.assign(field.words.begin(), field.words.end());
  for (const int number : field.numbers) info.allowed.push_back(std::to_string(number));
  if (field.may_be_automatic && !info.allowed.empty()) info.allowed.insert(info.allowed.begin(), "auto");
  return info;
}

namespace {

std::string allowed_values(const Field& field) {
  const SettingInfo info = describe(field);
  if (!info.allowed.empty()) return fmt::format("{}", fmt::join(info.allowed, ", "));
  return fmt::format("{}{} to {}", field.may_be_automatic ? "auto, " : "", info.low, info.high);
}

}  // namespace

void read_settings(std::vector<Field> fields, const Plan& plan) {
  for (const auto& [key, text] : plan.settings) {
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&name = key](const Field& f) { return name == f.name; });
    if (field == fields.end()) {
      std::vector<std::string> names;
      for (const Field& f : fields) names.emplace_back(f.name);
      fail(ErrorKind::usage,
           {to_string(plan), names.empty() ? "it has none" : fmt::format("it has: {}", fmt::join(names, ", "))},
           "format {} has no setting '{}'", plan.format, key);
    }
    const std::optional<int> number = number_of(*field, text);
    if (!number)
      fail(ErrorKind::usage, {to_string(plan), "allowed: " + allowed_values(*field)}, "{} = {} is not possible", key,
           text);
    for (int* value : field->value) *value = *number;
  }
}

Plan write_settings(const std::vector<Field>& fields, const std::string& format) {
  Plan plan{format, {}};
  for (const Field& field : fields)
    if (field.used) plan.settings.emplace_back(field.name, text_of(field, number_in(field)));
  return plan;
}

}  // namespace heddle
