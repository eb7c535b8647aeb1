#include "machine/timing.hpp"

#include <algorithm>
#include <atomic>

#include "core/parallel.hpp"

namespace heddle {

namespace {

// Virtual machines report the cache of the whole host, hundreds of megabytes: reading twice that takes longer than what
// is to be measured.
std::int64_t eviction_bytes() {
  constexpr std::int64_t least = std::int64_t{64} << 20, most = std::int64_t{512} << 20;
  return std::clamp(describe(Device::cpu()).cache_bytes * 3 / 2, least, most);
}

}  // namespace

CacheEviction::CacheEviction() : junk_(eviction_bytes() / static_cast<std::int64_t>(sizeof(std::uint64_t))) {
  parallel_ranges(junk_.size(), 1 << 17, [&](std::int64_t begin, std::int64_t end) {
    std::fill(junk_.begin() + begin, junk_.begin() + end, 1);
  });
}

void CacheEviction::operator()() const {
  std::atomic<std::uint64_t> sink{0};
  parallel_ranges(junk_.size(), 1 << 17, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += junk_[i];
    sink.fetch_add(sum, std::memory_order_relaxed);
  });
}

template <class V>
Timing time_multiply(const Operator<V>& op, std::span<const V> x, std::span<V> y, double seconds, gpu::Repeats how) {
  struct Context {
    const Operator<V>& op;
    std::span<const V> x;
    std::span<V> y;
  };
  const Context context{op, x, y};
  if (!op.device().host_memory()) {
    const gpu::Current current(op.device());
    const auto call = [](const void* given, Stream stream) {
      const auto& c = *static_cast<const Context*>(given);
      c.op.multiply(c.x, c.y, stream);
    };
    return gpu::time(&context, call, seconds, how);
  }
  const auto call = [&] { op.multiply(x, y); };
  return how == gpu::Repeats::cold ? time_calls(seconds, call, CacheEviction()) : time_calls(seconds, call);
}

template Timing time_multiply(const Operator<float>&, std::span<const float>, std::span<float>, double, gpu::Repeats);
template Timing time_multiply(const Operator<double>&, std::span<const double>, std::span<double>, double,
                              gpu::Repeats);

}  // namespace heddle
