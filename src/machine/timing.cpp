#include "machine/timing.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "core/parallel.hpp"

namespace heddle {

namespace {

double seconds_of(int calls, const std::function<void()>& call) {
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

// Virtual machines report the cache of the whole host, hundreds of megabytes: reading twice that takes longer than what
// is to be measured.
std::int64_t eviction_bytes() {
  constexpr std::int64_t least = std::int64_t{64} << 20, most = std::int64_t{512} << 20;
  return std::clamp(describe(Device::cpu()).cache_bytes * 3 / 2, least, most);
}

}  // namespace

Timing summary(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(std::lround(share * static_cast<double>(samples.size() - 1)))];
  };
  const std::size_t middle = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return {median, median > 0 ? (at(0.9) - at(0.1)) / median : 0, static_cast<int>(samples.size())};
}

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

Timing time_calls(double seconds, const std::function<void()>& call, const std::function<void()>& before) {
  constexpr double shortest = 10e-6;
  constexpr std::size_t fewest = 3, most = 10000;
  if (before) before();
  const double first = seconds_of(1, call);
  if (first > seconds) return {first, 0, 1};
  // The first call paid for page faults and waking threads; the second says how many calls make a sample.
  const double second = seconds_of(1, call);
  const int batch = before ? 1 : static_cast<int>(std::ceil(shortest / std::max(second, shortest / 1000)));
  std::vector<double> samples;
  const auto begun = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
  while (samples.size() < fewest || (spent() < seconds && samples.size() < most)) {
    if (before) before();
    samples.push_back(seconds_of(batch, call) / batch);
  }
  return summary(std::move(samples));
}

template <class V>
Timing time_multiply(const Operator<V>& op, std::span<const V> x, std::span<V> y, double seconds, bool cold) {
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
    return gpu::time(&context, call, seconds, cold ? gpu::Repeats::cold : gpu::Repeats::warm);
  }
  const auto call = [&] { op.multiply(x, y); };
  return cold ? time_calls(seconds, call, CacheEviction()) : time_calls(seconds, call);
}

template Timing time_multiply(const Operator<float>&, std::span<const float>, std::span<float>, double, bool);
template Timing time_multiply(const Operator<double>&, std::span<const double>, std::span<double>, double, bool);

}  // namespace heddle
