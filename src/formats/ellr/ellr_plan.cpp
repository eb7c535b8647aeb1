// What ellr costs: rows as long as the longest, walked to their own end.
#include <fmt/format.h>

#include <algorithm>

#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"
#include "formats/ellr/ellr_trials.hpp"

namespace heddle {

namespace {

Workload ellr_gpu(const Subject& s, const Plan& plan) {
  const double T = number(plan, "T", 1);
  const double stored = up(s.rows(), 32) * up(s.longest(), T);
  const double walked = std::min(stored, team_slots(s, T));
  return sliced(s, stored * (index_bytes + s.value_bytes) + s.rows() * index_bytes, stored, walked, T, s.longest());
}

// Several lanes a row exist on the GPU only.
std::vector<Plan> ellr_plans(const Structure&, const Target& target) {
  return target.on_gpu ? parse_plans({"ellr", "ellr T=2", "ellr T=4", "ellr T=8"}) : parse_plans({"ellr"});
}
// Rows side by side go on until the longest of 32 has ended, and a little is done for every place behind that.
Workload ellr_cpu(const Subject& s, const Plan& plan) {
  Workload w = on_cpu<ellr_gpu, Walk::places, 1, rows_of_columns>(s, plan);
  w.slots = padding_of(s.facts, 32, 1) * s.nnz() + w.stored / 4;
  return w;
}

// The twelve runs of paper 4.
std::vector<Plan> ellr_trials() {
  std::vector<Plan> plans;
  for (const int block : tried_blocks)
    for (const int T : tried_lanes) plans.push_back(Plan::parse(fmt::format("ellr T={} block={}", T, block)));
  return plans;
}

}  // namespace

extern const Rules ellr_rules{.format = "ellr",
                              .turn = 5,
                              .plans = ellr_plans,
                              .gpu = ellr_gpu,
                              .cpu = ellr_cpu,
                              .suits = row_text,
                              .selector = "ellr_trials",
                              .selected = ellr_trials};

}  // namespace heddle
