#include "io/matrix_market/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/system.hpp"

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

}  // namespace heddle::io
