// From a workload to seconds:
//
//   seconds = start  +  sqrt( stream^2 + misses^2 + sectors^2 + walk^2 + chain^2 )
//
// Between the maximum of the parts (all overlap) and their sum (none do). On a CPU stream and walk are added where a
// core reads from its own caches (16 cores, 2026-11: products reach 600 of the 1,350 GB/s that mere reading has there).
// On held-out classes of the H200 table of 2026-11, squares predict better than the powers 1.5, 3 and 4.
//
//   start    launches * what one costs on this machine (on a CPU: what calling the threads costs that the work is
//            enough for), and the format's own
//   stream   bytes / what the memory reads where matrix and vectors fit (last cache, or not). On a CPU each core reads
//            its part from its own caches, and all of them not more than was measured of all
//   misses   sectors of x / random reads from an array as large as x; on a CPU what such a read takes beyond one from
//            the first cache
//   sectors  L1 traffic, in sectors / its rate
//   walk     places * time of a place + warps * time of a warp: instructions, spread over all units (on a CPU over the
//            cores that the work is enough for and can be divided among; in times of the core they were fitted on,
//            which Machine::entry_ns compares with this one alone, entry_all_ns with this one while all work)
//   chain    steps of the longest walk * latency of a step: what no width can shorten (imbalance). On a CPU, rows whose
//            end is mispredicted * time of one; part of walk there, and so are sectors (values from a table) and rows
//            whose sums share a line of the cache with those of another core
//
// The factors of a format (Cost) are fitted on measured times by bench/fit_model.py. Everything that belongs to the
// machine comes from Machine. The ancestor is the pass model of paper 5 (pass_model.hpp): its D0 and D1 are `start`,
// its D2 the stream of one column.
#pragma once

#include <limits>
#include <string_view>

#include <heddle/machine.hpp>

#include "cost/workload.hpp"

namespace heddle {

// A field that a line of a table left out; no table with one compiles.
inline constexpr double unset = std::numeric_limits<double>::quiet_NaN();

struct Cost {
  std::string_view key;         // cost_key of the plans it holds for; empty: of no plan, a guess
  double start_us = unset;      // on top of launches; on a CPU of several threads, not of one
  double stream = unset;        // share of the read bandwidth that it reaches
  double miss = unset;          // time per miss, over that of a random read
  double sector = unset;        // time per sector, over that of a random read from the first cache
  double place_f32_ps = unset;  // per place on 132 units (GPU) or one core (CPU)
  double place_f64_ps = unset;
  double team_ns = unset;      // per warp (GPU) or row (CPU), likewise
  double step_ns = unset;      // latency of a step whose data are in the last cache
  double far_step_ns = unset;  // and in memory

  bool fitted() const { return !key.empty(); }
  double place_ps(int value_bytes) const { return value_bytes == 8 ? place_f64_ps : place_f32_ps; }
  // A sum of all fields: no number where one is missing.
  constexpr double check() const {
    return start_us + stream + miss + sector + place_f32_ps + place_f64_ps + team_ns + step_ns + far_step_ns;
  }

  static constexpr double fitted_entry_ns = 0.5;  // Machine::entry_ns of the core that the costs of a CPU are times of
  static constexpr double alone = 0.7;    // of the time of a core among others, one that works alone (16 cores, 2 runs)
  static constexpr double call_us = 0.1;  // a product that calls no thread, without the work
  static constexpr double false_sharing_ns = 2;  // a sum that is written where another core has just written
};

// The format, and its layout where it has several that cost differently: "sell", "weave:blocks".
std::string cost_key(const Plan& plan);
// Of a format without a line a guess, which says that it is not fitted. Null where a plan leaves open which of several
// lines it would be: its layout.
const Cost* cost_of(const Plan& plan, const Target& target);

struct Prediction {
  double start = 0, stream = 0, misses = 0, sectors = 0, walk = 0, chain = 0;
  double seconds = 0;
  const char* bound() const;  // the largest part, in words
};
Prediction predict(const Workload& work, const Cost& cost, const Machine& machine, int value_bytes);

}  // namespace heddle
