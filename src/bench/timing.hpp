// The stopwatch of src/plan/timing.hpp, by the name the benchmarks use.
#pragma once

#include "plan/timing.hpp"

namespace heddle::bench {

using gpu::Timing;
using heddle::CacheEviction;
using heddle::summary;
using heddle::time_calls;
using heddle::time_multiply;

}  // namespace heddle::bench
