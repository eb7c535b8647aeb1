// What weave_plan.cpp, the rules, needs of settling by estimates (weave_estimates.cpp).
#pragma once

#include "formats/weave/weave_counts.hpp"
#include "formats/weave/weave_settings.hpp"

namespace heddle::weave_counts {

// What a plan names, and the rest as the format settles it (weave_choice.cpp), by estimates where building counts.
WeaveSettings settled(const Subject& s, const Plan& plan);

EstimatedValues values_of(const Subject& s, const WeaveSettings& settings);
int best_block(const Structure& facts);

// On a GPU.
Workload workload(const Subject& s, const WeaveSettings& settings);

}  // namespace heddle::weave_counts
