// Numbers in text, twice: scan_* for the common spellings, as fast as possible and without bounds (the text ends with a
// line break and readable bytes behind it); parse_* for every spelling we accept, and for the verdict on the others.
// Both round correctly and know no locale.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace heddle::io {

enum class Verdict { good, malformed, too_large };

// [+-] digits [. digits] [e|E|d|D [+-] digits], or nan, inf, infinity in any case. What underflows becomes 0 as IEEE
// says.
template <class V>
Verdict parse_number(std::string_view text, V& value);
// [+-] digits; negative numbers are good here and judged by the caller. Beyond 2^63 - 1: too_large.
Verdict parse_integer(std::string_view text, std::int64_t& value);

// w * 10^exponent correctly rounded, for numbers near enough to 1; false: not decided.
bool scale_by_table(std::uint64_t w, int exponent, double& value);

inline constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline std::uint64_t load_eight(const char* p) {
  std::uint64_t eight;
  std::memcpy(&eight, p, 8);
  if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
  return eight;
}

// Eight digits at once: bytes 0..9, the first digit in the lowest byte, become one number by three multiplications.
inline std::uint64_t join_digits(std::uint64_t bytes) {
  bytes = bytes * 10 + (bytes >> 8);
  const std::uint64_t low = (bytes & 0x000000FF000000FF) * 0x000F424000000064;
  const std::uint64_t high = ((bytes >> 16) & 0x000000FF000000FF) * 0x0000271000000001;
  return (low + high) >> 32;
}

// Appends the digits at p to `value` (it wraps around beyond 19 of them) and returns where they end.
inline const char* scan_digits(const char* p, std::uint64_t& value) {
  constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
  for (;;) {
    const std::uint64_t bytes = load_eight(p) ^ 0x3030303030303030;
    const std::uint64_t others = (((bytes & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676) | bytes) & 0x8080808080808080;
    if (others != 0) {
      const int count = std::countr_zero(others) / 8;
      value = value * powers[count] + join_digits((bytes << (56 - 8 * count)) << 8);
      return p + count;
    }
    value = value * 100000000 + join_digits(bytes);
    p += 8;
  }
}

// A plain index; null for anything else.
inline const char* scan_index(const char* p, std::uint64_t& value) {
  value = 0;
  const char* end = scan_digits(p, value);
  return end == p || end - p > 18 ? nullptr : end;
}

inline const char* scan_exponent(const char* p, int& exponent) {
  const bool negative = *p == '-';
  p += negative || *p == '+';
  std::uint64_t size = 0;
  const char* end = scan_digits(p, size);
  if (end == p || end - p > 5) return nullptr;
  exponent += negative ? -static_cast<int>(size) : static_cast<int>(size);
  return end;
}

// True when going over double to float would round twice: a double in the middle of two floats, or out of their range.
inline bool needs_own_rounding(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto power = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  return (bits & 0x1FFFFFFF) == 0x10000000 || power < -126 || power >= 127;
}

// A plain decimal number; null for anything else, which is then for parse_number to judge.
template <class V>
const char* scan_number(const char* p, V& result) {
  const bool negative = *p == '-';
  p += negative;
  std::uint64_t w = 0;
  const char* first = p;
  p = scan_digits(p, w);
  std::int64_t digits = p - first;
  int exponent = 0;
  if (*p == '.') {
    const char* point = ++p;
    p = scan_digits(p, w);
    exponent = static_cast<int>(point - p);
    digits += p - point;
  }
  if (digits == 0 || digits > 19) return nullptr;
  if ((*p | 0x20) == 'e') {
    p = scan_exponent(p + 1, exponent);
    if (p == nullptr) return nullptr;
  }
  double value;
  // Both factors are exact, so the one rounding of the product or quotient is the right one.
  if (w <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22)
    value = exponent < 0 ? static_cast<double>(w) / exact_powers_of_ten[-exponent]
                         : static_cast<double>(w) * exact_powers_of_ten[exponent];
  else if (!scale_by_table(w, exponent, value))
    return nullptr;
  if constexpr (std::is_same_v<V, float>)
    if (value != 0 && needs_own_rounding(value)) return nullptr;
  result = static_cast<V>(negative ? -value : value);
  return p;
}

}  // namespace heddle::io
