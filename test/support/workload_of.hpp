// What the planner counts for a generated matrix.
#pragma once

#include <heddle/analyze.hpp>
#include <heddle/generate.hpp>

#include "plan/step_counts.hpp"
#include "plan/workload.hpp"

namespace heddle::test {

inline Workload on_cpu(const char* matrix, const char* plan_text) {
  const Plan plan = Plan::parse(plan_text);
  const Csr<double> A = generate<double>(matrix);
  const Structure facts = analyze(A, Detail::planning);
  const StepCounts steps = count_steps(A.view(), facts.rows_len.max, 8);
  return workload(*find_family(plan.format), {facts, 8, false, &steps}, plan, false);
}

}  // namespace heddle::test
