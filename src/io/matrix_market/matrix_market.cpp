#include "io/matrix_market/matrix_market.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "io/matrix_market/assemble.hpp"
#include "io/matrix_market/line_parsers.hpp"

namespace heddle::io {

namespace {

LineRules rules_of(const MarketHeader& header) {
  return {.entries = header.entries, .comments = false, .lines_before = header.size_line};
}

template <class V>
Entries<V> read_entries(const Text& text, const MarketHeader& header, const ParseOptions& options) {
  DataLines lines(text, header.body, rules_of(header), options);
  const std::int64_t n = header.entries;
  Entries<V> entries{header.rows, header.cols, header.symmetry, Buffer<Index>(n), Buffer<Index>(n), {}};
  if (header.field != Field::pattern) entries.val = Buffer<V>(n);
  lines.parse(CoordinateLine<V>(header, entries.row.data(), entries.col.data(), entries.val.data()));
  return entries;
}

// The values of an array file in its own order: column by column, of a triangle only what it stores.
template <class V>
Buffer<V> read_array(const Text& text, const MarketHeader& header, const ParseOptions& options) {
  DataLines lines(text, header.body, rules_of(header), options);
  Buffer<V> values(header.entries);
  lines.parse(ValueLine<V>(header.field, values.data()));
  return values;
}

// Every element is stored, zeros too: the file does say them.
template <class V>
Csr<V> full_matrix(const MarketHeader& header, const Buffer<V>& values, int threads) {
  const std::int64_t rows = header.rows, cols = header.cols;
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), Buffer<Index>(rows * cols), Buffer<V>(rows * cols)};
  for (std::int64_t r = 0; r <= rows; ++r) A.ptr[r] = r * cols;
  run_ranges_on(threads, rows, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = 0; c < cols; ++c)
      for (std::int64_t r = begin; r < end; ++r) {
        A.col[r * cols + c] = static_cast<Index>(c);
        A.val[r * cols + c] = values[c * rows + r];
      }
  });
  return A;
}

// The stored triangle as entries, so that it is mirrored like any other.
template <class V>
Entries<V> triangle(const MarketHeader& header, Buffer<V>&& values) {
  const std::int64_t n = header.entries;
  Entries<V> entries{header.rows, header.cols, header.symmetry, Buffer<Index>(n), Buffer<Index>(n), std::move(values)};
  const Index skip = header.symmetry == Symmetry::skew_symmetric ? 1 : 0;
  std::int64_t k = 0;
  for (Index c = 0; c < header.cols; ++c)
    for (Index r = c + skip; r < header.rows; ++r, ++k) {
      entries.row[k] = r;
      entries.col[k] = c;
    }
  return entries;
}

// A vector of few entries is stored whole: its length is believed as far as rows of a matrix are.
void check_length(const Text& text, const MarketHeader& header) {
  const std::int64_t length = std::max(header.rows, header.cols), most = most_rows(text);
  if (length > most)
    fail(ErrorKind::input, At{fmt::format("{}:{}", text.name(), header.size_line)},
         "{} elements are declared in a file of {} bytes; at most {} are believed", length, text.size(), most);
}

template <class V>
Buffer<V> scattered(const Entries<V>& entries, bool one_column, bool pattern) {
  Buffer<V> x(one_column ? entries.rows : entries.cols);
  std::fill(x.begin(), x.end(), V(0));
  const Buffer<Index>& place = one_column ? entries.row : entries.col;
  for (std::int64_t k = 0; k < place.size(); ++k) x[place[k]] += pattern ? V(1) : entries.val[k];
  return x;
}

}  // namespace

template <class V>
Csr<V> parse_matrix_market(const Text& text, FileFacts* facts, const ParseOptions& options) {
  const MarketHeader header = read_header(text);
  if (facts) describe(header, *facts);
  if (!header.array) return assemble(read_entries<V>(text, header, options), options.threads);
  Buffer<V> values = read_array<V>(text, header, options);
  if (header.symmetry == Symmetry::general) return full_matrix(header, values, options.threads);
  return assemble(triangle(header, std::move(values)), options.threads);
}

template <class V>
Buffer<V> parse_vector(const Text& text, const ParseOptions& options) {
  if (!is_matrix_market(text)) {
    DataLines lines(text, 0, {.entries = -1, .comments = true, .lines_before = 0}, options);
    Buffer<V> x(lines.entries());
    lines.parse(ValueLine<V>(Field::real, x.data()));
    return x;
  }
  const MarketHeader header = read_header(text);
  if (header.rows != 1 && header.cols != 1)
    fail(ErrorKind::input, At{fmt::format("{}:{}", text.name(), header.size_line)},
         "a vector has one column or one row, this is {} x {}", header.rows, header.cols);
  check_length(text, header);
  if (header.array && header.symmetry == Symmetry::general) return read_array<V>(text, header, options);
  const Entries<V> entries =
      header.array ? triangle(header, read_array<V>(text, header, options)) : read_entries<V>(text, header, options);
  return scattered(entries, header.cols == 1, header.field == Field::pattern);
}

template Csr<float> parse_matrix_market(const Text&, FileFacts*, const ParseOptions&);
template Csr<double> parse_matrix_market(const Text&, FileFacts*, const ParseOptions&);
template Buffer<float> parse_vector(const Text&, const ParseOptions&);
template Buffer<double> parse_vector(const Text&, const ParseOptions&);

}  // namespace heddle::io
