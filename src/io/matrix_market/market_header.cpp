#include "io/matrix_market/market_header.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/check.hpp"
#include "io/matrix_market/number.hpp"

namespace heddle::io {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string at_line(const Text& text, std::int64_t line) { return fmt::format("{}:{}", text.name(), line); }

template <class... Args>
[[noreturn]] void reject(const Text& text, std::int64_t line, fmt::format_string<Args...> message, Args&&... args) {
  fail(ErrorKind::input, At{at_line(text, line)}, message, std::forward<Args>(args)...);
}

std::vector<std::string_view> words_of(std::string_view line, std::size_t at_most) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (words.size() <= at_most) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.size(), line.find_first_of(" \t\r", at));
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string lower_case(std::string_view word) {
  std::string lower(word.substr(0, 64));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

void read_field(const Text& text, const std::string& word, MarketHeader& header) {
  if (word == "complex")
    fail(ErrorKind::input, At{at_line(text, 1), "split it into a real and an imaginary part"},
         "complex matrices are not supported, only real, integer and pattern");
  if (word == "real" || word == "double")
    header.field = Field::real;
  else if (word == "integer" || word == "unsigned-integer")
    header.field = Field::integer;
  else if (word == "pattern")
    header.field = Field::pattern;
  else
    reject(text, 1, "unknown field {}: real, integer and pattern are known", quoted(word));
  if (header.array && header.field == Field::pattern) reject(text, 1, "an array cannot be a pattern");
}

void read_symmetry(const Text& text, const std::string& word, MarketHeader& header) {
  if (word == "general")
    header.symmetry = Symmetry::general;
  else if (word == "symmetric" || word == "hermitian")
    header.symmetry = Symmetry::symmetric;
  else if (word == "skew-symmetric")
    header.symmetry = Symmetry::skew_symmetric;
  else
    reject(text, 1, "unknown symmetry {}: general, symmetric, skew-symmetric and hermitian are known", quoted(word));
  if (header.symmetry == Symmetry::skew_symmetric && header.field == Field::pattern)
    reject(text, 1, "a pattern has no signs and cannot be skew-symmetric");
  header.symmetry_word = word;
}

void read_banner(const Text& text, std::string_view line, MarketHeader& header) {
  if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  const auto words = words_of(line, 5);
  if (words.size() != 5)
    fail(ErrorKind::input, At{at_line(text, 1), "it must read: %%MatrixMarket matrix coordinate real general"},
         "the banner has {} words, not 5", words.size() > 5 ? "more" : std::to_string(words.size()));
  if (lower_case(words[1]) != "matrix") reject(text, 1, "the object is {}, not matrix", quoted(words[1]));
  const std::string layout = lower_case(words[2]);
  if (layout != "coordinate" && layout != "array")
    reject(text, 1, "unknown layout {}: coordinate and array are known", quoted(words[2]));
  header.array = layout == "array";
  read_field(text, lower_case(words[3]), header);
  read_symmetry(text, lower_case(words[4]), header);
}

std::int64_t read_size(const Text& text, std::int64_t line, std::string_view word, const char* what,
                       std::int64_t limit) {
  std::int64_t value = 0;
  const Verdict verdict = parse_integer(word, value);
  if (verdict == Verdict::malformed) reject(text, line, "the number of {} is {}, not an integer", what, quoted(word));
  if (verdict == Verdict::good && value < 0) reject(text, line, "the number of {} is negative: {}", what, value);
  if (verdict == Verdict::too_large || value > limit)
    reject(text, line, "the number of {} is {}, beyond the largest possible, {}", what, quoted(word), limit);
  return value;
}

void read_sizes(const Text& text, std::string_view line, MarketHeader& header) {
  const std::size_t wanted = header.array ? 2 : 3;
  const auto words = words_of(line, wanted);
  const std::int64_t at = header.size_line;
  if (words.size() != wanted)
    reject(text, at, "expected {}, found {}", header.array ? "rows and columns" : "rows, columns and entries",
           quoted(line));
  header.rows = read_size(text, at, words[0], "rows", max_dimension);
  header.cols = read_size(text, at, words[1], "columns", max_dimension);
  if (header.symmetry != Symmetry::general && header.rows != header.cols)
    reject(text, at, "a {} matrix must be square, not {} x {}", header.symmetry_word, header.rows, header.cols);
  if (!header.array) {
    header.entries = read_size(text, at, words[2], "entries", INT64_MAX / 64);
    return;
  }
  // Below 2^62, as both are below 2^31. A triangle is stored with its diagonal, or without it when that is zero.
  const std::int64_t n = header.rows;
  header.entries = header.symmetry == Symmetry::general     ? header.rows * header.cols
                   : header.symmetry == Symmetry::symmetric ? n * (n + 1) / 2
                                                            : n * (n - 1) / 2;
}

// Nothing in the header is believed before the file is known to be large enough for it.
void bound_by_size(const Text& text, const MarketHeader& header) {
  // "1\n", "1 1\n", "1 1 1\n"; the last line break may be missing.
  const std::int64_t least = header.array ? 2 : header.field == Field::pattern ? 4 : 6;
  const std::int64_t room = (text.size() - header.body + 1) / least;
  if (header.entries > room)
    reject(text, header.size_line, "{} entries are declared, but the file has room for at most {}", header.entries,
           room);
  if (header.rows > most_rows(text))
    fail(ErrorKind::input, At{at_line(text, header.size_line), "remove empty rows"},
         "{} rows are declared in a file of {} bytes; row offsets are stored only up to 64 rows a byte", header.rows,
         text.size());
}

}  // namespace

std::int64_t most_rows(const Text& text) { return (std::int64_t{1} << 20) + 64 * text.size(); }

bool is_matrix_market(const Text& text) {
  constexpr std::int64_t longest = 32;
  std::string start(static_cast<std::size_t>(std::min(longest, text.size())), '\0');
  text.read(0, static_cast<std::int64_t>(start.size()), start.data());
  std::string_view rest = start;
  if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  if (rest.starts_with("%%")) rest.remove_prefix(1);
  return lower_case(rest).starts_with("%matrixmarket");
}

MarketHeader read_header(const Text& text) {
  MarketHeader header;
  LineCursor lines(text);
  std::string_view line;
  if (!lines.next(line)) reject(text, 1, "the file is empty");
  read_banner(text, line, header);
  while (lines.next(line)) {
    if (line.find('\0') != std::string_view::npos) reject(text, lines.line_number(), "there is a NUL byte in the text");
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos || line[start] == '%') continue;
    header.size_line = lines.line_number();
    header.body = lines.position();
    read_sizes(text, line, header);
    bound_by_size(text, header);
    return header;
  }
  reject(text, lines.line_number(), "the file ends before the line with its sizes");
}

void describe(const MarketHeader& header, FileFacts& facts) {
  constexpr std::array names{"real", "integer", "pattern"};
  facts.field = names[static_cast<std::size_t>(header.field)];
  facts.symmetry = header.symmetry_word;
}

}  // namespace heddle::io
