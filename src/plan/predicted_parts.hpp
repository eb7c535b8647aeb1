// A prediction with all that it rests on, by name: for people, and for whoever fits costs to measured times. What is
// named here is written nowhere else: not in the command, not in the benchmarks.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "plan/building.hpp"
#include "plan/model.hpp"

namespace heddle {

using Named = std::vector<std::pair<std::string_view, double>>;
Named named(const Workload& work);
Named named(const Cost& cost);
Named named(const Prediction& product);  // seconds of the parts, `seconds` of all
Named named(const BuildParts& parts);
Named named(const BuildCost& cost);

struct PredictedParts {
  Plan plan;  // as it was given, with a layout where it had left that open
  Workload work;
  Cost cost;
  Prediction product;
  BuildParts building;
  BuildCost build_cost;
  double build_seconds = 0;
};

// Error(usage) where there is no such format or setting.
template <class V>
PredictedParts predicted_parts(const Csr<V>& A, const Structure& facts, const Machine& machine, const Plan& plan);

}  // namespace heddle
