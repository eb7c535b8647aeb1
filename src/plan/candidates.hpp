// The plans worth predicting for a matrix: what the rules of every format propose.
#pragma once

#include <vector>

#include <heddle/analyze.hpp>
#include <heddle/plan.hpp>

#include "cost/workload.hpp"

namespace heddle {

struct CandidateOptions {
  Target target = {};
  bool reorder = false;  // plans that no fact can judge (they reorder inside): only where plans are tried
};

// In a fixed order, simple formats first: it decides between equal predictions.
std::vector<Plan> candidate_plans(const Structure& facts, const CandidateOptions& options);

}  // namespace heddle
