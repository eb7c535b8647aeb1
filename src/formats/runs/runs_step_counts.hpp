// What the format runs would store, counted from the pattern: no fact of Structure tells it.
#pragma once

#include <heddle/matrix.hpp>

#include "cost/step_counts.hpp"

namespace heddle {

// From at most 192 slices, spread evenly, and as many of those with a row far longer than most, if the longest row of
// all says that there are some. A in host memory.
// `loads_singly`: for a CPU that loads elements of x one by one.
StepCounts count_steps(const PatternView& A, std::int64_t longest_row, int value_bytes, bool loads_singly = false);

}  // namespace heddle
