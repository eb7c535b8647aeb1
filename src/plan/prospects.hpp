// What choosing finds out before something is built: for choose and optimize.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <heddle/choose.hpp>

#include "cost/step_counts.hpp"
#include "formats/reason.hpp"

namespace heddle {

struct Prospects {
  Structure facts;
  std::optional<StepCounts> steps;
  std::vector<Candidate> candidates;  // best first; none for a matrix without entries
};

// For an operator that is to be built so.
template <class V>
Prospects prospects_of(const Csr<V>& A, const ChooseOptions& options, const BuildOptions& how);

// Says why the candidate `taken` was; one past the last: csr, since there was no other. Put into words when it is asked
// for: that takes a tenth of the time of optimizing a small matrix.
template <class V>
Reason reason_for(const Csr<V>& A, Prospects found, std::size_t taken, const ChooseOptions& options);

// csr, where so few products are expected that analysing the matrix does not pay.
template <class V>
std::optional<Choice> csr_at_once(const Csr<V>& A, const ChooseOptions& options);

// The choice for a matrix in host memory that somebody has checked or made, by the figures of `machine`. As `choose` of
// a matrix alone, it takes csr at once where analysing does not pay.
template <class V>
Choice choose_canonical(const Csr<V>& A, const Machine& machine, const ChooseOptions& options);

}  // namespace heddle
