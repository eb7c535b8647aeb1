#include "io/matrix_market/number.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace heddle::io {
namespace {

template <class V>
V parsed(const std::string& text) {
  V value = -7;
  EXPECT_EQ(parse_number(text, value), Verdict::good) << text;
  return value;
}

// What scan_number makes of a line; nullopt-like NaN payload is avoided by returning whether it was decided.
bool scanned(const std::string& text, double& value) {
  const std::string line = text + "\n" + std::string(32, '\0');
  return scan_number(line.data(), value) == line.data() + text.size();
}

TEST(Number, reads_every_spelling_that_is_not_ambiguous) {
  EXPECT_EQ(parsed<double>("+1.5"), 1.5);
  EXPECT_EQ(parsed<double>("-.5"), -0.5);
  EXPECT_EQ(parsed<double>("5."), 5.0);
  EXPECT_EQ(parsed<double>("1D3"), 1000.0);
  EXPECT_EQ(parsed<double>("1.5d+01"), 15.0);
  EXPECT_EQ(parsed<double>("1.2D-02"), 0.012);
  EXPECT_EQ(parsed<double>("2E2"), 200.0);
  EXPECT_EQ(parsed<double>("-INF"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parsed<double>("Infinity"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parsed<double>("NaN")));
  EXPECT_TRUE(std::signbit(parsed<double>("-0")));
}

TEST(Number, rejects_what_only_looks_like_a_number) {
  for (const char* text : {"",    "+",   "-",  ".",      "e5",    "1e", "1e+", "--1",   "+-1", "1.2.3", "0x10", "0x1p3",
                           "1,5", "1_0", "1f", "nan(1)", "infin", "1 ", " 1",  "1e5.5", "1d",  "d5",    "1ee5"}) {
    double value;
    EXPECT_EQ(parse_number(text, value), Verdict::malformed) << text;
  }
}

TEST(Number, tells_overflow_from_underflow) {
  double value = 1;
  EXPECT_EQ(parse_number("1e999", value), Verdict::too_large);
  EXPECT_EQ(parse_number("-1" + std::string(400, '0'), value), Verdict::too_large);
  EXPECT_EQ(parse_number("1e99999999999999999999", value), Verdict::too_large);
  EXPECT_EQ(parsed<double>("1e-999"), 0.0);
  EXPECT_EQ(parsed<double>("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(parsed<double>("0." + std::string(500, '0') + "1"), 0.0);
  EXPECT_EQ(parsed<double>("0." + std::string(500, '0') + "1e501"), 1.0);
  EXPECT_EQ(parsed<double>("0e999"), 0.0);
  EXPECT_EQ(parsed<double>("4.9e-324"), std::numeric_limits<double>::denorm_min());
  float small = 1;
  EXPECT_EQ(parse_number("1e39", small), Verdict::too_large);
  EXPECT_EQ(parsed<float>("1e-60"), 0.0f);
}

TEST(Number, rounds_800_digits_correctly) {
  // 1 + 2^-53 lies in the middle of two doubles; one digit far behind decides.
  const std::string middle = "1.00000000000000011102230246251565404236316680908203125";
  EXPECT_EQ(parsed<double>(middle), 1.0);
  EXPECT_EQ(parsed<double>(middle + std::string(750, '0')), 1.0);
  EXPECT_EQ(parsed<double>(middle + std::string(750, '0') + "1"), std::nextafter(1.0, 2.0));
}

TEST(Number, rounds_to_float_once) {
  // Just above the middle of 1 and the next float, by less than a double can see.
  EXPECT_EQ(parsed<float>("1.00000005960464477539062500000001"), std::nextafter(1.0f, 2.0f));
  // 19 digits, which the fast ways take: as a double this is the middle itself, which would go to the even float 1.
  const std::string text = "1.000000059604644776", line = text + "\n" + std::string(32, '\0');
  const float above = std::nextafter(1.0f, 2.0f);
  float value = above;
  EXPECT_TRUE(scan_number(line.data(), value) == nullptr || value == above);
  value = above;
  EXPECT_TRUE(!plain_decimal(line.data(), line.data() + 1, line.data() + text.size(), false, value) || value == above);
}

TEST(Number, the_fast_way_agrees_with_from_chars_bit_for_bit) {
  std::mt19937_64 random(20240);
  int decided = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t w = random() >> random() % 64;
    std::string text = std::to_string(w);
    if (i % 3 != 0) text.insert(random() % text.size(), ".");
    if (i % 3 != 1) text += "e" + std::to_string(static_cast<int>(random() % 161) - 80);
    double expected = 0, value = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    if (!scanned(text, value)) continue;
    ++decided;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
  }
  EXPECT_GT(decided, 700'000);
}

template <class V>
void expect_plain_decimal(const std::string& digits, std::size_t before, bool negative, int& decided) {
  const std::string text = digits.substr(0, before) + "." + digits.substr(before);
  const std::string line = text + "\n" + std::string(32, '\0');
  V value = 0, expected = 0;
  std::from_chars(text.data(), text.data() + text.size(), expected);
  if (!plain_decimal(line.data(), line.data() + before, line.data() + text.size(), negative, value)) return;
  ++decided;
  ASSERT_EQ(value, negative ? -expected : expected) << text;
  ASSERT_EQ(std::signbit(value), negative) << text;
}

TEST(Number, a_decimal_whose_places_are_known_agrees_with_from_chars_for_every_number_of_digits) {
  std::mt19937_64 random(77);
  int decided = 0;
  for (int i = 0; i < 300'000; ++i) {
    const std::size_t before = 1 + random() % 9, behind = random() % 20;
    std::string digits;
    while (digits.size() < before + behind) digits += std::to_string(random() % 10);
    expect_plain_decimal<double>(digits, before, i % 2 == 0, decided);
    expect_plain_decimal<float>(digits, before, i % 2 == 0, decided);
  }
  EXPECT_GT(decided, 300'000);
}

TEST(ByteBits, tell_digits_and_line_breaks_of_every_byte_at_every_place) {
  for (int at = 0; at < ByteBits::bytes; ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string text(ByteBits::bytes, '7');
      text[static_cast<std::size_t>(at)] = static_cast<char>(byte);
      const ByteBits bits = byte_bits(text.data());
      const bool digit = byte >= '0' && byte <= '9';
      ASSERT_EQ(bits.other, digit ? 0 : std::uint64_t{1} << at) << byte;
      ASSERT_EQ(bits.line_break, byte == '\n' ? std::uint64_t{1} << at : 0) << byte;
    }
}

TEST(Number, the_fast_way_rounds_exact_middles_to_even) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t middle = ((random() >> 11 | std::uint64_t{1} << 52) << 1 | 1) << random() % 10;
    double value = 0;
    ASSERT_TRUE(scanned(std::to_string(middle), value));
    ASSERT_EQ(value, static_cast<double>(middle)) << middle;
  }
}

TEST(Number, the_fast_way_leaves_odd_spellings_to_the_careful_one) {
  double value;
  for (const char* text : {"", "-", ".", "+1", "1e", "1e+", "0x10", "1D3", "nan", "123456789012345678901", "1e123456"})
    EXPECT_FALSE(scanned(text, value)) << text;
}

TEST(Integer, knows_its_limits) {
  std::int64_t value = 0;
  EXPECT_EQ(parse_integer("9223372036854775807", value), Verdict::good);
  EXPECT_EQ(value, INT64_MAX);
  EXPECT_EQ(parse_integer("9223372036854775808", value), Verdict::too_large);
  EXPECT_EQ(parse_integer("+3", value), Verdict::good);
  for (const char* text : {"", "+", "+-3", "1.0", "1e3", "0x1", "3a", " 3"})
    EXPECT_EQ(parse_integer(text, value), Verdict::malformed) << text;
}

}  // namespace
}  // namespace heddle::io
