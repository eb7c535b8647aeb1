// A matrix at hand as the model sees it: its facts, the target, and what no fact tells of the format runs.
#pragma once

#include "core/check.hpp"
#include "cost/workload.hpp"
#include "formats/runs/runs_step_counts.hpp"

namespace heddle {

template <class V>
bool on_device(const Csr<V>& A) {
  return A.ptr.device().kind != Device::Kind::cpu;
}

// Only CPUs choose by them.
template <class V>
StepCounts steps_for(const Csr<V>& A, const Structure& facts, const Machine& machine) {
  const bool asked =
      !on_device(A) && machine.kind == Device::Kind::cpu && machine.isa == Isa::avx512;  // or runs is no candidate
  return asked ? count_steps(A.view(), facts.rows_len.max, sizeof(V), target_of(machine).loads_singly()) : StepCounts{};
}

template <class V>
Subject subject_of(const Csr<V>& A, const Structure& facts, const Machine& machine, const StepCounts& steps) {
  return {facts, sizeof(V), target_of(machine), on_device(A),
          on_device(A) || machine.kind != Device::Kind::cpu ? nullptr : &steps};
}

template <class V>
void check_facts(const Csr<V>& A, const Structure& facts) {
  if (!on_device(A)) validate(A.view(), Require::canonical);
  check(A.rows == facts.rows && A.cols == facts.cols && A.nnz() == facts.nnz, ErrorKind::input,
        "facts of a {} x {} matrix of {} entries for one of {} x {} and {}", facts.rows, facts.cols, facts.nnz, A.rows,
        A.cols, A.nnz());
}

}  // namespace heddle
