#include "numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace heddle {

namespace {

template <class T>
std::optional<T> parsed(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return {};
  return value;
}

// CLI11 calls it for each word and takes an empty text for a yes.
template <class Accepts>
CLI::Validator validator(std::string name, std::string what, Accepts accepts) {
  return {[=](std::string& text) { return accepts(text) ? std::string() : fmt::format("'{}' is not {}", text, what); },
          std::move(name)};
}

}  // namespace

CLI::Validator number_from(double low, double high) {
  const bool bounded = std::isfinite(high);
  const std::string what =
      bounded ? fmt::format("a number from {} to {}", low, high) : fmt::format("a number of {} or more", low);
  return validator("", what, [=](const std::string& text) {
    const auto value = parsed<double>(text);
    return value && *value >= low && *value <= high;
  });
}

CLI::Validator any_number() {
  return validator("", "a number", [](const std::string& text) { return parsed<double>(text).has_value(); });
}

CLI::Validator whole_number_from(std::int64_t low, std::int64_t high) {
  const bool bounded = high < std::numeric_limits<std::int64_t>::max();
  const std::string what = bounded ? fmt::format("a whole number from {} to {}", low, high)
                                   : fmt::format("a whole number of {} or more", low);
  return validator("", what, [=](const std::string& text) {
    const auto value = parsed<std::int64_t>(text);
    return value && *value >= low && *value <= high;
  });
}

}  // namespace heddle
