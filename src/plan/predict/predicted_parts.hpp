// A prediction with all that it rests on, by name: for people, and for scripts that fit costs to measured times. What
// is named here is written nowhere else: not in the command, not in the benchmarks.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "plan/predict/building.hpp"
#include "plan/predict/model.hpp"

namespace heddle {

// f("bytes", work.bytes) and so on, for all numbers of a product.
template <class F>
void each_field(Workload& w, F f) {
  f("bytes", w.bytes);
  f("stored", w.stored);
  f("stream_bytes", w.stream_bytes);
  f("x_bytes", w.x_bytes);
  f("misses", w.misses);
  f("swept_bytes", w.swept_bytes);
  f("swept_misses", w.swept_misses);
  f("sectors", w.sectors);
  f("slots", w.slots);
  f("teams", w.teams);
  f("chain", w.chain);
  f("tasks", w.tasks);
  f("pieces", w.pieces);
  f("foreign", w.false_sharing);
  f("foreign_window", w.sharing_window);
  f("beside", w.beside);
  f("launches", w.launches);
  f("alone", w.alone);
  f("partials", w.partials);
  f("gathered", w.gathered);
  f("listed", w.listed);
}
template <class F>
void each_field(Cost& c, F f) {
  f("start_us", c.start_us);
  f("stream", c.stream);
  f("miss", c.miss);
  f("sector", c.sector);
  f("place_f32_ps", c.place_f32_ps);
  f("place_f64_ps", c.place_f64_ps);
  f("team_ns", c.team_ns);
  f("step_ns", c.step_ns);
  f("far_step_ns", c.far_step_ns);
}

using Named = std::vector<std::pair<std::string_view, double>>;
Named named(const Workload& work);
Named named(const Cost& cost);
Named named(const Prediction& product);  // seconds of the parts, `seconds` of all
Named named(const BuildParts& parts);
Named named(const BuildCost& cost);

struct PredictedParts {
  Plan plan;  // as it was given, with a layout where it had left that open
  Workload work;
  Cost cost;
  Prediction product;
  BuildParts building;
  BuildCost build_cost;
  double build_seconds = 0;
};

// Error(usage) where there is no such format or setting.
template <class V>
PredictedParts predicted_parts(const Csr<V>& A, const Structure& facts, const Machine& machine, const Plan& plan);

}  // namespace heddle
