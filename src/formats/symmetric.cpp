#include "formats/symmetric.hpp"

#include <algorithm>
#include <cstring>

#include "core/check.hpp"
#include "core/grain.hpp"
#include "core/parallel.hpp"
#include "update/value_map.hpp"

namespace heddle {

namespace {

template <class F>
void each_entry(const PatternView& A, F f) {
  parallel_ranges(A.rows, grain_for(A.rows, A.nnz(), 1024), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) f(row, k);
  });
}

}  // namespace

bool stores_symmetric(const Plan& plan) {
  const std::string* values = plan.find("values");
  return values != nullptr && *values == "symmetric";
}

Offset entry_at(const PatternView& A, std::int64_t row, std::int64_t col) {
  if (row >= A.rows) return -1;
  const auto first = A.col.begin() + A.ptr[row], last = A.col.begin() + A.ptr[row + 1];
  const auto found = std::lower_bound(first, last, col);
  return found != last && *found == col ? found - A.col.begin() : -1;
}

template <class V>
void check_symmetric(const CsrView<V>& A, WithoutTwin single) {
  each_entry(A, [&](std::int64_t row, Offset k) {
    const std::int64_t col = A.col[k];
    if (col == row || (col > row && single == WithoutTwin::kept)) return;
    const Offset twin = entry_at(A, col, row);
    if (twin < 0 && single == WithoutTwin::refused)
      fail(ErrorKind::unavailable, {"values=symmetric", "values=raw stores any matrix"},
           "there is an entry at ({}, {}) and none at ({}, {})", row, col, col, row);
    if (twin >= 0 && std::memcmp(&A.val[k], &A.val[twin], sizeof(V)) != 0)
      fail(ErrorKind::unavailable, {"values=symmetric", "values=raw stores any values"},
           "the values at ({}, {}) and ({}, {}) differ", row, col, col, row);
  });
}

template <class V>
Buffer<V> twin_numbers(const PatternView& A, Twin which) {
  Buffer<V> numbers(A.nnz());
  each_entry(A, [&](std::int64_t row, Offset k) {
    const bool own = A.col[k] == row || (A.col[k] > row) == (which == Twin::upper);
    const Offset twin = own ? k : entry_at(A, A.col[k], row);
    numbers[k] = entry_number<V>(twin < 0 ? k : twin);
  });
  return numbers;
}

template void check_symmetric(const CsrView<float>&, WithoutTwin);
template void check_symmetric(const CsrView<double>&, WithoutTwin);
template Buffer<float> twin_numbers(const PatternView&, Twin);
template Buffer<double> twin_numbers(const PatternView&, Twin);

}  // namespace heddle
