// The inverse of a small matrix by Gauss and Jordan on the device: a launch a pivot, from one copy of the matrix into
// another, element by element as on the host (dense_inverse.cpp).
#pragma once

#include "simt/primitives/reduce.hpp"
#include "solve/amg/dense_inverse.hpp"
#include "solve/amg/row_steps.hpp"

namespace heddle::solve_method {

struct DenseRows {
  MatrixRows A;
  double* a;

  SIMT_DEVICE void operator()(std::int64_t row) const {
    for (std::int64_t j = 0; j < A.rows; ++j) a[row * A.rows + j] = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) a[row * A.rows + A.col[k]] += A.val[k];
  }
};

struct Asymmetry {
  struct Result {
    bool symmetric = true;
    SIMT_BOTH void add(const Result& other) { symmetric = symmetric && other.symmetric; }
  };
  std::int64_t n;
  const double *a, *inverse;

  SIMT_DEVICE void add(std::int64_t at, Result& to) const {
    const std::int64_t i = at / n, j = at % n;
    if (j < i && !is_mirrored(a[i * n + j], a[j * n + i], inverse[i], inverse[j])) to.symmetric = false;
  }
};

// The first pivot that something is wrong with, as ~(2 k + 1) or ~(2 k) of a pivot that is no number; 0: none.
struct PivotFault {
  std::uint64_t first;
};

namespace {  // kernels: compiled for two devices under one name

SIMT_KERNEL exchange_pivot(std::int64_t n, std::int64_t k, const double* from, double* to, const double* inverse,
                           bool symmetric, PivotFault* fault) {
  const std::int64_t at = simt::global_thread();
  const double diagonal = from[k * n + k], pivot = diagonal * inverse[k];
  if (at == 0) {
    const auto number = static_cast<std::uint64_t>(2 * k);
    if (!finite(pivot))
      simt::atomic_max(&fault->first, ~number);
    else if (symmetric && pivot < -dependent_pivot)
      simt::atomic_max(&fault->first, ~(number + 1));
  }
  if (at >= n * n) return;
  const std::int64_t i = at / n, j = at % n;
  const double old = from[at];
  if (!(pivot > dependent_pivot || pivot < -dependent_pivot)) {
    to[at] = i == k || j == k ? 0 : old;
    return;
  }
  const double along = (j == k ? 1 : from[k * n + j]) * (1 / diagonal), factor = from[i * n + k];
  if (i == k)
    to[at] = along;
  else if (factor == 0)
    to[at] = old;
  else
    to[at] = (j == k ? 0 : old) - factor * along;
}

}  // namespace

// The inverse as a matrix with all entries.
struct DenseEntries {
  std::int64_t n;
  const double* a;
  bool symmetric;
  Offset* ptr;
  Index* col;
  double* val;

  SIMT_DEVICE void operator()(std::int64_t at) const {
    const std::int64_t i = at / n, j = at % n;
    if (j == 0) ptr[i + 1] = (i + 1) * n;
    if (at == 0) ptr[0] = 0;
    col[at] = static_cast<Index>(j);
    val[at] = symmetric && i != j ? (a[at] + a[j * n + i]) / 2 : a[at];
  }
};

}  // namespace heddle::solve_method
