// How long a call takes: the median of many, with its spread.
#pragma once

#include <functional>
#include <vector>

#include "core/gpu.hpp"

namespace heddle {

using gpu::Timing;

// Median, and (90th - 10th percentile) / median. `samples` must not be empty.
Timing summary(std::vector<double> samples);

// All of them together, by the clock on the wall.
double seconds_of_calls(int calls, const std::function<void()>& call);

// Calls `call` once to warm up, then until `seconds` are spent, three times at least (once when a call takes longer
// than the whole budget). Calls below 10 us are timed several at a time. `before` runs untimed before each timed call.
Timing time_calls(double seconds, const std::function<void()>& call, const std::function<void()>& before = {});

}  // namespace heddle
