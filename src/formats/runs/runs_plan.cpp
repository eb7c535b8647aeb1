// What runs costs: 16 rows at a time, by the steps that were counted.
#include <algorithm>
#include <cmath>

#include "core/thread_share.hpp"
#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"
#include "formats/runs/runs_step_counts.hpp"

namespace heddle {

namespace {

// Where the steps were not counted, as if every entry were gathered.
StepCounts steps_of(const Subject& s) {
  return s.steps ? *s.steps : StepCounts{0, padding_of(s.facts, 32, 1), 1, 0, 0};
}

Workload runs_gpu(const Subject& s, const Plan&) {
  const StepCounts steps = steps_of(s);
  const double in_runs = s.nnz() * steps.runs, gathered_places = s.nnz() * steps.gathered;
  const double aside = s.nnz() * steps.aside, places = in_runs + gathered_places + aside;
  const double in_columns = gathered_places + s.nnz() * (steps.aside - 0.96 * steps.dense);  // the rest: masks
  const double bytes = places * s.value_bytes + (in_runs + gathered_places) * 0.125 + in_runs / 16 * index_bytes +
                       in_columns * index_bytes + s.rows() * 2.5;
  Workload w = sliced(s, bytes, places, places, 1, s.longest());
  w.misses *= std::max(0.0, steps.gathered_entries - steps.dense);
  w.gathered = gathered_places;
  return w;
}

// A run of 16 is one or two loads; a gathered step takes about two and a half times as long, and more where elements
// are loaded one by one, floats above all.
double gathered_step(const GathersPay& gathers, int value_bytes) {
  if (gathers.of_8) return 2.5;
  if (value_bytes == 8) return 4.5;
  return gathers.of_16 ? 4 : 5;
}

Workload runs_cpu(const Subject& s, const Plan& plan) {
  const GathersPay& gathers = s.target.gathers;
  const double gather = gathered_step(gathers, s.value_bytes);
  const double along_a_row = gathers.of_8 ? 2 : 1.6;  // an entry of a row aside, in places of a gathered step
  const double dense = s.value_bytes == 8 ? 3 : 2;    // one without a column, in places of a run
  constexpr double part = 4096;                       // what of a row one thread does
  const StepCounts steps = steps_of(s);
  Workload w = as_on_cpu(s, runs_gpu(s, plan), Walk::places, 1, 16);
  w.slots = s.nnz() *
            (steps.runs + gather * (steps.gathered + along_a_row * (steps.aside - steps.dense)) + dense * steps.dense);
  // A slice is one thread's, and so is a part of a row aside, which is no more work than it has entries.
  const double work =
      work_of_place(steps.gathered / std::max(1e-9, steps.runs + steps.gathered), thread_share(s.target));
  const double heaviest = steps.aside > 0 ? std::min(part, s.longest()) : 16 * s.longest();
  w.tasks = shared_by(s, work * (w.stored + s.rows()), work * heaviest);
  w.pieces = std::max(w.pieces, std::ceil(s.nnz() * steps.aside / part));
  w.chain = mispredicted_row_ends(s.facts.rows_len, s.facts.rows) / 16;  // slices with other numbers of steps
  return w;
}

// Kernels for it are there where instructions leave lanes out.
std::vector<Plan> runs_plans(const Structure&, const Target& target) {
  return target.on_gpu || target.isa != Isa::avx512 ? parse_plans({}) : parse_plans({"runs"});
}

}  // namespace

extern const Rules runs_rules{.format = "runs",
                              .turn = 15,
                              .plans = runs_plans,
                              .gpu = runs_gpu,
                              .cpu = runs_cpu,
                              .suits =
                                  [](const Structure& facts, const Plan& plan) {
                                    return row_text(facts, plan) +
                                           ": 16 rows at a time, on common diagonals or gathered";
                                  },
                              .count =
                                  [](const PatternView& A, const Subject& s) {
                                    return count_steps(A, s.facts.rows_len.max, s.value_bytes, s.target.loads_singly());
                                  },
                              .steady = true};

}  // namespace heddle
