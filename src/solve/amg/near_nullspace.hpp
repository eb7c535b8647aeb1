// Vectors that A maps to nearly zero, beside or instead of the constants: those of a rigid body, for elasticity. On
// each aggregate they are made orthonormal, and so give the columns of T there; what they were made from are the
// vectors of the next grid.
//
//   vectors on an aggregate    [ b0 b1 b2 ] = [ q0 q1 q2 ] r      T has the rows of q, the next grid the columns of r
#pragma once

#include <cmath>

#include "solve/amg/row_steps.hpp"

namespace heddle::solve_method {

// On one aggregate: Gram and Schmidt, twice. A vector that depends on those before it gives a column of zeros.
struct FitAggregates {
  const Offset* ptr;  // the nodes of an aggregate, ascending
  const Index* node;
  std::int64_t rows, aggregates;
  int block, count;    // unknowns of a node; vectors
  const double* from;  // count times rows
  double* t;           // rows times count
  double* next;        // count times (aggregates times count)

  SIMT_BOTH void operator()(std::int64_t aggregate) const {
    constexpr double dependent = 1e-10;
    for (int v = 0; v < count; ++v) {
      each_row(aggregate, [&](std::int64_t row) { t[row * count + v] = from[v * rows + row]; });
      const double before = dot(aggregate, v, v);
      double* const r = next + v * aggregates * count + aggregate * count;
      for (int w = 0; w < count; ++w) r[w] = 0;
      for (int pass = 0; pass < 2; ++pass)
        for (int w = 0; w < v; ++w) r[w] += subtract(aggregate, v, w);
      const double left = dot(aggregate, v, v);
      const bool depends = !(left > dependent * dependent * before);
      const double length = depends ? 0 : std::sqrt(left);
      each_row(aggregate, [&](std::int64_t row) { t[row * count + v] = depends ? 0 : t[row * count + v] / length; });
      r[v] = length;
    }
  }

 private:
  template <class F>
  SIMT_BOTH void each_row(std::int64_t aggregate, const F& f) const {
    for (Offset k = ptr[aggregate]; k < ptr[aggregate + 1]; ++k)
      for (int c = 0; c < block; ++c) f(std::int64_t{node[k]} * block + c);
  }
  SIMT_BOTH double dot(std::int64_t aggregate, int v, int w) const {
    double sum = 0;
    each_row(aggregate, [&](std::int64_t row) { sum += t[row * count + v] * t[row * count + w]; });
    return sum;
  }
  SIMT_BOTH double subtract(std::int64_t aggregate, int v, int w) const {
    const double along = dot(aggregate, v, w);
    each_row(aggregate, [&](std::int64_t row) { t[row * count + v] -= along * t[row * count + w]; });
    return along;
  }
};

// T from fitted vectors.
struct FittedRows {
  const Index* of;  // aggregates of nodes
  int block, count;
  const double* t;

  template <class F>
  SIMT_BOTH void each(std::int64_t row, const F& f) const {
    const Index at = of[row / block];
    if (at == no_aggregate) return;
    for (int v = 0; v < count; ++v) f(static_cast<Index>(at * count + v), t[row * count + v]);
  }
  SIMT_BOTH Offset most() const { return count; }  // of a row
  SIMT_BOTH bool empty(std::int64_t row) const { return of[row / block] == no_aggregate; }
};

}  // namespace heddle::solve_method
