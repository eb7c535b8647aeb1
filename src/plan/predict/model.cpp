#include "plan/predict/model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "cost/units.hpp"
#include "simt/large_gpu.hpp"

namespace heddle {

namespace {

constexpr double cached_share = 0.8;  // of the last cache: as much as a product finds there again
constexpr double far_part = 3;        // x is far away where it is more than such a part of the last cache

double norm(std::initializer_list<double> parts) {
  double squares = 0;
  for (const double part : parts) squares += part * part;
  return std::sqrt(squares);
}

// An array that the first cache holds is never gathered from further away.
double miss_seconds(const Workload& w, const Machine& machine) {
  constexpr double beyond_first_cache = 1 << 20;
  return w.misses / rate_at(machine.gather, std::max(w.x_bytes, beyond_first_cache)) * nano;
}

// Cores that work at the same time, on average: in the last round of a few large pieces some have none.
double busy_cores(const Workload& w, double units) {
  const double in_rounds = w.pieces > 0 ? w.pieces / std::ceil(w.pieces / units) : units;
  return std::clamp(std::min(w.tasks, in_rounds), 1.0, units);
}

// Calling `busy` threads. A small matrix calls none.
double wake_seconds(const Machine& machine, double busy) {
  if (busy <= 1) return 0;
  const double share = std::clamp((busy - 2) / std::max(1, machine.units - 2), 0.0, 1.0);
  return (machine.wake_us + share * (machine.wake_all_us - machine.wake_us)) * micro;
}

// Costs are those of cores that work together, and wait for the last of them.
double company(double busy) { return Cost::alone + (1 - Cost::alone) * std::min(busy - 1, 1.0); }

// An entry of a core while so many work: all together are slower than one, where two share what a core has.
double entry_ns(const Machine& machine, double busy) {
  if (machine.entry_ns <= 0) return Cost::fitted_entry_ns;
  const double share = (busy - 1) / std::max(1, machine.units - 1);
  return machine.entry_ns + share * std::max(0.0, machine.entry_all_ns - machine.entry_ns);
}

// Bytes that `busy` cores read: each its part from its own caches, all of them not more than the memory delivers at
// this footprint. What was measured of all with less than `part` for each is how soon they start.
double cpu_read_rate(const Machine& machine, double bytes, double busy) {
  constexpr double part = 128 << 10;
  if (machine.core_read.empty()) return rate_at(machine.read, bytes);
  const double alone = busy * rate_at(machine.core_read, bytes / busy) * entry_ns(machine, 1) / entry_ns(machine, busy);
  return bytes < part * machine.units ? alone : std::min(alone, rate_at(machine.read, bytes));
}

// How much of its part a core has in its own caches, by how fast it reads so much: 1 all, 0 nothing.
double in_own_caches(const Machine& machine, double bytes) {
  constexpr double beyond = 16 << 20;
  if (machine.core_read.empty()) return 0;
  const double near = rate_at(machine.core_read, 0), far = rate_at(machine.core_read, beyond);
  return near > far ? std::clamp((rate_at(machine.core_read, bytes) - far) / (near - far), 0.0, 1.0) : 0;
}

// What a random read takes beyond one from the first cache, whose time is in the places: parts of a time add like the
// sides of a right angle, in the measured time too.
double beyond_first_cache(const Machine& machine, double bytes) {
  const double whole = 1 / rate_at(machine.gather, bytes), first = 1 / rate_at(machine.gather, 0);
  return std::sqrt(std::max(0.0, whole * whole - first * first)) * nano;
}

// Rows whose sums other cores hold. Where rows are in order inside of windows, those of windows that cores share: where
// there are fewer windows than cores each row is waited for by the more of them (sixteen cores, windows of 1,024 rows
// against 64: 1.2 to 2.8 us more on matrices of 2,000 to 5,000 rows of unequal length).
double rows_of_false_sharing(const Workload& w, double busy) {
  if (w.sharing_window > 0) return w.sharing_window * (busy - 1);
  return w.false_sharing * (1 - 1 / busy);
}

// Misses, as far as the first cache of a core holds what rows side by side are reading of x. Threads that share a core
// share it.
double cpu_misses(const Workload& w, const Machine& machine, double busy) {
  constexpr double first_cache = 48 << 10;
  if (w.swept_bytes <= 0) return w.misses;
  const double held = std::min(1.0, first_cache * entry_ns(machine, 1) / entry_ns(machine, busy) / w.swept_bytes);
  return w.misses + held * held * (std::min(w.swept_misses, w.misses) - w.misses);
}

Prediction predict_on_cpu(const Workload& w, const Cost& cost, const Machine& machine, int value_bytes) {
  const double units = std::max(1, machine.units), busy = busy_cores(w, units), idle = units / busy;
  const double slow = entry_ns(machine, busy) / Cost::fitted_entry_ns * company(busy);
  const bool near = w.stream_bytes <= cached_share * static_cast<double>(machine.cache_bytes);
  const double table = w.sectors / rate_at(machine.gather, 0) * nano * idle * cost.sector;
  Prediction t;
  t.start = busy > 1 ? w.launches * wake_seconds(machine, busy) + cost.start_us * micro : Cost::call_us * micro;
  t.stream = w.stream_bytes / cpu_read_rate(machine, w.stream_bytes, busy) * nano / cost.stream;
  t.misses = cpu_misses(w, machine, busy) * beyond_first_cache(machine, w.x_bytes) * idle * cost.miss;
  t.walk = w.slots * cost.place_ps(value_bytes) * pico + w.teams * cost.team_ns * nano +
           w.chain * (near ? cost.step_ns : cost.far_step_ns) * nano +
           rows_of_false_sharing(w, busy) * Cost::false_sharing_ns * nano;
  t.walk = t.walk * slow / busy + table;
  // What comes from far away comes while a core works; its own caches serve loads that the work itself waits for.
  const double own = in_own_caches(machine, w.stream_bytes / busy);
  const double both = own * (t.stream + t.walk) + (1 - own) * norm({t.stream, t.walk});
  t.seconds = t.start + norm({t.misses, both});
  return t;
}

}  // namespace

const char* Prediction::bound() const {
  const std::pair<double, const char*> parts[] = {{start, "starting the work"},
                                                  {stream, "reading the matrix"},
                                                  {misses, "reading x from far away"},
                                                  {sectors, "reads through the L1 cache"},
                                                  {walk, "instructions"},
                                                  {chain, "the longest row"}};
  return std::max_element(std::begin(parts), std::end(parts),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

Prediction predict(const Workload& w, const Cost& cost, const Machine& machine, int value_bytes) {
  if (machine.kind == Device::Kind::cpu) return predict_on_cpu(w, cost, machine, value_bytes);
  const double share = double{large_gpu_units} / std::max(1, machine.units), footprint = w.stream_bytes;
  const bool near = footprint <= cached_share * static_cast<double>(machine.cache_bytes);
  Prediction t;
  t.start = (w.launches * machine.repeat_us + cost.start_us) * micro;
  t.stream = w.stream_bytes / rate_at(machine.read, footprint) * nano / cost.stream;
  // What the cache does not hold comes from memory, for every core.
  const bool far_x = w.x_bytes > static_cast<double>(machine.cache_bytes) / far_part;
  t.misses = miss_seconds(w, machine) * (far_x ? 1.0 : cost.miss);
  t.sectors = w.sectors / rate_at(machine.gather, 0) * nano * cost.sector;
  t.walk = (w.slots * cost.place_ps(value_bytes) * pico + w.teams * cost.team_ns * nano) * share;
  t.chain = w.chain * (near ? cost.step_ns : cost.far_step_ns) * nano;
  t.seconds = t.start + norm({t.stream, t.misses, t.sectors, t.walk, t.chain});
  return t;
}

}  // namespace heddle
