// What the planner counts for a generated matrix.
#pragma once

#include <heddle/analyze.hpp>
#include <heddle/generate.hpp>

#include "formats/runs/runs_step_counts.hpp"
#include "plan/all_rules.hpp"

namespace heddle::test {

inline const Target gpu_target = target_of(built_in_machine(Device::Kind::gpu)),
                    cpu_target = target_of(built_in_machine(Device::Kind::cpu));
inline const Target& target_of_kind(bool on_gpu) { return on_gpu ? gpu_target : cpu_target; }

inline Workload on_cpu(const char* matrix, const char* plan_text, const Target& target = cpu_target) {
  const Plan plan = Plan::parse(plan_text);
  const Csr<double> A = generate<double>(matrix);
  const Structure facts = analyze(A, Detail::planning);
  const StepCounts steps = count_steps(A.view(), facts.rows_len.max, 8, target.loads_singly());
  return workload(*find_rules(plan.format), {facts, 8, target, false, &steps}, plan);
}

}  // namespace heddle::test
