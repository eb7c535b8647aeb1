#include "bench/machine.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "bench/timing.hpp"
#include "core/parallel.hpp"

namespace heddle::bench {

namespace {

constexpr double budget = 0.1;  // seconds for each ceiling
constexpr std::int64_t grain = 1 << 17;

double gbps(std::size_t bytes, const Timing& timing) { return static_cast<double>(bytes) / timing.median / 1e9; }

// Large against the cache, but not more than an eighth of what is free, and bounded: touching it the first time costs
// more than reading it often.
std::int64_t array_bytes_for(const DeviceInfo& info) {
  constexpr std::int64_t least = std::int64_t{32} << 20, most = std::int64_t{512} << 20;
  const std::int64_t wanted = std::clamp(4 * info.cache_bytes, 4 * least, most);
  return std::max(least, std::min(wanted, info.free_bytes / 8)) / 4096 * 4096;
}

Ceilings measure_cpu() {
  const std::int64_t size = array_bytes_for(describe(Device::cpu())) / static_cast<std::int64_t>(sizeof(std::uint64_t));
  Buffer<std::uint64_t> data(size);
  parallel_ranges(size, grain, [&](std::int64_t begin, std::int64_t end) {
    std::fill(data.begin() + begin, data.begin() + end, 1);
  });
  std::atomic<std::uint64_t> sink{0};
  const Timing read = time_calls(budget, [&] {
    parallel_ranges(size, grain, [&](std::int64_t begin, std::int64_t end) {
      std::uint64_t sum = 0;
      for (std::int64_t i = begin; i < end; ++i) sum += data[i];
      sink.fetch_add(sum, std::memory_order_relaxed);
    });
  });
  const Timing copy = time_calls(budget, [&] {
    parallel_ranges(size / 2, grain, [&](std::int64_t begin, std::int64_t end) {
      std::copy(data.begin() + begin, data.begin() + end, data.begin() + size / 2 + begin);
    });
  });
  const Timing launch = time_calls(budget / 4, [&] { parallel_tasks(threads(), [](std::int64_t) {}); });
  return {gbps(data.bytes(), read), gbps(data.bytes(), copy), launch.median * 1e6};
}

struct Region {
  void* to;
  const void* from;
  std::size_t bytes;
};

Ceilings measure_gpu(Device device) {
  const auto read = [](const void* given, Stream stream) {
    const auto& region = *static_cast<const Region*>(given);
    gpu::read(region.from, region.bytes, stream);
  };
  const auto copy = [](const void* given, Stream stream) {
    const auto& region = *static_cast<const Region*>(given);
    gpu::copy_queued(region.to, region.from, region.bytes, stream);
  };
  const std::int64_t size = array_bytes_for(describe(device));
  Buffer<char> from(size, device), to(size, device);
  gpu::copy(to.data(), from.data(), from.bytes());
  const Region whole{to.data(), from.data(), from.bytes()}, nothing{to.data(), from.data(), 0};
  const Timing reading = gpu::time(&whole, read, budget, gpu::Repeats::warm);
  const Timing copying = gpu::time(&whole, copy, budget, gpu::Repeats::warm);
  const Timing launching = gpu::time(&nothing, read, budget / 4, gpu::Repeats::cold);  // one call between two events
  return {gbps(from.bytes(), reading), gbps(2 * from.bytes(), copying), launching.median * 1e6};
}

}  // namespace

Ceilings measure_ceilings(Device device) { return device.host_memory() ? measure_cpu() : measure_gpu(device); }

}  // namespace heddle::bench
