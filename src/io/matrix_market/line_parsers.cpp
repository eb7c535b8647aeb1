#include "io/matrix_market/line_parsers.hpp"

#include <array>

namespace heddle::io {

namespace {

struct Words {
  static constexpr int most = 3;
  std::array<std::string_view, most> word;
  int count = 0;  // most + 1: more than that
  const char* line_break;
};

Words split_line(const char* line) {
  Words words;
  const char* p = line;
  for (;;) {
    while (is_blank(*p) || (*p == '\r' && *skip_line_end(p) == '\n')) ++p;
    if (*p == '\n') break;
    const char* start = p;
    while (!is_blank(*p) && *p != '\r' && *p != '\n') ++p;
    if (*p == '\r' && p == start) ++p;  // a carriage return inside a line is a word, and no number
    if (words.count < Words::most) words.word[static_cast<std::size_t>(words.count)] = {start, p};
    words.count = std::min(words.count + 1, Words::most + 1);
  }
  words.line_break = p;
  return words;
}

template <class... Args>
[[noreturn]] void reject(fmt::format_string<Args...> message, Args&&... args) {
  throw BadLine{fmt::format(message, std::forward<Args>(args)...)};
}

std::uint64_t read_index(std::string_view word, const char* what, std::uint64_t size) {
  std::int64_t value = 0;
  const Verdict verdict = parse_integer(word, value);
  if (verdict == Verdict::malformed) reject("the {} is {}, not an integer", what, quoted(word));
  if (verdict == Verdict::good && value == 0)
    throw BadLine{fmt::format("the {} is 0", what), "indices count from 1 in this format"};
  if (verdict == Verdict::too_large || value < 0 || static_cast<std::uint64_t>(value) > size)
    reject("the {} is {}, outside 1..{}", what, quoted(word), size);
  return static_cast<std::uint64_t>(value);
}

template <class V>
V read_value(std::string_view word, Field field) {
  V value = 0;
  const bool digits_only = word.find_first_not_of("0123456789", word[0] == '+' || word[0] == '-') == word.npos;
  if (field == Field::integer && !digits_only) reject("the value is {}, not an integer", quoted(word));
  const Verdict verdict = parse_number(word, value);
  if (verdict == Verdict::too_large)
    reject("the value {} is too large for {} precision", quoted(word), sizeof(V) == 4 ? "single" : "double");
  if (verdict == Verdict::malformed)
    throw BadLine{fmt::format("the value is {}, not a number", quoted(word)),
                  word.find(',') != word.npos ? "decimals are written with a point" : ""};
  return value;
}

void check_triangle(Symmetry symmetry, std::uint64_t r, std::uint64_t c) {
  if (symmetry == Symmetry::general || c < r) return;
  if (c > r)
    throw BadLine{fmt::format("entry ({}, {}) is above the diagonal", r, c),
                  "symmetric files hold the lower triangle only"};
  if (symmetry == Symmetry::skew_symmetric)
    reject("entry ({}, {}) is on the diagonal, which is zero if skew-symmetric", r, c);
}

void check_count(const Words& words, int wanted) {
  if (words.count == wanted) return;
  const char* found = words.count > wanted ? "more" : words.count == 1 ? "only one" : "only two";
  reject("a line must hold {} number{} here, this one has {}", wanted, wanted == 1 ? "" : "s", found);
}

}  // namespace

template <class V>
const char* CoordinateLine<V>::careful(const char* line, std::int64_t k) const {
  const Words words = split_line(line);
  if (words.count > 0 && words.word[0].starts_with('%'))
    throw BadLine{"there is a comment among the data", "comments belong before the line with the sizes"};
  check_count(words, field_ == Field::pattern ? 2 : 3);
  const std::uint64_t r = read_index(words.word[0], "row", rows_);
  const std::uint64_t c = read_index(words.word[1], "column", cols_);
  check_triangle(symmetry_, r, c);
  row_[k] = static_cast<Index>(r - 1);
  col_[k] = static_cast<Index>(c - 1);
  if (field_ != Field::pattern) val_[k] = read_value<V>(words.word[2], field_);
  return words.line_break;
}

template <class V>
const char* ValueLine<V>::careful(const char* line, std::int64_t k) const {
  const Words words = split_line(line);
  check_count(words, 1);
  val_[k] = read_value<V>(words.word[0], field_);
  return words.line_break;
}

template class CoordinateLine<float>;
template class CoordinateLine<double>;
template class ValueLine<float>;
template class ValueLine<double>;

}  // namespace heddle::io
