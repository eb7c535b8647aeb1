// A matrix at hand as the model sees it: its facts, the target, and what no fact tells.
#pragma once

#include <optional>

#include "core/matrix/incoming.hpp"
#include "cost/step_counts.hpp"
#include "cost/workload.hpp"
#include "plan/all_rules.hpp"

namespace heddle {

template <class V>
Subject subject_of(const Csr<V>& A, const Structure& facts, const Machine& machine,
                   const std::optional<StepCounts>& steps) {
  return {facts, sizeof(V), target_of(machine), on_device(A), steps ? &*steps : nullptr};
}

// What rules count of the matrix itself, on a CPU and in host memory; nothing: they do without.
template <class V>
std::optional<StepCounts> steps_for(const Csr<V>& A, const Structure& facts, const Machine& machine,
                                    const Rules& rules) {
  if (rules.count == nullptr || on_device(A) || machine.kind != Device::Kind::cpu) return {};
  return rules.count(A.view(), subject_of(A, facts, machine, {}));
}

// For the candidates: of one format at most.
template <class V>
std::optional<StepCounts> steps_for(const Csr<V>& A, const Structure& facts, const Machine& machine) {
  for (const Rules* rules : all_rules())
    if (rules->count != nullptr && !rules->plans(facts, target_of(machine)).empty())
      return steps_for(A, facts, machine, *rules);
  return {};
}

template <class V>
void check_facts(const Csr<V>& A, const Structure& facts) {
  check_matrix(A);
  check(A.rows == facts.rows && A.cols == facts.cols && A.nnz() == facts.nnz, ErrorKind::input,
        "facts of a {} x {} matrix of {} entries for one of {} x {} and {}", facts.rows, facts.cols, facts.nnz, A.rows,
        A.cols, A.nnz());
}

}  // namespace heddle
