// GMRES keeps an orthonormal basis: column c of `basis` begins at c n. Trips take up to eight columns at a time.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "solve/krylov/state.hpp"

namespace heddle::solve_method {

inline constexpr int columns_at_once = 8;

// Small matrices of a cycle of m steps, in the device's memory.
//   H      column j holds the m + 1 entries of step j, after its rotations the upper triangle R
//   cs sn  the rotations;  g: the right-hand side of the least-squares problem
struct Hessenberg {
  double *H, *cs, *sn, *g;
  int m;
  SIMT_BOTH double* column(int j) const { return H + static_cast<std::int64_t>(j) * (m + 1); }
};

// basis'w for some columns
template <class V>
struct BasisDots {
  static constexpr int inputs = 0, outputs = columns_at_once, phase = 1;
  const V *basis, *w;
  std::int64_t n;
  int count;
  bool opens;  // the first trip of an iteration

  SIMT_BOTH bool begin(State* at, const double*, bool writer) {
    State& state = *at;
    if (writer && opens) ++state.iteration;
    return state.stopped == never;
  }
  SIMT_BOTH void element(std::int64_t i, double* out) const {
    const double wide = w[i];
    for (int c = 0; c < columns_at_once; ++c)
      if (c < count) out[c] += wide * static_cast<double>(basis[c * n + i]);
  }
};

// w = w - basis h;  w'w.  h is added to what the first orthogonalisation left in H.
template <class V>
struct BasisSubtract {
  static constexpr int inputs = columns_at_once, outputs = 1, phase = 2;
  const V* basis;
  V* w;
  std::int64_t n;
  int count;
  double* h;   // entries of H of these columns
  bool again;  // the second orthogonalisation
  V factor[columns_at_once] = {};

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    for (int c = 0; c < count; ++c) {
      factor[c] = static_cast<V>(in[c]);
      if (writer) h[c] = again ? h[c] + in[c] : in[c];
    }
    return true;
  }
  SIMT_BOTH void element(std::int64_t i, double* out) const {
    V wi = w[i];
    for (int c = 0; c < columns_at_once; ++c)
      if (c < count) wi -= factor[c] * basis[c * n + i];
    w[i] = wi;
    out[0] += static_cast<double>(wi) * static_cast<double>(wi);
  }
};

// h[j+1] = |w|;  the next basis vector w / |w|;  the rotations of column j and the norm of the residual
template <class V>
struct BasisNext {
  static constexpr int inputs = 1, outputs = 0, phase = 3;
  const V* w;
  V* next;
  Hessenberg small;
  int j;
  V scale = 0;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    const double norm = sqrt(in[0]);
    scale = norm > 0 ? static_cast<V>(1 / norm) : V(0);
    if (writer) rotate(state, norm);
    return finite(norm);
  }
  SIMT_BOTH void rotate(State& state, double norm) const {
    double* h = small.column(j);
    double length = norm * norm;
    for (int i = 0; i <= j; ++i) length += h[i] * h[i];
    for (int i = 0; i < j; ++i) {
      const double upper = small.cs[i] * h[i] + small.sn[i] * h[i + 1];
      h[i + 1] = -small.sn[i] * h[i] + small.cs[i] * h[i + 1];
      h[i] = upper;
    }
    const double r = sqrt(h[j] * h[j] + norm * norm);
    const double unit = 4.5 * std::numeric_limits<V>::epsilon() * sqrt(length);  // what rounding leaves of a zero
    const bool singular = !(r > unit);                                           // this column adds nothing
    small.cs[j] = singular ? 1 : h[j] / r;
    small.sn[j] = singular ? 0 : norm / r;
    h[j] = singular ? 0 : r;
    small.g[j + 1] = -small.sn[j] * small.g[j];
    small.g[j] = small.cs[j] * small.g[j];
    const double rr = small.g[j + 1] * small.g[j + 1];
    const bool complete = singular || !(norm > unit);  // the next vector would be rounding alone
    if (!finite(norm) || !finite(r) || !finite(rr)) return state.stop(phase, Stop::not_finite);  // x has no part of it
    state.record(singular ? small.g[j] * small.g[j] : rr);
    if (!singular && rr <= state.small)
      state.stop(phase, Stop::small_residual);
    else if (complete)
      state.stop(phase, Stop::exhausted);
  }
  SIMT_BOTH void element(std::int64_t i, double*) const { next[i] = scale * w[i]; }
};

// x = x + basis y for some columns; a fresh sum when `assigns`
template <class V>
struct BasisUpdate {
  static constexpr int inputs = 0, outputs = 0;
  const V* basis;
  V* x;
  std::int64_t n;
  int count;
  bool assigns;
  V y[columns_at_once] = {};

  SIMT_BOTH bool begin(State*, const double*, bool) { return true; }
  SIMT_BOTH void element(std::int64_t i, double*) const {
    V sum = assigns ? V(0) : x[i];
    for (int c = 0; c < columns_at_once; ++c)
      if (c < count) sum += y[c] * basis[c * n + i];
    x[i] = sum;
  }
};

}  // namespace heddle::solve_method
