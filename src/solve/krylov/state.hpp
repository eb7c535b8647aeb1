// What a solve knows, in the memory of its device: kernels read and write it, so that iterations follow each other
// without the host. The host reads it from time to time.
//
// A pass (solve/krylov/vectors.hpp) runs on many blocks at once, and only one of them writes the state. Hence the rule
// that keeps it free of races: no pass reads a field that it writes. Fields that are read and written by the same pass
// exist twice, for even and odd iterations; `stopped` is a time, not a flag, and a pass only asks whether it lies in
// the past.
#pragma once

#include <cstdint>

#include "simt/annotations.hpp"

namespace heddle::solve_method {

enum class Stop : int {
  none,
  small_residual,
  curvature,       // p'A p <= 0
  preconditioner,  // r'M^-1 r <= 0
  breakdown,       // a divisor is zero
  exhausted,       // the Krylov space is complete and the residual still too large
  not_finite
};

inline constexpr int history_size = 64;  // most iterations between two looks of the host
inline constexpr int phases = 16;        // most passes of an iteration
inline constexpr std::int64_t never = INT64_MAX;

struct Memory {  // what one iteration leaves to the next
  double rho = 0, alpha = 0, omega = 0;
  double beta = 0, old_beta = 0, dbar = 0, epsln = 0, cs = -1, sn = 0, phibar = 0;  // minres
};

struct State {
  std::int64_t iteration = 0;    // the running one, counted from 1; advanced by its first pass, also after the stop
  std::int64_t recorded = 0;     // the last one whose residual is in the history
  std::int64_t stopped = never;  // time of the pass that found the reason
  Stop reason = Stop::none;
  double small = 0;             // the squared norm of a residual that is small enough
  double alpha = 0, omega = 0;  // handed from one pass of an iteration to a later one
  double ss = 0;
  Memory memory[2];
  double history[history_size];  // squared residual norms; iteration k is at k % history_size

  SIMT_BOTH std::int64_t time(int phase) const { return iteration * phases + phase; }
  SIMT_BOTH bool active(int phase) const { return stopped >= time(phase); }
  SIMT_BOTH const Memory& before() const { return memory[iteration & 1]; }
  SIMT_BOTH Memory& after() { return memory[(iteration + 1) & 1]; }
  SIMT_BOTH void record(double squared_norm) {
    history[iteration % history_size] = squared_norm;
    recorded = iteration;
  }
  SIMT_BOTH void stop(int phase, Stop why) {
    stopped = time(phase);
    reason = why;
  }
};

SIMT_BOTH bool finite(double v) { return v - v == 0; }

}  // namespace heddle::solve_method
