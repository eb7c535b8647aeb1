// Right-hand sides of `heddle solve`, from a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include <heddle/io.hpp>
#include <heddle/matrix.hpp>

#include "core/check.hpp"

namespace heddle {

// Right-hand sides, one after the other; without a file A times ones, so that the solution is known.
template <class V>
struct Sides {
  Buffer<V> values;
  std::int64_t rows = 0, count = 1;
  bool known = false;

  std::span<V> at(std::int64_t i) { return values.span().subspan(static_cast<std::size_t>(i * rows), size()); }
  std::size_t size() const { return static_cast<std::size_t>(rows); }
};

// Every number of every column is kept, so a matrix of many columns and few entries is none of right-hand sides: it is
// more likely the matrix of the system itself.
template <class V>
void check_columns(const Csr<V>& A, const std::string& path, std::int64_t rows) {
  if (A.rows != rows)
    fail(ErrorKind::input, At{path, fmt::format("give --rhs columns of length {}", rows)},
         "the right-hand sides have {} elements, but the matrix has {} rows", A.rows, rows);
  const double numbers = static_cast<double>(A.rows) * static_cast<double>(A.cols);
  if (numbers > 1e6 + 64 * static_cast<double>(A.nnz()))
    fail(ErrorKind::input, At{path, "write dense right-hand sides as a Matrix Market array"},
         "{} right-hand sides of length {} with {} entries", A.cols, A.rows, A.nnz());
}

template <class V>
Sides<V> columns_of(const Csr<V>& A) {
  Sides<V> sides{Buffer<V>(A.rows * A.cols), A.rows, A.cols};
  std::fill(sides.values.begin(), sides.values.end(), V(0));
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sides.values[A.col[k] * A.rows + row] = A.val[k];
  return sides;
}

// A vector file, or a Matrix Market file with a column for each right-hand side.
template <class V>
Sides<V> read_sides(const std::string& path, std::int64_t rows) {
  Sides<V> sides{Buffer<V>(), rows};
  try {
    sides.values = read_vector<V>(path);
  } catch (const Error& no_vector) {
    Csr<V> columns;
    try {
      columns = read_matrix<V>(path);
    } catch (const Error&) {
      throw no_vector;
    }
    check_columns(columns, path, rows);
    return columns_of(columns);
  }
  if (sides.values.size() != rows)
    fail(ErrorKind::input, At{path, fmt::format("give --rhs a vector of length {}", rows)},
         "the right-hand side has {} elements, but the matrix has {} rows", sides.values.size(), rows);
  return sides;
}

}  // namespace heddle
