// Trips that every method shares, and those of the preconditioners.
#pragma once

#include <cmath>
#include <cstdint>

#include "solve/krylov/state.hpp"

namespace heddle::solve_method {

// a'b. As the first trip of an iteration (`opens`) it advances the iteration.
template <class V>
struct Dot {
  static constexpr int inputs = 0, outputs = 1;
  const V *a, *b;
  enum Use { alone, opens, inside } use = alone;
  int phase = 0;  // inside an iteration

  SIMT_BOTH bool begin(State* at, const double*, bool writer) {
    if (use == alone) return true;
    State& state = *at;
    if (use == inside) return state.active(phase);
    if (writer) ++state.iteration;  // also after the stop, which so lies in the past of the trips that follow
    return state.stopped == never;
  }
  SIMT_BOTH void element(std::int64_t i, double* out) const {
    out[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
};

// y = alpha x + beta y; a factor 0 does not read its vector.
template <class V>
struct Combine {
  static constexpr int inputs = 0, outputs = 0;
  V alpha;
  const V* x;
  V beta;
  V* y;

  SIMT_BOTH bool begin(State*, const double*, bool) { return true; }
  SIMT_BOTH void element(std::int64_t i, double*) const {
    const V old = beta == V(0) ? V(0) : beta * y[i];
    y[i] = alpha == V(0) ? old : alpha * x[i] + old;
  }
};

// z = D r
template <class V>
struct ScaledRows {
  static constexpr int inputs = 0, outputs = 0;
  const V *d, *r;
  V* z;

  SIMT_BOTH bool begin(State*, const double*, bool) { return true; }
  SIMT_BOTH void element(std::int64_t i, double*) const { z[i] = d[i] * r[i]; }
};

// z = B r with dense blocks on the diagonal: entry (i, first column of its block + j) is inverse[j n + i].
template <class V>
struct BlockRows {
  static constexpr int inputs = 0, outputs = 0;
  const V *inverse, *r;
  V* z;
  std::int64_t n;
  int size;

  SIMT_BOTH bool begin(State*, const double*, bool) { return true; }
  SIMT_BOTH void element(std::int64_t i, double*) const {
    const std::int64_t first = i / size * size;
    const std::int64_t here = first + size < n ? size : n - first;
    V sum = 0;
    for (std::int64_t j = 0; j < here; ++j) sum += inverse[j * n + i] * r[first + j];
    z[i] = sum;
  }
};

// step = a D (r - Az) + b step;  z = z + step. The first step has neither Az nor an old step nor an old z.
template <class V>
struct ChebyshevStep {
  static constexpr int inputs = 0, outputs = 0;
  V a, b;
  const V *d, *r, *Az;
  V *step, *z;

  SIMT_BOTH bool begin(State*, const double*, bool) { return true; }
  SIMT_BOTH void element(std::int64_t i, double*) const {
    const bool first = Az == nullptr;
    const V next = a * d[i] * (first ? r[i] : r[i] - Az[i]) + (first ? V(0) : b * step[i]);
    step[i] = next;
    z[i] = first ? next : z[i] + next;
  }
};

// A vector in double, of which the pass before has found the squared length, scaled to length 1 and stored in float;
// and the way back. Lengths that cannot be divided by leave it as it is.
struct UnitLength {
  SIMT_BOTH static double of(double squared) {
    const double length = std::sqrt(squared);
    return squared > 0 && finite(squared) && finite(1 / length) ? length : 1;
  }
};
struct ToFloat {
  static constexpr int inputs = 1, outputs = 0;
  const double* from;
  float* to;
  double scale = 1;

  SIMT_BOTH bool begin(State*, const double* in, bool) {
    scale = 1 / UnitLength::of(in[0]);
    return true;
  }
  SIMT_BOTH void element(std::int64_t i, double*) const { to[i] = static_cast<float>(from[i] * scale); }
};
struct FromFloat {
  static constexpr int inputs = 1, outputs = 0;
  const float* from;
  double* to;
  double scale = 1;

  SIMT_BOTH bool begin(State*, const double* in, bool) {
    scale = UnitLength::of(in[0]);
    return true;
  }
  SIMT_BOTH void element(std::int64_t i, double*) const { to[i] = scale * static_cast<double>(from[i]); }
};

}  // namespace heddle::solve_method
