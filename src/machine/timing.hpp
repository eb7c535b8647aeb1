// How long a call takes: the median of many, with its spread, warm or with the caches evicted before every call.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <heddle/buffer.hpp>
#include <heddle/operator.hpp>

#include "core/gpu.hpp"

namespace heddle {

using gpu::Timing;

// Median, and (90th - 10th percentile) / median. `samples` must not be empty.
Timing summary(std::vector<double> samples);

// Evicts the CPU's caches by reading more memory than the last level holds, with all threads.
class CacheEviction {
 public:
  CacheEviction();
  void operator()() const;

 private:
  Buffer<std::uint64_t> junk_;
};

// Calls `call` once to warm up, then until `seconds` are spent, three times at least (once when a call takes longer
// than the whole budget). Calls below 10 us are timed several at a time. `before` runs untimed before each timed call.
Timing time_calls(double seconds, const std::function<void()>& call, const std::function<void()>& before = {});

// y = A x on the operator's device; x and y live there.
template <class V>
Timing time_multiply(const Operator<V>& op, std::span<const V> x, std::span<V> y, double seconds, bool cold);

}  // namespace heddle
