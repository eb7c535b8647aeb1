// How a row's sum reaches y. One functor for all kernels, on every device, instead of twins for y = A x and
// y = alpha A x + beta y; it also undoes the row permutation of sorted formats.
#pragma once

#include <heddle/device.hpp>
#include <heddle/matrix.hpp>

#include "simt/annotations.hpp"

namespace heddle {

template <class V>
struct Update {
  V alpha = 1, beta = 0;
  V* y = nullptr;
  const Index* row_of = nullptr;  // row of the matrix that is stored as row i; null: i itself

  SIMT_BOTH std::int64_t place(std::int64_t i) const { return row_of ? row_of[i] : i; }

  // y[row] = alpha sum + beta y[row], for a row with entries. beta = 0 never reads y.
  SIMT_BOTH void operator()(std::int64_t i, V sum) const {
    V& target = y[place(i)];
    target = beta == V(0) ? alpha * sum : alpha * sum + beta * target;
  }
  // y[row] = beta y[row], for a row without entries: +0 whatever the sign of alpha, and alpha = NaN stays out of it.
  SIMT_BOTH void without_entries(std::int64_t i) const {
    V& target = y[place(i)];
    target = beta == V(0) ? V(0) : beta * target;
  }
  SIMT_BOTH void row(std::int64_t i, V sum, bool has_entries) const {
    has_entries ? (*this)(i, sum) : without_entries(i);
  }
};

// One multiplication, as a kernel sees it. alpha = 0 never gets here (Operator scales y itself).
template <class V>
struct Product {
  const V* x = nullptr;
  Update<V> update;
  Stream stream;
};

}  // namespace heddle
