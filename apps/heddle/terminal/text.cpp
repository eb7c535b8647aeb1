#include "terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace heddle {

std::string with_commas(std::int64_t number) {
  const std::string digits = std::to_string(number);
  const std::size_t first_digit = number < 0 ? 1 : 0;
  std::string text;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > first_digit && (digits.size() - at) % 3 == 0) text += ',';
    text += digits[at];
  }
  return text;
}

namespace {
// Three significant digits, whatever the unit.
std::string three_digits(double number, const char* unit) {
  const int decimals = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", number, decimals, unit);
}
}  // namespace

std::string as_bytes(double bytes) {
  constexpr std::array units{"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{:.0f} B", bytes);
  std::size_t unit = 0;
  for (bytes /= 1000; bytes >= 999.5 && unit + 1 < units.size(); ++unit) bytes /= 1000;
  return three_digits(bytes, units[unit]);
}

std::string as_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds >= 0.9995) return three_digits(seconds, "s");
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3, "ms");
  if (seconds >= 0.9995e-6) return three_digits(seconds * 1e6, "us");
  return three_digits(seconds * 1e9, "ns");
}

std::string as_duration(double seconds) {
  const std::int64_t whole = std::llround(std::max(0.0, seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string as_rate(double bytes_per_second) {
  return std::isfinite(bytes_per_second) ? as_bytes(bytes_per_second) + "/s" : "-";
}

std::string as_joules(double joules) {
  if (!std::isfinite(joules)) return "-";
  if (joules >= 999.5) return three_digits(joules * 1e-3, "kJ");
  if (joules >= 0.9995) return three_digits(joules, "J");
  if (joules >= 0.9995e-3) return three_digits(joules * 1e3, "mJ");
  return three_digits(joules * 1e6, "uJ");
}

std::string as_shape(std::int64_t rows, std::int64_t cols) {
  return fmt::format("{} x {}", with_commas(rows), with_commas(cols));
}

namespace {

// Bytes of the UTF-8 character at the beginning of `text`; 0 for what is none, or a control character.
std::size_t printable_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return first >= ' ' && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 && first < 0xF8 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first >= 0xF8 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  const bool second_controls = first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
  return second_controls ? 0 : length;
}

// "\033[31m"
std::size_t style_bytes(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string printable(std::string_view text, Controls kept) {
  std::string made;
  made.reserve(text.size());
  while (!text.empty()) {
    std::size_t bytes = printable_bytes(text);
    if (bytes == 0 && kept != Controls::nothing && text[0] == '\n') bytes = 1;
    if (bytes == 0 && kept == Controls::styles) bytes = style_bytes(text);
    made += bytes == 0 ? std::string_view("?") : text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  return made;
}

}  // namespace heddle
