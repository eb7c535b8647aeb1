// The hostile corpus: every file gives the right matrix, or an error with the right line.
#include "io/matrix_market/matrix_market.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <random>

#include "support/io_text.hpp"

namespace heddle::io {
namespace {

using namespace std::string_literals;

const std::string real = "%%MatrixMarket matrix coordinate real general\n";
const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

struct Good {
  const char* name;
  std::string content, matrix;
};

const Good good_files[] = {
    {"plain", real + "2 3 2\n1 1 5\n2 3 -0.5\n", "2x3 1,1=5 2,3=-0.5"},
    {"comments_and_blank_lines", real + "% c\n\n%\n  \n\t% d\n2 2 1\n1 2 3\n", "2x2 1,2=3"},
    {"blank_lines_between_data", real + "2 2 2\n\n1 1 1\n \t \n2 2 2\n\n\n", "2x2 1,1=1 2,2=2"},
    {"crlf", "%%MatrixMarket matrix coordinate real general\r\n% c\r\n2 2 2\r\n1 1 1\r\n\r\n2 2 2\r\n",
     "2x2 1,1=1 2,2=2"},
    {"tabs_and_leading_spaces", real + "\t2  2\t2 \n  1\t 1 \t1  \n\t2 2 2\t\n", "2x2 1,1=1 2,2=2"},
    {"upper_case_banner", "%%MATRIXMARKET MATRIX COORDINATE REAL GENERAL\n1 1 1\n1 1 4\n", "1x1 1,1=4"},
    {"one_percent_banner", "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 4\n", "1x1 1,1=4"},
    {"byte_order_mark", "\xEF\xBB\xBF" + real + "1 1 1\n1 1 4\n", "1x1 1,1=4"},
    {"blanks_in_banner", "%%MatrixMarket  matrix\tcoordinate real   general  \n1 1 1\n1 1 4\n", "1x1 1,1=4"},
    {"no_final_line_break", real + "1 1 1\n1 1 4", "1x1 1,1=4"},
    {"plus_signs", real + "1 1 1\n+1 +1 +4.5", "1x1 1,1=4.5"},
    {"fortran_exponents", real + "1 3 3\n1 1 1D3\n1 2 1.5D+01\n1 3 -2d-1\n", "1x3 1,1=1000 1,2=15 1,3=-0.2"},
    {"points_at_the_ends", real + "1 2 2\n1 1 .5\n1 2 5.\n", "1x2 1,1=0.5 1,2=5"},
    {"nan_and_inf", real + "1 3 3\n1 1 nan\n1 2 -Inf\n1 3 infinity\n", "1x3 1,1=nan 1,2=-inf 1,3=inf"},
    {"denormal", real + "1 1 1\n1 1 5e-324\n", "1x1 1,1=5e-324"},
    {"underflow_is_zero", real + "1 1 1\n1 1 1e-400\n", "1x1 1,1=0"},
    {"800_digits", real + "1 1 1\n1 1 0.25" + std::string(800, '0') + "\n", "1x1 1,1=0.25"},
    {"leading_zeros", real + "2 2 1\n0000000000000000000001 02 007.50\n", "2x2 1,2=7.5"},
    {"long_comment", real + "%" + std::string(100000, 'x') + "\n1 1 1\n1 1 4\n", "1x1 1,1=4"},
    {"long_blanks", real + "1 1 1\n1" + std::string(50000, ' ') + "1 4\n", "1x1 1,1=4"},
    {"duplicates_are_added", real + "2 2 4\n2 2 1\n1 1 5\n2 2 2\n2 2 4\n", "2x2 1,1=5 2,2=7"},
    {"duplicates_cancelling_stay", real + "1 1 2\n1 1 1\n1 1 -1\n", "1x1 1,1=0"},
    {"explicit_zeros_stay", real + "1 2 2\n1 1 0\n1 2 -0.0\n", "1x2 1,1=0 1,2=-0"},
    {"unsorted", real + "2 2 3\n2 2 3\n2 1 2\n1 1 1\n", "2x2 1,1=1 2,1=2 2,2=3"},
    {"column_order", real + "2 2 3\n1 1 1\n2 1 2\n1 2 3\n", "2x2 1,1=1 1,2=3 2,1=2"},
    {"empty_0x0", real + "0 0 0\n", "0x0"},
    {"empty_0x5", real + "0 5 0\n", "0x5"},
    {"empty_5x0", real + "5 0 0", "5x0"},
    {"no_entries", real + "2 2 0\n\n", "2x2"},
    {"integer", integer + "1 3 3\n1 1 7\n1 2 -3\n1 3 +9007199254740993\n", "1x3 1,1=7 1,2=-3 1,3=9007199254740992"},
    {"pattern", pattern + "2 2 2\n1 2\n2 1\n", "2x2 1,2=1 2,1=1"},
    {"pattern_duplicates", pattern + "1 1 2\n1 1\n1 1\n", "1x1 1,1=2"},
    {"symmetric_diagonal_once", symmetric + "2 2 2\n1 1 4\n2 1 3\n", "2x2 1,1=4 1,2=3 2,1=3"},
    {"symmetric_duplicates", symmetric + "2 2 2\n2 1 4\n2 1 3\n", "2x2 1,2=7 2,1=7"},
    {"skew", skew + "2 2 1\n2 1 3\n", "2x2 1,2=-3 2,1=3"},
    {"hermitian_real", "%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 3\n", "2x2 1,2=3 2,1=3"},
    {"symmetric_pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n",
     "2x2 1,2=1 2,1=1 2,2=1"},
    {"array", array + "2 2\n1\n2\n3\n0\n", "2x2 1,1=1 1,2=3 2,1=2 2,2=0"},
    {"array_symmetric", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", "2x2 1,1=1 1,2=2 2,1=2 2,2=3"},
    {"array_skew", "%%MatrixMarket matrix array real skew-symmetric\n2 2\n5\n", "2x2 1,2=-5 2,1=5"},
    {"array_integer", "%%MatrixMarket matrix array integer general\n1 2\n-5\n6\n", "1x2 1,1=-5 1,2=6"},
    {"field_double", "%%MatrixMarket matrix coordinate double general\n1 1 1\n1 1 4\n", "1x1 1,1=4"},
    {"a_million_rows_in_a_small_file", real + "1000000 1 1\n3 1 4\n", ""},
};

struct Bad {
  const char* name;
  std::string content;
  int line;
  const char* says;  // part of the message
};

const Bad bad_files[] = {
    {"junk_after_value", real + "1 1 1\n1 1 4x\n", 3, "'4x', not a number"},
    {"junk_word_after_value", real + "1 1 1\n1 1 4 x\n", 3, "has more"},
    {"extra_column", real + "1 1 1\n1 1 4 5\n", 3, "has more"},
    {"missing_value", real + "1 1 1\n1 1\n", 2, "room for"},
    {"missing_value_with_blanks", real + "1 1 1\n1 1\n  \n", 3, "only two"},
    {"missing_value_in_longer_file", real + "1 1 2\n1 1 4.000\n1 1\n", 4, "only two"},
    {"missing_column_and_value", real + "1 1 2\n1 1 4.0000\n1\n", 4, "only one"},
    {"pattern_with_value", pattern + "1 1 1\n1 1 4\n", 3, "has more"},
    {"too_many_entries", real + "1 1 1\n1 1 4\n1 1 5\n", 4, "more entries"},
    {"too_many_entries_behind_blank_lines", real + "1 1 1\n1 1 4\n\n\n1 1 5\n", 6, "more entries"},
    {"entries_where_none_are_declared", real + "1 1 0\n1 1 4\n", 3, "more entries"},
    {"too_few_entries", real + "2 2 2\n1 1 4.000000\n", 3, "ends after 1 entries"},
    {"too_few_entries_with_blank_lines", real + "2 2 2\n1 1 4.000000\n\n \n\n", 3, "ends after 1"},
    {"as_many_lines_but_one_blank", real + "2 2 3\n1 1 4.000000\n\n2 2 4\n", 5, "ends after 2"},
    {"row_beyond", real + "2 2 1\n3 1 4\n", 3, "row is '3', outside 1..2"},
    {"column_beyond", real + "2 2 1\n1 3 4\n", 3, "column is '3', outside 1..2"},
    {"row_zero", real + "2 2 1\n0 1 4\n", 3, "row is 0"},
    {"column_zero", real + "2 2 1\n1 0 4\n", 3, "column is 0"},
    {"row_negative", real + "2 2 1\n-1 1 4\n", 3, "outside"},
    {"row_not_integer", real + "2 2 1\n1.0 1 4\n", 3, "not an integer"},
    {"column_not_integer", real + "2 2 1\n1 1e0 4\n", 3, "not an integer"},
    {"column_wraps_32_bits", real + "2 2 1\n1 4294967297 4\n", 3, "outside"},
    {"column_wraps_64_bits", real + "2 2 1\n1 18446744073709551617 4\n", 3, "outside"},
    {"entry_in_a_matrix_without_rows", real + "0 0 1\n1 1 4\n", 3, "outside"},
    {"symmetric_not_square", symmetric + "2 3 1\n2 1 4\n", 2, "square"},
    {"symmetric_upper_triangle", symmetric + "2 2 1\n1 2 4\n", 3, "above the diagonal"},
    {"skew_upper_triangle", skew + "2 2 1\n1 2 4\n", 3, "above the diagonal"},
    {"skew_diagonal", skew + "2 2 1\n1 1 4\n", 3, "on the diagonal"},
    {"skew_pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", 1, "signs"},
    {"nul_after_value", real + "1 1 1\n1 1 4\0\n"s, 3, "not a number"},
    {"nul_before_index",
     real + "1 1 1\n\0"
            "1 1 4\n"s,
     3, "not an integer"},
    {"nul_as_blank",
     real + "1 1 1\n1\0"
            "1 4.0\n"s,
     3, "only two"},
    {"nul_in_comment", real + "% \0 c\n1 1 1\n1 1 4\n"s, 2, "NUL"},
    {"nul_in_sizes", real + "1 1 1\0\n1 1 4\n"s, 2, "NUL"},
    {"hex_float", real + "1 1 1\n1 1 0x10\n", 3, "not a number"},
    {"hex_exponent", real + "1 1 1\n1 1 0x1p4\n", 3, "not a number"},
    {"decimal_comma", real + "1 1 1\n1 1 1,5\n", 3, "not a number"},
    {"overflow", real + "1 1 1\n1 1 1e999\n", 3, "too large"},
    {"overflow_by_digits", real + "1 1 1\n1 1 1" + std::string(400, '0') + "\n", 3, "too large"},
    {"integer_overflow", integer + "1 1 1\n1 1 1" + std::string(400, '0') + "\n", 3, "too large"},
    {"integer_with_point", integer + "1 1 1\n1 1 1.5\n", 3, "not an integer"},
    {"integer_nan", integer + "1 1 1\n1 1 nan\n", 3, "not an integer"},
    {"two_signs", real + "1 1 1\n1 1 --4\n", 3, "not a number"},
    {"two_points", real + "1 1 1\n1 1 1.2.3\n", 3, "not a number"},
    {"exponent_without_digits", real + "1 1 1\n1 1 1e\n", 3, "not a number"},
    {"lone_sign", real + "1 1 1\n1 1 -\n", 3, "not a number"},
    {"comment_among_data", real + "2 2 2\n1 1 4.00\n% c\n2 2 5\n", 4, "comment"},
    {"comment_behind_value", real + "1 1 1\n1 1 4 % c\n", 3, "has more"},
    {"old_mac_line_breaks", real + "2 2 2\n1 1 4\r2 2 5\r", 3, "has more"},
    {"carriage_return_inside", real + "1 1 1\n1 \r 1 4\n", 3, "has more"},
    {"vertical_tab", real + "1 1 1\n1\v1 4\n", 3, "only two"},
    {"complex", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 4 5\n", 1,
     "complex matrices are not supported"},
    {"complex_hermitian", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 4 0\n", 1, "complex"},
    {"unknown_field", "%%MatrixMarket matrix coordinate quaternion general\n1 1 1\n1 1 4\n", 1, "unknown field"},
    {"unknown_symmetry", "%%MatrixMarket matrix coordinate real diagonal\n1 1 1\n1 1 4\n", 1, "unknown symmetry"},
    {"unknown_layout", "%%MatrixMarket matrix sparse real general\n1 1 1\n1 1 4\n", 1, "unknown layout"},
    {"unknown_object", "%%MatrixMarket tensor coordinate real general\n1 1 1\n1 1 4\n", 1, "object"},
    {"short_banner", "%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 4\n", 1, "5"},
    {"long_banner", "%%MatrixMarket matrix coordinate real general more\n1 1 1\n1 1 4\n", 1, "5"},
    {"banner_only", "%%MatrixMarket matrix coordinate real general", 1, "ends before"},
    {"banner_and_comments_only", real + "% a\n% b\n", 3, "ends before"},
    {"two_sizes", real + "1 1\n1 1 4\n", 2, "rows, columns and entries"},
    {"four_sizes", real + "1 1 1 1\n1 1 4\n", 2, "rows, columns and entries"},
    {"three_sizes_of_an_array", array + "1 1 1\n4\n", 2, "rows and columns"},
    {"sizes_not_integer", real + "1.0 1 1\n1 1 4\n", 2, "not an integer"},
    {"sizes_negative", real + "-1 1 1\n1 1 4\n", 2, "negative"},
    {"entries_negative", real + "1 1 -1\n1 1 4\n", 2, "negative"},
    {"sizes_beyond_int32", real + "2147483648 1 1\n1 1 4\n", 2, "largest"},
    {"sizes_beyond_int64", real + "99999999999999999999 1 1\n1 1 4\n", 2, "largest"},
    {"entries_beyond_int64", real + "1 1 99999999999999999999\n1 1 4\n", 2, "largest"},
    {"entries_beyond_the_file", real + "2147483647 2147483647 4000000000000\n1 1 4\n", 2, "room for"},
    {"entries_near_int64", real + "1 1 9223372036854775807\n1 1 4\n", 2, "largest"},
    {"rows_beyond_reason", real + "2147483647 1 1\n1 1 4\n", 2, "rows are declared"},
    {"array_too_large", array + "2147483647 2147483647\n1\n", 2, "room for"},
    {"array_too_short", array + "2 2\n1.0\n2.0\n3.0\n", 5, "ends after 3"},
    {"array_too_long", array + "1 2\n1\n2\n3\n", 5, "more entries"},
    {"array_two_values_in_a_line", array + "1 2\n1 2\n3\n", 3, "has more"},
    {"array_pattern", "%%MatrixMarket matrix array pattern general\n1 1\n1\n", 1, "pattern"},
    {"array_symmetric_not_square", "%%MatrixMarket matrix array real symmetric\n1 2\n1\n2\n", 2, "square"},
    {"empty_file", "", 1, "empty"},
    {"first_bad_line_counts", real + "2 2 3\n1 1 4\n1 x 4\ny 1 4\n", 4, "'x'"},
};

// Chunks of a few bytes and several threads: the same as one chunk and one thread, or chunks are cut wrongly.
const ParseOptions all_options[] = {{.threads = 1},
                                    {.threads = 3, .chunk_bytes = 1},
                                    {.threads = 2, .chunk_bytes = 7},
                                    {.threads = 1, .chunk_bytes = 20}};

TEST(MatrixMarket, reads_every_good_file_of_the_corpus) {
  for (const Good& file : good_files)
    for (const ParseOptions& options : all_options) {
      const Csr<double> A = parse(file.content, options);
      EXPECT_TRUE(violations(A.view(), Require::canonical).empty()) << file.name;
      EXPECT_TRUE(file.matrix.empty() || show(A) == file.matrix)
          << file.name << " in chunks of " << options.chunk_bytes;
    }
}

TEST(MatrixMarket, rejects_every_bad_file_of_the_corpus_with_its_line) {
  for (const Bad& file : bad_files)
    for (const ParseOptions& options : all_options) {
      const Error error = error_of([&] { parse(file.content, options); });
      EXPECT_EQ(error.kind(), ErrorKind::input) << file.name;
      EXPECT_EQ(error.where(), fmt::format("m.mtx:{}", file.line)) << file.name << ": " << error.what();
      EXPECT_NE(error.message().find(file.says), std::string::npos) << file.name << ": " << error.message();
    }
}

TEST(MatrixMarket, the_corpus_has_at_least_75_files) { EXPECT_GE(std::size(good_files) + std::size(bad_files), 75u); }

// A prefix of a file is an error, or (only white space or digits of the last number are missing) a matrix that it
// spells.
TEST(MatrixMarket, survives_truncation_at_every_byte) {
  for (const Good& file : good_files) {
    if (file.content.size() > 300) continue;
    for (std::size_t length = 0; length < file.content.size(); ++length) {
      const std::string part = file.content.substr(0, length);
      try {
        const Csr<double> A = parse(part);
        const std::string rest = file.content.substr(length);
        const bool last_line = rest.find('\n') == std::string::npos || rest.find_first_not_of(" \t\r\n") == rest.npos ||
                               rest.find('\n') == rest.find_last_not_of(" \t\r\n") + 1 || file.matrix.empty();
        EXPECT_TRUE(last_line) << file.name << " cut at " << length;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input) << file.name << " cut at " << length;
      }
    }
  }
}

std::string random_file(std::mt19937_64& random) {
  const auto pick = [&](std::uint64_t n) { return static_cast<int>(random() % n); };
  const int rows = 1 + pick(40), cols = 1 + pick(40), entries = pick(300);
  std::string text = real + fmt::format("{} {} {}\n", rows, cols, entries);
  for (int i = 0; i < entries; ++i) {
    text += fmt::format("{} {} {}{}", 1 + pick(rows), 1 + pick(cols), pick(2) ? "-" : "", pick(1000) / 64.0);
    text += pick(20) ? "\n" : pick(2) ? " \r\n" : "\n\n";
  }
  if (pick(4) == 0) text[text.size() / 2] = "x.-\n 1"[pick(6)];
  return text;
}

TEST(MatrixMarket, gives_the_same_matrix_or_error_for_any_number_of_threads_and_chunks) {
  std::mt19937_64 random(11);
  const auto outcome = [](const std::string& text, const ParseOptions& options) -> std::string {
    try {
      return show(parse(text, options));
    } catch (const Error& error) {
      return error.what();
    }
  };
  int errors = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string text = random_file(random);
    const std::string expected = outcome(text, {.threads = 1});
    errors += expected.starts_with("m.mtx");
    for (const std::int64_t chunk : {1, 13, 100, 1000})
      ASSERT_EQ(outcome(text, {.threads = 4, .chunk_bytes = chunk}), expected) << text;
  }
  EXPECT_GT(errors, 10);
  EXPECT_LT(errors, 200);
}

TEST(MatrixMarket, adds_duplicates_in_the_order_of_the_file_whatever_the_threads) {
  // 1e16 + 1 - 1e16 is 0, 1e16 - 1e16 + 1 is 1: the order shows.
  std::string text = real + "3 3 300000\n";
  for (int i = 0; i < 100000; ++i) text += "2 2 1e16\n2 2 1\n2 2 -1e16\n";
  for (const int threads : {1, 2, 4}) EXPECT_EQ(show(parse(text, {.threads = threads})), "3x3 2,2=0");
}

TEST(MatrixMarket, says_what_the_banner_said) {
  FileFacts facts;
  parse("%%MatrixMarket matrix coordinate integer Skew-Symmetric\n2 2 1\n2 1 3\n", {}, &facts);
  EXPECT_EQ(facts.field, "integer");
  EXPECT_EQ(facts.symmetry, "skew-symmetric");
}

TEST(MatrixMarket, knows_no_locale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const char* german = std::setlocale(LC_ALL, "de_DE.UTF-8");
  if (german == nullptr) german = std::setlocale(LC_ALL, "de_DE");
  EXPECT_EQ(show(parse(real + "1 2 2\n1 1 1.5\n1 2 12345678901234567890.5\n")),
            "1x2 1,1=1.5 1,2=1.2345678901234567e+19");
  std::setlocale(LC_ALL, before.c_str());
  if (german == nullptr) GTEST_SKIP() << "the locale de_DE is not installed; read in the locale C only";
}

TEST(MatrixMarket, reports_progress_and_stops_when_it_throws) {
  std::string text = real + "1 1 10000\n";
  for (int i = 0; i < 10000; ++i) text += "1 1 1\n";
  double last = 0;
  int calls = 0;
  parse(text, {.progress = [&](double share) { calls += share > last, last = share; }, .chunk_bytes = 100});
  EXPECT_EQ(last, 1.0);
  EXPECT_GT(calls, 3);
  const auto stop = [](double share) {
    if (share > 0.5) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(parse(text, {.progress = stop, .chunk_bytes = 100}), std::runtime_error);
}

TEST(MatrixMarket, reads_the_same_bits_however_the_words_of_a_line_are_spaced) {
  std::mt19937_64 random(11);
  const char* const spacings[][3] = {{" ", " ", "\n"}, {"\t", "\t", "\r\n"}, {"  ", " \t ", "  \n"}};
  for (const auto& [first, second, end] : spacings) {
    std::string text = real + "5000 1000000000 5000\n";
    std::vector<double> written;
    for (int r = 1; r <= 5000; ++r) {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      const double value =
          std::ldexp(r % 2 ? unit : std::round(unit * 1e4) / 1e4, static_cast<int>(random() % 30) - 15);
      written.push_back(random() % 2 ? value : -value);
      text += fmt::format("{}{}{}{}{}{}", r, first, 1 + random() % 1000000000, second, written.back(), end);
    }
    const Csr<double> A = parse(text);
    ASSERT_EQ(A.nnz(), 5000);
    EXPECT_EQ(std::memcmp(A.val.data(), written.data(), A.val.bytes()), 0);
  }
}

TEST(MatrixMarket, float_is_rounded_once_from_the_text) {
  const std::string text = real + "1 2 2\n1 1 1.00000005960464477539062500000001\n1 2 0.1\n";
  const Csr<float> A = parse_matrix_market<float>(Text("m.mtx", std::span<const char>(text)));
  EXPECT_EQ(A.val[0], std::nextafterf(1.0f, 2.0f));
  EXPECT_EQ(A.val[1], 0.1f);
  const std::string large = real + "1 1 1\n1 1 1e39\n";
  const Error error = error_of([&] { parse_matrix_market<float>(Text("m.mtx", std::span<const char>(large))); });
  EXPECT_NE(error.message().find("single"), std::string::npos) << error.what();
}

TEST(Vector, reads_arrays_coordinates_and_plain_numbers) {
  const auto read = [](std::string_view text) {
    const Buffer<double> x = parse_vector<double>(Text("x", std::span<const char>(text)), {.chunk_bytes = 5});
    return std::vector<double>(x.begin(), x.end());
  };
  using Numbers = std::vector<double>;
  EXPECT_EQ(read(array + "3 1\n1\n2\n3\n"), (Numbers{1, 2, 3}));
  EXPECT_EQ(read(array + "1 3\n1\n2\n3\n"), (Numbers{1, 2, 3}));
  EXPECT_EQ(read(real + "4 1 2\n4 1 7\n2 1 5\n"), (Numbers{0, 5, 0, 7}));
  EXPECT_EQ(read(pattern + "1 4 2\n1 4\n1 2\n"), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(read("# head\n1\n\n % c\n 2.5 \r\n-3D1"), (Numbers{1, 2.5, -30}));
}

TEST(Vector, rejects_matrices_and_junk_with_the_line) {
  const auto where = [](std::string_view text) {
    return error_of([&] { parse_vector<double>(Text("x", std::span<const char>(text))); }).where();
  };
  EXPECT_EQ(where(array + "2 2\n1\n2\n3\n4\n"), "x:2");
  EXPECT_EQ(where("1\n2 3\n"), "x:2");
  EXPECT_EQ(where("1\n\n# c\nabc\n"), "x:4");
}

}  // namespace
}  // namespace heddle::io
