// The rules of all formats: those of the folders of src/formats, and what formats from outside say of themselves.
#pragma once

#include <span>
#include <string>

#include "cost/workload.hpp"

namespace heddle {

std::span<const Rules* const> all_rules();           // of the library, in their turn
const Rules* find_rules(const std::string& format);  // null: no such format

// Places that no format stores: a count from here on may not fit into an integer.
inline constexpr double beyond_counting = 1e15;

// For a plan whose settings may be left out.
Workload workload(const Rules& rules, const Subject& subject, const Plan& plan);

}  // namespace heddle
