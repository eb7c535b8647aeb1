// Numbers in text, twice: scan_* for the common spellings, as fast as possible and without bounds (the text ends with a
// line break and readable bytes behind it); parse_* for every spelling we accept, and for the verdict on the others.
// Both round correctly and know no locale.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "io/matrix_market/byte_bits.hpp"
#include "io/matrix_market/powers_of_five.hpp"

namespace heddle::io {

enum class Verdict { good, malformed, too_large };

// [+-] digits [. digits] [e|E|d|D [+-] digits], or nan, inf, infinity in any case. What underflows becomes 0 as IEEE
// says.
template <class V>
Verdict parse_number(std::string_view text, V& value);
// [+-] digits; negative numbers are good here and judged by the caller. Beyond 2^63 - 1: too_large.
Verdict parse_integer(std::string_view text, std::int64_t& value);

inline constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline constexpr std::uint64_t powers_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Eight digits at once: bytes 0..9, the first digit in the lowest byte, become one number by three multiplications.
inline std::uint64_t join_digits(std::uint64_t bytes) {
  bytes = bytes * 10 + (bytes >> 8);
  const std::uint64_t low = (bytes & 0x000000FF000000FF) * 0x000F424000000064;
  const std::uint64_t high = ((bytes >> 16) & 0x000000FF000000FF) * 0x0000271000000001;
  return (low + high) >> 32;
}

// Appends the digits at p to `value` (it wraps around beyond 19 of them) and returns where they end.
inline const char* scan_digits(const char* p, std::uint64_t& value) {
  for (;;) {
    const std::uint64_t bytes = load_eight(p) ^ 0x3030303030303030;
    const std::uint64_t others = mark_others(bytes);
    if (others != 0) {
      const int count = std::countr_zero(others) / 8;
      value = value * powers_of_ten[count] + join_digits((bytes << (56 - 8 * count)) << 8);
      return p + count;
    }
    value = value * 100000000 + join_digits(bytes);
    p += 8;
  }
}

// The 1 to 8 digits at p.
inline std::uint64_t few_digits(const char* p, int count) {
  return join_digits((load_eight(p) ^ 0x3030303030303030) << (64 - 8 * count));
}

// Appends 1 to 19 digits, the same way however many they are: 16 or 17 of them come like the faces of a coin.
inline std::uint64_t append_digits(std::uint64_t value, const char* p, int count) {
  const int second = std::clamp(count - 8, 0, 8), third = std::max(count - 16, 0), first = count - second - third;
  const auto kept = [](const char* at, int digits) {  // none of them leaves 0: a shift by 64 would leave all
    return join_digits((load_eight(at) ^ 0x3030303030303030) << (32 - 4 * digits) << (32 - 4 * digits));
  };
  value = value * powers_of_ten[first] + few_digits(p, first);
  value = value * powers_of_ten[second] + kept(p + first, second);
  return value * powers_of_ten[third] + kept(p + first + second, third);
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

// w * 10^exponent correctly rounded; false: not decided.
//
// After Lemire, "Number parsing at a gigabyte per second" (2021): w times the first 128 bits of 5^q has enough bits to
// round, except when they are all ones, or in the range of subnormals and overflow; those are left to from_chars.
//
//   w (64 bits, shifted up) * high:low   ->   upper:lower   ->   1 bit or 0, 53 bits, 1 bit to round by, the rest
inline bool scale_by_table(std::uint64_t w, int exponent, double& value) {
  value = 0;
  if (w == 0) return true;
  if (exponent < -largest_power_of_five || exponent > largest_power_of_five) return false;
  const PowerOfFive five = powers_of_five[static_cast<std::size_t>(exponent + largest_power_of_five)];
  const int zeros = std::countl_zero(w);
  w <<= zeros;
  unsigned __int128 product = static_cast<unsigned __int128>(w) * five.high;
  if ((static_cast<std::uint64_t>(product >> 64) & 0x1FF) == 0x1FF)
    product += static_cast<unsigned __int128>(w) * five.low >> 64;
  const auto lower = static_cast<std::uint64_t>(product);
  const auto upper = static_cast<std::uint64_t>(product >> 64);
  if (lower == UINT64_MAX && (exponent < -27 || exponent > 55)) return false;
  const auto top = static_cast<int>(upper >> 63);
  std::uint64_t mantissa = upper >> (top + 9);
  const bool halfway = lower <= 1 && exponent >= -4 && exponent <= 23 && (mantissa & 3) == 1;
  if (halfway && mantissa << (top + 9) == upper) mantissa &= ~std::uint64_t{1};  // exactly in the middle: to even
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  const int power = ((217706 * exponent) >> 16) + 63 + top - zeros + 1023;  // 217706 / 65536: log2(10), then the bias
  const bool carried = mantissa >> 53 != 0;
  if (power <= 0 || power + carried >= 0x7FF) return false;
  mantissa = carried ? 0 : mantissa & ((std::uint64_t{1} << 52) - 1);
  value = std::bit_cast<double>(static_cast<std::uint64_t>(power + carried) << 52 | mantissa);
  return true;
}

// The value under its sign in the precision wanted; false where that would round a second time.
template <class V>
bool deliver(double value, bool negative, V& result) {
  if constexpr (std::is_same_v<V, float>)
    if (value != 0 && needs_own_rounding(value)) return false;
  // Signs are as good as random: no branch on them.
  const auto sign = static_cast<std::uint64_t>(negative) << 63;
  result = static_cast<V>(std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) | sign));
  return true;
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
  // Up to 15 digits both factors are exact, so the one rounding of the product or quotient is the right one.
  if (digits <= 15 && exponent >= -22 && exponent <= 22)
    value = exponent < 0 ? static_cast<double>(w) / exact_powers_of_ten[-exponent]
                         : static_cast<double>(w) * exact_powers_of_ten[exponent];
  else if (!scale_by_table(w, exponent, value))
    return nullptr;
  return deliver(value, negative, result) ? p : nullptr;
}

// "digits.digits" with 1 to 8 before the point and 19 at most, all three places known.
template <class V>
bool plain_decimal(const char* whole, const char* point, const char* end, bool negative, V& result) {
  const auto before = static_cast<int>(point - whole), behind = static_cast<int>(end - point) - 1;
  if (before < 1 || before > 8 || behind < 1 || before + behind > 19) return false;
  std::uint64_t w = few_digits(whole, before);
  double value;
  if (behind <= 8 && before + behind <= 15) {
    w = w * powers_of_ten[behind] + few_digits(point + 1, behind);
    value = static_cast<double>(static_cast<std::int64_t>(w)) / exact_powers_of_ten[behind];
  } else {
    w = append_digits(w, point + 1, behind);
    if (!scale_by_table(w, -behind, value)) return false;
  }
  return deliver(value, negative, result);
}

}  // namespace heddle::io
