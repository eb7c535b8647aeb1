// What weave_plan.cpp, the rules, needs of the counts of its layouts (weave_plan_layouts.cpp).
#pragma once

#include "cost/workload_parts.hpp"
#include "formats/weave/weave_settings.hpp"

namespace heddle::weave_counts {

// What a plan names, and the rest as the format settles it (weave_choice.cpp), by estimates where building counts.
WeaveSettings settled(const Subject& s, const Plan& plan);

// Bytes of a value as the plan has it, or in the smallest codec that loses nothing.
double stored_value(const Subject& s, const WeaveSettings& settings);
// The same in layouts that store nothing where all values are one, and have tables of 65,536 values too. How many there
// are may be a guess: a wrong one costs time, building counts for itself.
double least_value(const Subject& s, const WeaveSettings& settings);
bool is_constant(const Subject& s, const WeaveSettings& settings);

double fill_of(const Structure& facts, int size);
int best_block(const Structure& facts);

// On a GPU.
Workload workload(const Subject& s, const WeaveSettings& settings);

}  // namespace heddle::weave_counts
