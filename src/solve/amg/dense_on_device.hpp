// The inverse of a small matrix by Gauss and Jordan on the device: a launch for every few pivots, from one copy of the
// matrix into another, each element by the host's operations in the host's order (dense_inverse.cpp).
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

// What one pivot makes of an element: of row i, of column j, of those of the pivot, or of others.
struct Pivot {
  double diagonal, scaled;  // scaled: to a matrix whose diagonal was one

  SIMT_DEVICE bool usable() const { return scaled > dependent_pivot || scaled < -dependent_pivot; }
  // Of the pivot's row, divided by it.
  SIMT_DEVICE double along(double element, bool in_column) const { return (in_column ? 1 : element) * (1 / diagonal); }
  SIMT_DEVICE double exchanged(double old, bool in_row, bool in_column, double along, double factor) const {
    if (!usable()) return in_row || in_column ? 0 : old;
    if (in_row) return along;
    return factor == 0 ? old : (in_column ? 0 : old) - factor * along;
  }
};

// The pivots of one launch, `count` of them from `first` on. What they do to an element is told by their rows and
// columns alone, and those every block works out for its tile of the matrix:
//
//             columns of the pivots     columns of the tile
//   pivots    core                      along[t][column]
//   rows      factor[t][row]            the elements, one pivot after the other
struct PivotTile {
  static constexpr int most = 8, side = 32, threads = 256;
  Pivot pivot[most];
  double core[most][most];  // as the pivots before have left it
  double core_along[most][most], core_factor[most][most];
  double along[most][side], factor[most][side];

  // In place, a thread an element.
  SIMT_DEVICE void work_out_core(std::int64_t n, std::int64_t first, int count, const double* from,
                                 const double* inverse) {
    const int thread = simt::thread(), s = thread / most, c = thread % most;
    const bool mine = s < count && c < count;
    if (mine) core[s][c] = from[(first + s) * n + first + c];
    for (int t = 0; t < count; ++t) {
      simt::sync_block();
      if (mine && s == 0) {
        const double diagonal = core[t][t];
        const Pivot one{diagonal, diagonal * inverse[first + t]};
        if (c == 0) pivot[t] = one;
        core_factor[t][c] = core[c][t];
        core_along[t][c] = one.along(core[t][c], c == t);
      }
      simt::sync_block();
      if (mine) core[s][c] = pivot[t].exchanged(core[s][c], s == t, c == t, core_along[t][c], core_factor[t][s]);
    }
    simt::sync_block();
  }
  SIMT_DEVICE void work_out_along(std::int64_t n, std::int64_t first, int count, const double* from,
                                  std::int64_t column, int place) {
    double mine[most];
#pragma unroll
    for (int u = 0; u < most; ++u) mine[u] = u < count ? from[(first + u) * n + column] : 0;
#pragma unroll
    for (int t = 0; t < most; ++t) {
      if (t >= count) break;
      const double row = along[t][place] = pivot[t].along(mine[t], column == first + t);
#pragma unroll
      for (int u = 0; u < most; ++u)
        if (u < count) mine[u] = pivot[t].exchanged(mine[u], u == t, column == first + t, row, core_factor[t][u]);
    }
  }
  SIMT_DEVICE void work_out_factors(std::int64_t n, std::int64_t first, int count, const double* from, std::int64_t row,
                                    int place) {
    double mine[most];
#pragma unroll
    for (int u = 0; u < most; ++u) mine[u] = u < count ? from[row * n + first + u] : 0;
#pragma unroll
    for (int t = 0; t < most; ++t) {
      if (t >= count) break;
      const double column = factor[t][place] = mine[t];
#pragma unroll
      for (int u = 0; u < most; ++u)
        if (u < count) mine[u] = pivot[t].exchanged(mine[u], row == first + t, u == t, core_along[t][u], column);
    }
  }
  SIMT_DEVICE void tell_faults(std::int64_t first, int count, bool symmetric, PivotFault* fault) const {
    for (int t = 0; t < count; ++t) {
      const auto number = static_cast<std::uint64_t>(2 * (first + t));
      if (!finite(pivot[t].scaled))
        simt::atomic_max(&fault->first, ~number);
      else if (symmetric && pivot[t].scaled < -dependent_pivot)
        simt::atomic_max(&fault->first, ~(number + 1));
    }
  }
};

namespace {  // kernels: compiled for two devices under one name

SIMT_KERNEL exchange_pivots(std::int64_t n, std::int64_t first, const double* from, double* to, const double* inverse,
                            bool symmetric, PivotFault* fault) {
  constexpr int side = PivotTile::side;
  PivotTile& tile = *simt::shared<PivotTile>();
  const int thread = simt::thread();
  const auto count = static_cast<int>(n - first < PivotTile::most ? n - first : PivotTile::most);
  const std::int64_t tiles = (n + side - 1) / side;
  const std::int64_t row0 = simt::block() / tiles * side, column0 = simt::block() % tiles * side;
  tile.work_out_core(n, first, count, from, inverse);
  if (simt::global_thread() == 0) tile.tell_faults(first, count, symmetric, fault);
  if (thread < side && column0 + thread < n)
    tile.work_out_along(n, first, count, from, column0 + thread, thread);
  else if (thread >= side && thread < 2 * side && row0 + thread - side < n)
    tile.work_out_factors(n, first, count, from, row0 + thread - side, thread - side);
  simt::sync_block();
  for (int at = thread; at < side * side; at += PivotTile::threads) {
    const int r = at / side, c = at % side;
    const std::int64_t i = row0 + r, j = column0 + c;
    if (i >= n || j >= n) continue;
    double element = from[i * n + j];
    for (int t = 0; t < count; ++t)
      element = tile.pivot[t].exchanged(element, i == first + t, j == first + t, tile.along[t][c], tile.factor[t][r]);
    to[i * n + j] = element;
  }
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
