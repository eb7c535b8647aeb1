// predict: the time of one plan, and the same with everything it rests on.
#include <limits>

#include <heddle/choose.hpp>

#include "core/memory_errors.hpp"
#include "formats/format.hpp"
#include "plan/all_rules.hpp"
#include "plan/predict/predicted_parts.hpp"
#include "plan/subject_of.hpp"

namespace heddle {

namespace {

template <class V>
std::optional<StepCounts> steps_of_plan(const Csr<V>& A, const Structure& facts, const Machine& machine,
                                        const Plan& plan) {
  const Rules* rules = find_rules(plan.format);
  return rules != nullptr ? steps_for(A, facts, machine, *rules) : std::nullopt;
}

double predicted_product(const Subject& subject, const Machine& machine, const Plan& plan) {
  const Rules* rules = find_rules(plan.format);
  const Cost* cost = cost_of(plan, subject.target);
  if (!rules || !cost) return std::numeric_limits<double>::quiet_NaN();
  return predict(workload(*rules, subject, plan), *cost, machine, subject.value_bytes).seconds;
}

PredictedParts parts_of(const Subject& subject, const Machine& machine, const Plan& plan) {
  PredictedParts made{.plan = plan,
                      .work = workload(*find_rules(plan.format), subject, plan),
                      .cost = *cost_of(plan, subject.target),
                      .product = {},
                      .building = {},
                      .build_cost = build_cost(plan, subject.target.on_gpu)};
  made.product = predict(made.work, made.cost, machine, subject.value_bytes);
  made.building = build_parts(subject, plan, made.work, machine);
  made.build_seconds = predict_build_seconds(subject, plan, made.work, machine);
  return made;
}

}  // namespace

double predict(const Structure& facts, const Machine& machine, const Plan& plan, int value_bytes) {
  return with_memory_errors([&] { return predicted_product({facts, value_bytes, target_of(machine)}, machine, plan); });
}

template <class V>
double predict(const Csr<V>& A, const Structure& facts, const Machine& machine, const Plan& plan) {
  return with_memory_errors([&] {
    check_facts(A, facts);
    const auto steps = steps_of_plan(A, facts, machine, plan);
    return predicted_product(subject_of(A, facts, machine, steps), machine, plan);
  });
}

template <class V>
PredictedParts predicted_parts(const Csr<V>& A, const Structure& facts, const Machine& machine, const Plan& plan) {
  return with_memory_errors([&] {
    check_facts(A, facts);
    const auto steps = steps_of_plan(A, facts, machine, plan);
    const Subject subject = subject_of(A, facts, machine, steps);
    const Plan resolved = registered_format(plan.format).resolve(plan, A.view(), sizeof(V));
    return parts_of(subject, machine, cost_of(plan, subject.target) ? plan : resolved);
  });
}

namespace {

template <class T>
Named named_fields(T fields) {
  Named all;
  each_field(fields, [&](const char* name, auto& number) { all.emplace_back(name, static_cast<double>(number)); });
  return all;
}

}  // namespace

Named named(const Workload& work) { return named_fields(work); }
Named named(const Cost& cost) { return named_fields(cost); }

Named named(const Prediction& p) {
  return {{"start", p.start}, {"stream", p.stream}, {"misses", p.misses},  {"sectors", p.sectors},
          {"walk", p.walk},   {"chain", p.chain},   {"seconds", p.seconds}};
}

Named named(const BuildParts& p) {
  return {{"once", p.once},
          {"wide", p.wide},
          {"table", p.table},
          {"doubles", p.doubles},
          {"entries", p.entries},
          {"table_entries", p.table_entries},
          {"rows", p.rows},
          {"gaps", p.gaps},
          {"alone", p.alone},
          {"partials", p.partials},
          {"long_rows", p.long_rows},
          {"some_long", p.some_long},
          {"one_thread", p.one_thread},
          {"sorted_rows", p.sorted_rows},
          {"gathered", p.gathered},
          {"listed", p.listed},
          {"looked_at", p.looked_at},
          {"new_bytes", p.new_bytes},
          {"memory", p.memory}};
}

Named named(const BuildCost& c) {
  return {{"once_us", c.once_us},
          {"wide_us", c.wide_us},
          {"table_us", c.table_us},
          {"doubles_us", c.doubles_us},
          {"entry_ns", c.entry_ns},
          {"table_entry_ns", c.table_entry_ns},
          {"row_ns", c.row_ns},
          {"gap_ns", c.gap_ns},
          {"alone_ns", c.alone_ns},
          {"partial_ns", c.partial_ns},
          {"long_row_ns", c.long_row_ns},
          {"some_long_us", c.some_long_us},
          {"one_thread_ns", c.one_thread_ns},
          {"sorted_row_ns", c.sorted_row_ns},
          {"gathered_ns", c.gathered_ns},
          {"listed_ns", c.listed_ns},
          {"looked_at_us", c.looked_at_us},
          {"new_byte_ns", c.new_byte_ns},
          {"memory", c.memory}};
}

template double predict(const Csr<float>&, const Structure&, const Machine&, const Plan&);
template double predict(const Csr<double>&, const Structure&, const Machine&, const Plan&);
template PredictedParts predicted_parts(const Csr<float>&, const Structure&, const Machine&, const Plan&);
template PredictedParts predicted_parts(const Csr<double>&, const Structure&, const Machine&, const Plan&);

}  // namespace heddle
