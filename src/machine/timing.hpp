// How long a product takes, warm or with the caches evicted before every call.
#pragma once

#include <span>

#include <heddle/buffer.hpp>
#include <heddle/operator.hpp>

#include "core/stopwatch.hpp"

namespace heddle {

// Evicts the CPU's caches by reading more memory than the last level holds, with all threads.
class CacheEviction {
 public:
  CacheEviction();
  void operator()() const;

 private:
  Buffer<std::uint64_t> junk_;
};

// y = A x on the operator's device; x and y live there. In host memory each call counts in every way of repeating.
template <class V>
Timing time_multiply(const Operator<V>& op, std::span<const V> x, std::span<V> y, double seconds, gpu::Repeats how);
template <class V>
Timing time_multiply(const Operator<V>& op, std::span<const V> x, std::span<V> y, double seconds, bool cold) {
  return time_multiply<V>(op, x, y, seconds, cold ? gpu::Repeats::cold : gpu::Repeats::warm);
}

}  // namespace heddle
