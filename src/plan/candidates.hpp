// The plans worth predicting for a matrix: every format with a line in workload.cpp, its settings as far as they
// matter.
#pragma once

#include <vector>

#include <heddle/analyze.hpp>
#include <heddle/plan.hpp>

#include "plan/workload.hpp"

namespace heddle {

struct CandidateOptions {
  Target target = {};
  bool reorder = false;  // plans that reorder inside, which no fact foretells: only where plans are tried
};

// In a fixed order, simple formats first: it decides between equal predictions.
std::vector<Plan> candidate_plans(const Structure& facts, const CandidateOptions& options);

// The twelve runs of paper 4.
std::vector<Plan> ellr_trials();

}  // namespace heddle
