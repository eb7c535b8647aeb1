// What the planner knows of formats from outside (heddle/custom_format.hpp): what they say of a product themselves.
#pragma once

#include <string>
#include <vector>

#include "cost/workload.hpp"

namespace heddle {

// Of those that have a kernel for the target: the plain plan of each, and what else it proposes.
std::vector<Plan> custom_plans(const Structure& facts, const Target& target);

const Rules* find_custom_rules(const std::string& format);  // null: no format from outside

}  // namespace heddle
