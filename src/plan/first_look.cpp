#include "plan/first_look.hpp"

#include <algorithm>

#include "cost/units.hpp"
#include "plan/all_rules.hpp"
#include "plan/predict/building.hpp"
#include "plan/predict/model.hpp"

namespace heddle {

Structure facts_of(const Outline& matrix) {
  Structure facts;
  facts.rows = matrix.rows;
  facts.cols = matrix.cols;
  facts.nnz = matrix.nnz;
  facts.rows_len.max = matrix.longest;
  facts.rows_len.mean = static_cast<double>(matrix.nnz) / static_cast<double>(std::max<std::int64_t>(1, matrix.rows));
  const std::int64_t typical = matrix.nnz / std::max<std::int64_t>(1, matrix.rows);
  facts.rows_len.counts.assign(short_row, 0);
  if (typical < short_row) facts.rows_len.counts[static_cast<std::size_t>(typical)] = matrix.rows;
  constexpr Gather no_order{.rows = 0.5, .entries = 0.5, .window = 0.2};
  facts.gather_f32 = facts.gather_f64 = no_order;
  facts.distinct_capped = true;
  facts.distinct_guess = matrix.nnz;
  return facts;
}

namespace {

double csr_product(const Subject& subject, const Machine& machine) {
  const Workload work = workload(*find_rules("csr"), subject, Plan{});
  return predict(work, *cost_of(Plan{}, subject.target), machine, subject.value_bytes).seconds;
}

// Of what csr takes longer than `least_product`, the part that the chosen plan saves: many matrices have none that is
// so fast (of 0.25 to 1, this does best for 10 to 300 products on recorded times, H200 and 16 cores).
constexpr double reached = 0.7;

// One launch (a CPU may wake no worker), x and y, and half of the bytes of csr.
double least_product(const Subject& subject, const Machine& machine) {
  const double vectors = static_cast<double>(subject.facts.rows + subject.facts.cols) * subject.value_bytes;
  const double launch = machine.kind == Device::Kind::cpu ? 0 : machine.repeat_us * micro;
  return launch + seconds_to_read(vectors + matrix_bytes(subject) / 2, machine);
}

double build_seconds(const Subject& subject, const Plan& plan, const Machine& machine) {
  return predict_build_seconds(subject, plan, workload(*find_rules(plan.format), subject, plan), machine);
}

// What analyzing and choosing take. On a GPU: three launches and the way back, the model, the matrix read once. On a
// CPU samples, loops that call threads (0.3 ms for 245,000 entries on two cores, 0.2 on sixteen), and half of what csr
// takes to be built.
double looking(const Subject& subject, const Machine& machine, double csr_build) {
  constexpr double on_cpu = 0.15e-3, of_csr_build = 0.5, on_gpu = 90e-6;
  return machine.kind == Device::Kind::cpu ? on_cpu + of_csr_build * csr_build
                                           : on_gpu + seconds_to_read(matrix_bytes(subject), machine);
}

// What such rows are likely to be stored by; csr, if no rules say.
Plan likely_plan(const Subject& subject) {
  constexpr double times_mean = 8, entries_more = 64;
  const bool uneven = subject.longest() > times_mean * subject.facts.rows_len.mean + entries_more;
  for (const Rules* rules : all_rules())
    if (rules->likely != nullptr) return Plan::parse(rules->likely(subject.target, uneven));
  return {};
}

// That, and what building another format takes beyond building csr.
double price_of_choice(const Subject& subject, const Machine& machine) {
  const double csr = build_seconds(subject, Plan{}, machine),
               beyond = build_seconds(subject, likely_plan(subject), machine) - csr;
  return looking(subject, machine, csr) + std::max(0.0, beyond);
}

}  // namespace

bool worth_analyzing(const Outline& matrix, const Machine& machine, double products) {
  if (products <= 0) return true;  // often: the product alone counts
  if (matrix.nnz == 0) return false;
  const Structure facts = facts_of(matrix);
  const Subject subject{facts, matrix.value_bytes, target_of(machine)};
  const double gain = csr_product(subject, machine) - least_product(subject, machine);
  return products * reached * gain > price_of_choice(subject, machine);
}

}  // namespace heddle
