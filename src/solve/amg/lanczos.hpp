// The largest eigenvalue of D^-1 A by a few steps of Lanczos, from vectors of which each side makes the sums in one
// order (canonical sums): element i of a piece of 4,096 goes to running sum i mod 256, and those are halved; sums of
// pieces likewise. Vectors stay as long as they are, 1 / length goes into the next step.
//
//   multiply   before = D^-1 A u / |u| - |u| / |before| before;  along = (u / |u|)' A (u / |u|)
//   subtract   before = before - along u / |u|;                  |before| by the inner product x'D y
//
// The result is never above the row sums that bound the eigenvalues, and what the steps find only grows: once it is
// above, further steps change nothing, and are left out.
#pragma once

#include <cmath>
#include <type_traits>

#include "solve/amg/row_steps.hpp"

namespace heddle::solve_method {

inline constexpr std::int64_t sum_piece = 4096;
inline constexpr int sum_lanes = 256;
inline constexpr int lanczos_steps = 10;
// The folded matrix is not smoothed with, it only gives omega: with 4 steps iterations were as many as with 10, or one
// fewer (grids, elasticity, graphs, 2026-11); with its row sums up to a third more.
inline constexpr int folded_steps = 4;
template <class Entries>
inline constexpr int most_steps = std::is_same_v<Entries, FoldedEntries> ? folded_steps : lanczos_steps;

// Between -1/2 and 1/2, by the number of the row.
SIMT_BOTH double random_start(std::int64_t row) {
  std::uint64_t dice = static_cast<std::uint64_t>(row + 1) * 0x9e3779b97f4a7c15u;
  dice = (dice ^ (dice >> 30)) * 0xbf58476d1ce4e5b9u;
  dice = (dice ^ (dice >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((dice ^ (dice >> 31)) >> 40) / 16777216.0 - 0.5;
}

struct LanczosVectors {
  const double* inverse;  // 0 in rows that are left out
  double* weight;         // 1 / inverse, or 0
  double *u, *before;
};

// What follows is done row by row: f(row, f.load(row)) is what the row adds to the sum.
struct LanczosStart {
  LanczosVectors v;

  SIMT_BOTH double load(std::int64_t row) const { return v.inverse[row]; }
  SIMT_BOTH double operator()(std::int64_t row, double inverse) const {
    const bool in = inverse > 0;
    const double value = in ? random_start(row) : 0, weight = in ? 1 / inverse : 0;
    v.weight[row] = weight;
    v.before[row] = 0;
    v.u[row] = value;
    return weight * value * value;
  }
};

// The product of a row, as it is.
template <class Entries>
struct LanczosProduct {
  Entries entries;
  const double* u;

  SIMT_BOTH double operator()(std::int64_t row) const {
    double sum = 0;
    entries.each(row, [&](Index column, double value) { sum += value * u[column]; });
    return sum;
  }
};

template <class Products>  // products(row)
struct LanczosMultiply {
  LanczosVectors v;
  double scale, back;  // 1 / |u|, and |u| / |before|
  Products products;

  struct Loaded {
    double product, inverse, before, u;
  };
  SIMT_BOTH Loaded load(std::int64_t row) const { return {products(row), v.inverse[row], v.before[row], v.u[row]}; }
  SIMT_BOTH double operator()(std::int64_t row, const Loaded& of) const {
    const double sum = of.product * scale;
    v.before[row] = of.inverse * sum - back * of.before;
    return of.u * scale * sum;
  }
};

struct LanczosSubtract {
  LanczosVectors v;
  double factor;  // along / |u|

  struct Loaded {
    double before, u, weight;
  };
  SIMT_BOTH Loaded load(std::int64_t row) const { return {v.before[row], v.u[row], v.weight[row]}; }
  SIMT_BOTH double operator()(std::int64_t row, const Loaded& of) const {
    const double left = of.before - factor * of.u;
    v.before[row] = left;
    return of.weight * left * left;
  }
};

// Row sums of |D^-1 A| bound the eigenvalues (Gershgorin).
struct RowSumBound {
  double most = 0;
  bool finite = true;
  SIMT_BOTH void add(const RowSumBound& other) {
    most = other.most > most ? other.most : most;
    finite = finite && other.finite;
  }
};
template <class Entries>
struct RowSums {
  using Result = RowSumBound;
  Entries entries;
  const double* inverse;

  SIMT_BOTH void add(std::int64_t row, RowSumBound& to) const {
    double size = 0;
    entries.each(row, [&](Index, double value) { size += value < 0 ? -value : value; });
    size = size * inverse[row];
    to.add({size, finite(size)});
  }
};

// What the steps leave: along[k] and the lengths of the vectors, that of the first one before.
struct LanczosNumbers {
  double along[lanczos_steps], length[lanczos_steps + 1];
};

// Whether the steps up to this one have found enough.
bool is_settled(const LanczosNumbers& numbers, int step, const RowSumBound& bound);

// A little too large rather than too small, and never above the bound; not finite when the matrix is not.
double largest_eigenvalue(const LanczosNumbers& numbers, int steps, const RowSumBound& bound);

}  // namespace heddle::solve_method
