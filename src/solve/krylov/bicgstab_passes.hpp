// The trips of an iteration of BiCGSTAB (van der Vorst 1992), after v = A M^-1 p and r0'v. The vector s takes the place
// of r, and becomes r again in the second half.
#pragma once

#include <cstdint>

#include "solve/krylov/state.hpp"

namespace heddle::solve_method {

// alpha = rho / r0'v;  s = r - alpha v;  s's
template <class V>
struct BicgstabHalf {
  static constexpr int inputs = 1, outputs = 1, phase = 1;
  const V* v;
  V* r;
  const V* d;
  V* hat;  // D s, where d is given
  V alpha = 0;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    const double step = state.before().rho / in[0];
    const Stop why = !finite(in[0]) ? Stop::not_finite : in[0] == 0 || !finite(step) ? Stop::breakdown : Stop::none;
    alpha = static_cast<V>(step);
    if (writer) state.alpha = step;
    if (writer && why != Stop::none) state.stop(phase, why);
    return why == Stop::none;
  }
  SIMT_BOTH void element(std::int64_t i, double* out) const {
    const V s = r[i] - alpha * v[i];
    r[i] = s;
    if (d) hat[i] = d[i] * s;
    out[0] += static_cast<double>(s) * static_cast<double>(s);
  }
};

// t's, t't with t = A M^-1 s
template <class V>
struct BicgstabDots {
  static constexpr int inputs = 1, outputs = 2, phase = 3;
  const V *t, *s;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    if (writer) state.ss = in[0];
    return true;
  }
  SIMT_BOTH void element(std::int64_t i, double* out) const {
    const double wide = t[i];
    out[0] += wide * static_cast<double>(s[i]);
    out[1] += wide * wide;
  }
};

// omega = t's / t't;  x = x + alpha M^-1 p + omega M^-1 s;  r = s - omega t;  r'r, r0'r.
// A small s ends the iteration with omega = 0.
template <class V>
struct BicgstabWhole {
  static constexpr int inputs = 2, outputs = 2, phase = 4;
  const V *t, *p_hat, *s_hat, *r0;
  V *r, *x;
  V alpha = 0, omega = 0;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    const double ts = in[0], tt = in[1];
    const bool done = state.ss <= state.small;
    const double step = done ? 0 : ts / tt;
    alpha = static_cast<V>(state.alpha);
    omega = static_cast<V>(step);
    const Stop why = !finite(state.ss) || (!done && !(finite(ts) && finite(tt))) ? Stop::not_finite : Stop::none;
    if (writer) {
      // t = 0 or t orthogonal to s: the half step still counts, then there is no way on.
      state.omega = !done && tt == 0 ? 0 : step;
      if (why != Stop::none) state.stop(phase, why);
    }
    if (!done && tt == 0) omega = 0;
    return why == Stop::none;
  }
  SIMT_BOTH void element(std::int64_t i, double* out) const {
    const V ri = omega == V(0) ? r[i] : r[i] - omega * t[i];
    x[i] += omega == V(0) ? alpha * p_hat[i] : alpha * p_hat[i] + omega * s_hat[i];
    r[i] = ri;
    const double wide = ri;
    out[0] += wide * wide;
    out[1] += wide * static_cast<double>(r0[i]);
  }
};

// beta = (r0'r / rho) (alpha / omega);  p = r + beta (p - omega v)
template <class V>
struct BicgstabDirection {
  static constexpr int inputs = 2, outputs = 0, phase = 5;
  const V *r, *v, *d;
  V *p, *hat;  // hat = D p, where d is given
  V beta = 0, omega = 0;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    const double rr = in[0], rho = in[1];
    const double factor = (rho / state.before().rho) * (state.alpha / state.omega);
    const Stop why = !finite(rr) || !finite(rho)                       ? Stop::not_finite
                     : rr <= state.small                               ? Stop::small_residual
                     : state.omega == 0 || rho == 0 || !finite(factor) ? Stop::breakdown
                                                                       : Stop::none;
    beta = static_cast<V>(factor);
    omega = static_cast<V>(state.omega);
    if (writer) {
      if (why != Stop::not_finite) state.record(rr);
      state.after().rho = rho;
      if (why != Stop::none) state.stop(phase, why);
    }
    return why == Stop::none;
  }
  SIMT_BOTH void element(std::int64_t i, double*) const {
    const V pi = r[i] + beta * (p[i] - omega * v[i]);
    p[i] = pi;
    if (d) hat[i] = d[i] * pi;
  }
};

}  // namespace heddle::solve_method
