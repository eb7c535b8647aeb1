// The two trips of an iteration of conjugate gradients, after q = A p and p'q: 3 + 5 vectors are read or written
// (one more each with a diagonal preconditioner), and x waits for the second trip because p is read there anyway.
#pragma once

#include <cstdint>

#include "solve/krylov/state.hpp"

namespace heddle::solve_method {

// alpha = rho / p'q;  r = r - alpha q;  r'r, r'D r
template <class V>
struct CgResidual {
  static constexpr int inputs = 1, outputs = 2, phase = 1;
  const V* q;
  V* r;
  const V* d;  // null: no diagonal preconditioner
  V alpha = 0;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    const double pq = in[0], step = state.before().rho / pq;
    const Stop why = !finite(pq) ? Stop::not_finite : !(pq > 0) ? Stop::curvature : Stop::none;
    alpha = static_cast<V>(step);
    if (writer && why != Stop::none) state.stop(phase, why);
    if (writer) state.alpha = step;
    return why == Stop::none;
  }
  SIMT_BOTH void element(std::int64_t i, double* out) const {
    const V ri = r[i] - alpha * q[i];
    r[i] = ri;
    const double wide = ri;
    out[0] += wide * wide;
    if (d) out[1] += wide * (static_cast<double>(d[i]) * wide);
  }
};

// x = x + alpha p;  beta = r'z / rho;  p = z + beta p,  where z is r, D r, or a vector of its own
template <class V>
struct CgDirection {
  static constexpr int inputs = 2, outputs = 0, phase = 3;
  V *p, *x;
  const V *r, *d, *z;
  V alpha = 0, beta = 0;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    const double rr = in[0], rz = d || z ? in[1] : rr;
    const bool sound = finite(rr) && finite(rz) && finite(state.alpha);
    alpha = static_cast<V>(state.alpha);
    beta = static_cast<V>(rz / state.before().rho);
    if (writer) {
      state.after().rho = rz;
      if (sound) state.record(rr);
      if (!sound)
        state.stop(phase, Stop::not_finite);
      else if (rr <= state.small)
        state.stop(phase, Stop::small_residual);
      else if (!(rz > 0))
        state.stop(phase, Stop::preconditioner);
    }
    return sound;
  }
  SIMT_BOTH void element(std::int64_t i, double*) const {
    const V pi = p[i];
    x[i] += alpha * pi;
    p[i] = (z ? z[i] : d ? d[i] * r[i] : r[i]) + beta * pi;
  }
};

}  // namespace heddle::solve_method
