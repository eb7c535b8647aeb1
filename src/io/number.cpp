#include "io/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/system.hpp"
#include "io/powers_of_five.hpp"

namespace heddle::io {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is_word(std::string_view text, std::string_view word) {
  return text.size() == word.size() &&
         std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return lower(a) == b; });
}

std::size_t count_digits(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - from;
}

// The parts of an unsigned decimal number.
struct Decimal {
  std::string_view whole, fraction;
  std::size_t exponent_at = 0;  // of its letter; 0: none
  std::int64_t exponent = 0;    // clamped to +-10^9
};

std::int64_t clamped_exponent(std::string_view text) {
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);
  std::int64_t size = 0;
  for (const char c : text) size = std::min<std::int64_t>(1000000000, 10 * size + (c - '0'));
  return negative ? -size : size;
}

bool split(std::string_view text, Decimal& parts) {
  parts.whole = text.substr(0, count_digits(text, 0));
  std::size_t at = parts.whole.size();
  if (at < text.size() && text[at] == '.') {
    parts.fraction = text.substr(at + 1, count_digits(text, at + 1));
    at += 1 + parts.fraction.size();
  }
  if (parts.whole.empty() && parts.fraction.empty()) return false;
  if (at == text.size()) return true;
  if (lower(text[at]) != 'e' && lower(text[at]) != 'd') return false;
  parts.exponent_at = at;
  std::size_t digits_at = at + 1;
  if (digits_at < text.size() && (text[digits_at] == '+' || text[digits_at] == '-')) ++digits_at;
  const std::size_t digits = count_digits(text, digits_at);
  if (digits == 0 || digits_at + digits != text.size()) return false;
  parts.exponent = clamped_exponent(text.substr(at + 1));
  return true;
}

// The number is at least 1: tells overflow from underflow once from_chars has said "out of range".
bool at_least_one(const Decimal& parts) {
  const std::size_t whole = parts.whole.find_first_not_of('0');
  if (whole != std::string_view::npos)
    return static_cast<std::int64_t>(parts.whole.size() - whole) + parts.exponent > 0;
  const std::size_t zeros = parts.fraction.find_first_not_of('0');
  return zeros != std::string_view::npos && parts.exponent > static_cast<std::int64_t>(zeros);
}

template <class V>
Verdict convert_decimal(std::string_view text, const Decimal& parts, V& value) {
  Vector<char> respelled;  // from_chars knows no Fortran exponents
  if (parts.exponent_at > 0 && lower(text[parts.exponent_at]) == 'd') {
    respelled.assign(text.begin(), text.end());
    respelled[parts.exponent_at] = 'e';
    text = {respelled.data(), respelled.size()};
  }
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc::result_out_of_range || std::isinf(value)) {
    if (at_least_one(parts)) return Verdict::too_large;
    value = 0;
    return Verdict::good;
  }
  return failure == std::errc() && end == text.data() + text.size() ? Verdict::good : Verdict::malformed;
}

}  // namespace

template <class V>
Verdict parse_number(std::string_view text, V& value) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  Decimal parts;
  Verdict verdict = Verdict::good;
  if (is_word(text, "nan")) {
    value = std::numeric_limits<V>::quiet_NaN();
  } else if (is_word(text, "inf") || is_word(text, "infinity")) {
    value = std::numeric_limits<V>::infinity();
  } else {
    verdict = split(text, parts) ? convert_decimal(text, parts, value) : Verdict::malformed;
  }
  if (negative) value = -value;
  return verdict;
}

template Verdict parse_number(std::string_view, float&);
template Verdict parse_number(std::string_view, double&);

Verdict parse_integer(std::string_view text, std::int64_t& value) {
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return Verdict::malformed;
  }
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || failure == std::errc::invalid_argument) return Verdict::malformed;
  return failure == std::errc() ? Verdict::good : Verdict::too_large;
}

// After Lemire, "Number parsing at a gigabyte per second" (2021): w times the first 128 bits of 5^q has enough bits to
// round, except when they are all ones, or in the range of subnormals and overflow; those are left to from_chars.
//
//   w (64 bits, shifted up) * high:low   ->   upper:lower   ->   1 bit or 0, 53 bits, 1 bit to round by, the rest
bool scale_by_table(std::uint64_t w, int exponent, double& value) {
  if (w == 0 || exponent < -largest_power_of_five || exponent > largest_power_of_five) return false;
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

}  // namespace heddle::io
