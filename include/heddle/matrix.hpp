// Csr, the hub: every reader and generator gives one, every format is built from one and restores it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <heddle/buffer.hpp>
#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

using Index = std::int32_t;   // a column, or a row
using Offset = std::int64_t;  // a position among the entries: more than 2^31 entries are fine

inline constexpr std::int64_t max_dimension = INT32_MAX;

//  A = [ a . b ]      ptr   0  2  2  4      row r owns entries ptr[r] .. ptr[r+1]-1
//      [ . . . ]      col   0  2  0  1      columns ascend inside a row and are distinct ("canonical")
//      [ c d . ]      val   a  b  c  d      explicit zeros stay stored
struct PatternView {
  std::int64_t rows = 0, cols = 0;
  std::span<const Offset> ptr;
  std::span<const Index> col;

  std::int64_t nnz() const { return static_cast<std::int64_t>(col.size()); }
  std::int64_t length(std::int64_t row) const { return ptr[row + 1] - ptr[row]; }
};

template <class V>
struct CsrView : PatternView {
  std::span<const V> val;
};

template <class V>
struct Csr {
  std::int64_t rows = 0, cols = 0;
  Buffer<Offset> ptr;  // rows + 1
  Buffer<Index> col;
  Buffer<V> val;

  std::int64_t nnz() const { return col.size(); }
  CsrView<V> view() const { return {{rows, cols, ptr, col}, val}; }
  operator CsrView<V>() const { return view(); }
  // A copy, all arrays on that device.
  Csr to(Device device) const { return {rows, cols, ptr.to(device), col.to(device), val.to(device)}; }
};

template <class V>
struct Coo {
  std::int64_t rows = 0, cols = 0;
  Buffer<Index> row, col;
  Buffer<V> val;

  std::int64_t nnz() const { return val.size(); }
};

// Copies three arrays from outside after checking them; unsorted rows are sorted and duplicates summed.
template <class V>
HEDDLE_PUBLIC Csr<V> make_csr(std::int64_t rows, std::int64_t cols, std::span<const Offset> ptr,
                              std::span<const Index> col, std::span<const V> val);

// Entries in any order; duplicates are summed in the order given.
template <class V>
HEDDLE_PUBLIC Csr<V> to_csr(const Coo<V>& entries);
template <class V>
HEDDLE_PUBLIC Coo<V> to_coo(CsrView<V> A);
// The row of every entry.
Buffer<Index> row_numbers(const PatternView& A);

template <class V>
HEDDLE_PUBLIC Csr<V> transpose(CsrView<V> A);

// The same matrix with values of another precision.
template <class To, class From>
HEDDLE_PUBLIC Csr<To> convert(CsrView<From> A);

// What is wrong with arrays from outside, worst first, each naming the first bad place ("ptr[4] = 7 is below
// ptr[3] = 9"); empty when the matrix may be multiplied safely. Order and duplicates are reported only when asked for.
enum class Require { safe, canonical };
std::vector<std::string> violations(const PatternView& A, Require level = Require::safe);
// Error(input) with the first violation. Of a matrix also where columns and values are not as many. Every function
// that takes a matrix in host memory looks; the formats and analyze want it canonical.
void validate(const PatternView& A, Require level = Require::safe);
template <class V>
HEDDLE_PUBLIC void validate(const CsrView<V>& A, Require level = Require::safe);

// The same shape, pattern and value bits (so NaN equals NaN and -0 differs from 0).
template <class V>
HEDDLE_PUBLIC bool identical(CsrView<V> A, CsrView<V> B);

template <class V>
bool identical(const Csr<V>& A, const Csr<V>& B) {
  return identical(A.view(), B.view());
}

}  // namespace heddle
