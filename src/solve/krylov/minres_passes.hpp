// The trips of an iteration of MINRES (Paige and Saunders 1975), after t = A y and y't. The Lanczos vector is
// v = y / beta with y = M^-1 r2; nothing is normalised in memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "solve/krylov/state.hpp"

namespace heddle::solve_method {

// alfa = v'A v;  t = A v - (beta / old_beta) r1 - (alfa / beta) r2;  y = D t;  t'y
template <class V>
struct MinresVector {
  static constexpr int inputs = 1, outputs = 1, phase = 1;
  V* t;
  const V *r1, *r2, *d;
  V* y;  // written when there is a diagonal preconditioner
  V scale = 0, of_r1 = 0, of_r2 = 0;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    const Memory& m = state.before();
    const double alfa = in[0] / (m.beta * m.beta);
    if (writer) state.alpha = alfa;
    if (writer && !finite(alfa)) state.stop(phase, Stop::not_finite);
    scale = static_cast<V>(1 / m.beta);
    of_r1 = static_cast<V>(m.old_beta == 0 ? 0 : m.beta / m.old_beta);
    of_r2 = static_cast<V>(alfa / m.beta);
    return finite(alfa);
  }
  SIMT_BOTH void element(std::int64_t i, double* out) const {
    const V ti = (of_r1 == V(0) ? scale * t[i] : scale * t[i] - of_r1 * r1[i]) - of_r2 * r2[i];
    t[i] = ti;
    const double wide = ti;
    if (d) y[i] = d[i] * ti;
    out[0] += d ? wide * (static_cast<double>(d[i]) * wide) : wide * wide;
  }
};

// The rotation that makes the tridiagonal matrix triangular, and with it
// w = (v - oldeps w1 - delta w2) / gamma;  x = x + phi w;  res = sn^2 res - phibar cs t / beta (where it is kept)
template <class V>
struct MinresSolution {
  static constexpr int inputs = 1, outputs = 1, phase = 3;
  const V *y, *w2;
  V *w1, *x;   // w overwrites w1
  const V* t;  // only for res
  V* res;      // null: phibar is the norm of the residual
  V of_v = 0, oldeps = 0, delta = 0, phi = 0, keep = 0, of_t = 0;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!state.active(phase)) return false;
    const Memory m = state.before();
    const double bb = in[0], alfa = state.alpha, beta = sqrt(bb > 0 ? bb : 0.0);
    const double wide_delta = m.cs * m.dbar + m.sn * alfa, gbar = m.sn * m.dbar - m.cs * alfa;
    const double gamma = sqrt(gbar * gbar + beta * beta);
    // What rounding leaves of a number that should be zero.
    const double unit = 2.0 * std::numeric_limits<V>::epsilon() * (fabs(alfa) + m.beta + m.old_beta);
    const double cs = gbar / gamma, sn = beta / gamma, wide_phi = cs * m.phibar, phibar = sn * m.phibar;
    const Stop why = !finite(bb)       ? Stop::not_finite
                     : bb < 0          ? Stop::preconditioner
                     : !(gamma > unit) ? Stop::exhausted
                                       : Stop::none;
    if (writer) {
      state.after() = {0, 0, 0, beta, m.beta, -m.cs * beta, m.sn * beta, cs, sn, phibar};
      if (why != Stop::none) {
        state.stop(phase, why);
      } else if (!res) {
        state.record(phibar * phibar);
        if (phibar * phibar <= state.small)
          state.stop(phase, Stop::small_residual);
        else if (beta <= unit)
          state.stop(phase, Stop::exhausted);
      }
    }
    of_v = static_cast<V>(1 / (m.beta * gamma));
    oldeps = static_cast<V>(m.epsln / gamma);
    delta = static_cast<V>(wide_delta / gamma);
    phi = static_cast<V>(wide_phi);
    keep = static_cast<V>(sn * sn);
    of_t = static_cast<V>(beta > 0 ? phibar * cs / beta : 0);
    return why == Stop::none;
  }
  SIMT_BOTH void element(std::int64_t i, double* out) const {
    const V w = of_v * y[i] - oldeps * w1[i] - delta * w2[i];
    w1[i] = w;
    x[i] += phi * w;
    if (!res) return;
    const V next = keep * res[i] - of_t * t[i];
    res[i] = next;
    out[0] += static_cast<double>(next) * static_cast<double>(next);
  }
};

// The end of an iteration whose residual norm is only known as a sum of the trip before.
struct ResidualCheck {
  static constexpr int inputs = 1, outputs = 0, phase = 4;

  SIMT_BOTH bool begin(State* at, const double* in, bool writer) {
    State& state = *at;
    if (!writer || !state.active(phase)) return false;
    if (finite(in[0])) state.record(in[0]);
    if (!finite(in[0]))
      state.stop(phase, Stop::not_finite);
    else if (in[0] <= state.small)
      state.stop(phase, Stop::small_residual);
    return false;
  }
  SIMT_BOTH void element(std::int64_t, double*) const {}
};

}  // namespace heddle::solve_method
