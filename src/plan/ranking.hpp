// The order of candidates, best first.
#pragma once

#include <vector>

#include <heddle/choose.hpp>

#include "cost/workload.hpp"
#include "plan/preferences.hpp"

namespace heddle {

// Those that fit, those that kernels build where it is not said how many products there are to pay for the host, measured
// ones before guesses, by their scores. Of predicted times that are nearly the same, preferences decide: fewer bytes on a
// GPU, little to read and what is steady on a CPU.
void put_in_order(std::vector<Candidate>& candidates, const Subject& subject, const Machine& machine,
                  const ChooseOptions& options);

}  // namespace heddle
