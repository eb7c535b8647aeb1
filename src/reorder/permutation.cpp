#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <heddle/reorder.hpp>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "core/watch.hpp"

namespace heddle {

namespace {
constexpr std::int64_t row_grain = 4096, rows_of_look = 1 << 16;

// Every number from 0 on once.
void check_order(const char* which, const Permutation& order) {
  Buffer<std::uint64_t> seen((order.size() + 63) / 64);
  std::fill(seen.begin(), seen.end(), std::uint64_t{0});
  for (std::int64_t i = 0; i < order.size(); ++i) {
    if (i % rows_of_look == 0) Watch::pass();
    const Index old = order.new_to_old[i];
    check(old >= 0 && old < order.size(), ErrorKind::input, "new_to_old[{}] = {} of the {} is outside 0..{}", i, old,
          which, order.size() - 1);
    std::uint64_t& word = seen[old / 64];
    const std::uint64_t bit = std::uint64_t{1} << (old % 64);
    check((word & bit) == 0, ErrorKind::input, "new_to_old[{}] = {} of the {} repeats", i, old, which);
    word |= bit;
  }
}

void check_fits(const char* which, const Permutation& order, std::int64_t size) {
  check(order.size() == size, ErrorKind::input, "the {} has {} elements, the matrix {}", which, order.size(), size);
  check_order(which, order);
}

void invert(const Permutation& order, Permutation& back) {
  for (std::int64_t i = 0; i < order.size(); ++i) {
    if (i % rows_of_look == 0) Watch::pass();
    back.new_to_old[order.new_to_old[i]] = static_cast<Index>(i);
  }
}

Buffer<Offset> permuted_starts(const PatternView& A, const Permutation& rows) {
  Buffer<Offset> ptr(A.rows + 1);
  ptr[0] = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    if (row % rows_of_look == 0) Watch::pass();
    ptr[row + 1] = ptr[row] + A.length(rows.new_to_old[row]);
  }
  return ptr;
}

// Old rows lie anywhere in memory: where a later one begins, then its first entries. Always inline: GCC takes
// a function that only prefetches for one without effect and drops the call.
template <class V>
[[gnu::always_inline]] inline void fetch_ahead(const CsrView<V>& A, const Permutation& rows, std::int64_t row,
                                               std::int64_t last) {
  if (row + 16 >= last) return;
  __builtin_prefetch(A.ptr.data() + rows.new_to_old[row + 16]);
  const Offset start = A.ptr[rows.new_to_old[row + 8]];
  __builtin_prefetch(A.col.data() + start);
  __builtin_prefetch(A.val.data() + start);
}

// Entries of one row under new column numbers, in their order. A key is the new column above the old place in the row.
template <class V>
void permute_entries(const Index* col, const V* val, std::int64_t length, const Index* new_col,
                     Vector<std::uint64_t>& keys, Index* to_col, V* to_val) {
  keys.clear();
  for (std::int64_t k = 0; k < length; ++k)
    keys.push_back(static_cast<std::uint64_t>(new_col[col[k]]) << 32 | static_cast<std::uint64_t>(k));
  std::sort(keys.begin(), keys.end());
  for (std::int64_t k = 0; k < length; ++k) {
    to_col[k] = static_cast<Index>(keys[k] >> 32);
    to_val[k] = val[keys[k] & 0xffffffffu];
  }
}

}  // namespace

Permutation Permutation::identity(std::int64_t size) {
  check(size >= 0 && size <= max_dimension, ErrorKind::usage, "a permutation of {} things", size);
  Permutation same{Buffer<Index>(size)};
  std::iota(same.new_to_old.begin(), same.new_to_old.end(), Index{0});
  return same;
}

Permutation Permutation::inverse() const {
  check_order("permutation", *this);
  Permutation back{Buffer<Index>(size())};
  invert(*this, back);
  return back;
}

template <class V>
Csr<V> permute(CsrView<V> A, const Permutation& rows, const Permutation& cols) {
  validate(A);
  check_fits("row permutation", rows, A.rows);
  check_fits("column permutation", cols, A.cols);
  Permutation new_col{Buffer<Index>(cols.size())};
  invert(cols, new_col);
  Csr<V> B{A.rows, A.cols, permuted_starts(A, rows), Buffer<Index>(A.nnz()), Buffer<V>(A.nnz())};
  parallel_ranges(A.rows, row_grain, [&](std::int64_t first, std::int64_t last) {
    Vector<std::uint64_t> keys;
    for (std::int64_t row = first; row < last; ++row) {
      const Index old = rows.new_to_old[row];
      fetch_ahead(A, rows, row, last);
      permute_entries(A.col.data() + A.ptr[old], A.val.data() + A.ptr[old], A.length(old), new_col.new_to_old.data(),
                      keys, B.col.data() + B.ptr[row], B.val.data() + B.ptr[row]);
    }
  });
  return B;
}

template <class V>
Csr<V> permute_rows(CsrView<V> A, const Permutation& rows) {
  validate(A);
  check_fits("row permutation", rows, A.rows);
  Csr<V> B{A.rows, A.cols, permuted_starts(A, rows), Buffer<Index>(A.nnz()), Buffer<V>(A.nnz())};
  parallel_ranges(A.rows, row_grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const Index old = rows.new_to_old[row];
      std::copy_n(A.col.data() + A.ptr[old], A.length(old), B.col.data() + B.ptr[row]);
      std::copy_n(A.val.data() + A.ptr[old], A.length(old), B.val.data() + B.ptr[row]);
    }
  });
  return B;
}

std::int64_t bandwidth(const PatternView& A) {
  validate(A, Require::canonical);
  // Columns ascend, so the farthest entry of a row is its first or its last.
  std::int64_t widest = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    if (A.length(row) == 0) continue;
    const std::int64_t left = std::abs(row - A.col[A.ptr[row]]), right = std::abs(A.col[A.ptr[row + 1] - 1] - row);
    widest = std::max({widest, left, right});
  }
  return widest;
}

template Csr<float> permute(CsrView<float>, const Permutation&, const Permutation&);
template Csr<double> permute(CsrView<double>, const Permutation&, const Permutation&);
template Csr<float> permute_rows(CsrView<float>, const Permutation&);
template Csr<double> permute_rows(CsrView<double>, const Permutation&);

}  // namespace heddle
