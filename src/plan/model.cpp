#include "plan/model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace heddle {

namespace {

double norm(std::initializer_list<double> parts) {
  double squares = 0;
  for (const double part : parts) squares += part * part;
  return std::sqrt(squares);
}

// Cores that have something to do: a small matrix is the work of one.
double busy_units(const Workload& w, const Machine& machine) {
  const double units = std::max(1, machine.units);
  return machine.kind == Device::Kind::cpu ? std::clamp(w.tasks, 1.0, units) : units;
}

// What a part takes longer than on the units the costs were fitted on.
double unit_share(const Workload& w, const Machine& machine) {
  const double fitted = machine.kind == Device::Kind::cpu ? 2 : 132;
  return fitted / busy_units(w, machine);
}

// An array that the first cache holds is never gathered from further away.
double miss_seconds(const Workload& w, const Machine& machine) {
  constexpr double beyond_first_cache = 1 << 20;
  return w.misses / rate_at(machine.gather, std::max(w.x_bytes, beyond_first_cache)) * 1e-9;
}

}  // namespace

const char* Prediction::bound() const {
  const std::pair<double, const char*> parts[] = {{start, "starting the work"},
                                                  {stream, "reading the matrix"},
                                                  {misses, "reading x from far away"},
                                                  {sectors, "reads through the first cache"},
                                                  {walk, "instructions"},
                                                  {chain, "the longest row"}};
  return std::max_element(std::begin(parts), std::end(parts),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

Prediction predict(const Workload& w, const Cost& cost, const Machine& machine, int value_bytes) {
  const double share = unit_share(w, machine), footprint = w.stream_bytes;
  const double idle = std::max(1, machine.units) / busy_units(w, machine);
  const bool near = footprint <= 0.8 * static_cast<double>(machine.cache_bytes);
  Prediction t;
  t.start = (w.launches * machine.repeat_us + cost.start_us) * 1e-6;
  t.stream = w.stream_bytes / rate_at(machine.read, footprint) * 1e-9 / cost.stream * idle;
  // What the cache does not hold comes from memory, whoever asks for it.
  const bool far_x = machine.kind != Device::Kind::cpu && w.x_bytes > static_cast<double>(machine.cache_bytes) / 3;
  t.misses = miss_seconds(w, machine) * (far_x ? std::min(cost.miss, 1.0) : cost.miss) * idle;
  t.sectors = w.sectors / rate_at(machine.gather, 0) * 1e-9 * cost.sector;
  t.walk = (w.slots * cost.place_ps[value_bytes == 8] * 1e-12 + w.teams * cost.team_ns * 1e-9) * share;
  t.chain = w.chain * (near ? cost.step_ns : cost.far_step_ns) * 1e-9;
  if (machine.kind == Device::Kind::cpu) {  // surprises of rows: instructions like others
    t.walk += t.chain * share;
    t.chain = 0;
  }
  t.seconds = t.start + norm({t.stream, t.misses, t.sectors, t.walk, t.chain});
  return t;
}

}  // namespace heddle
