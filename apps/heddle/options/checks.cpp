#include "options/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
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

template <class Accepts>
Check accepted(std::string what, Accepts accepts) {
  return {[=](const std::string& text) {
            return accepts(text) ? std::string() : fmt::format("'{}' is not {}", text, what);
          },
          ""};
}

}  // namespace

Check number_from(double low, double high) {
  const bool bounded = std::isfinite(high);
  const std::string what =
      bounded ? fmt::format("a number from {} to {}", low, high) : fmt::format("a number of {} or more", low);
  return accepted(what, [=](const std::string& text) {
    const auto value = parsed<double>(text);
    return value && *value >= low && *value <= high;
  });
}

Check any_number() {
  return accepted("a number", [](const std::string& text) { return parsed<double>(text).has_value(); });
}

Check whole_number_from(std::int64_t low, std::int64_t high) {
  const bool bounded = high < std::numeric_limits<std::int64_t>::max();
  const std::string what = bounded ? fmt::format("a whole number from {} to {}", low, high)
                                   : fmt::format("a whole number of {} or more", low);
  return accepted(what, [=](const std::string& text) {
    const auto value = parsed<std::int64_t>(text);
    return value && *value >= low && *value <= high;
  });
}

Check one_of(const std::vector<std::string>& words) {
  const std::string listed = fmt::format("{{{}}}", fmt::join(words, ","));
  const auto complaint = [=](const std::string& text) {
    return std::find(words.begin(), words.end(), text) != words.end() ? std::string() : text + " not in " + listed;
  };
  return {complaint, listed};
}

Check existing_folder() {
  const auto complaint = [](const std::string& path) {
    std::error_code unreadable;
    const std::filesystem::file_status found = std::filesystem::status(path, unreadable);
    if (unreadable || !std::filesystem::exists(found)) return "Directory does not exist: " + path;
    return std::filesystem::is_directory(found) ? std::string() : "Directory is actually a file: " + path;
  };
  return {complaint, "DIR"};
}

}  // namespace heddle
