#include "machine/machine_measure.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "built_with.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "machine/machine_gather.hpp"
#include "machine/timing.hpp"

namespace heddle {

namespace {

constexpr double budget = 0.04;  // seconds for each figure
constexpr std::int64_t grain = 1 << 14, read_grain = 1 << 12, kib = 1 << 10, mib = 1 << 20;

double giga(double amount, double seconds) { return amount / std::max(seconds, 1e-9) / 1e9; }

// Large against the cache, but not more than an eighth of what is free, and bounded: touching it the first time costs
// more than reading it often.
std::int64_t cpu_array_bytes(const DeviceInfo& info) {
  constexpr std::int64_t least = 32 * mib, most = 512 * mib;
  const std::int64_t wanted = std::clamp(4 * info.cache_bytes, 4 * least, most);
  return std::max(least, std::min(wanted, info.free_bytes / 8)) / 4096 * 4096;
}

Machine described(const DeviceInfo& info, int units) {
  Machine machine;
  machine.kind = info.device.kind;
  machine.name = info.name;
  machine.units = units;
  machine.cache_bytes = info.cache_bytes;
  machine.memory_bytes = info.memory_bytes;
  machine.measured = true;
  return machine;
}

// A ceiling is what the machine can do: the best of many, so that other work on it does not count.
template <class F>
double best_time(F call) {
  const auto begun = std::chrono::steady_clock::now();
  double best = INFINITY;
  for (auto now = begun; now - begun < std::chrono::duration<double>(budget);) {
    call();
    const auto done = std::chrono::steady_clock::now();
    best = std::min(best, std::chrono::duration<double>(done - now).count());
    now = done;
  }
  return best;
}

inline std::uint64_t sum_of(const std::uint64_t* data, std::int64_t count) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += data[i];
  return sum;
}

// As a product does: columns and values stream past while x is read here and there.
inline std::uint64_t gathered_sum(const std::uint64_t* values, const std::uint32_t* places, std::int64_t count,
                                  const std::uint64_t* x, std::uint32_t mask) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += values[i] ^ x[places[i] & mask];
  return sum;
}

class CpuMeasure {
 public:
  explicit CpuMeasure(const DeviceInfo& info)
      : data_(cpu_array_bytes(info) / static_cast<std::int64_t>(sizeof(std::uint64_t))),
        places_(std::min(data_.size() / 2, threads() * gathered_by_each)) {
    parallel_ranges(data_.size(), 1 << 17, [&](std::int64_t begin, std::int64_t end) {
      std::fill(data_.begin() + begin, data_.begin() + end, 1);
    });
    parallel_ranges(places_.size(), grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto place = static_cast<std::uint32_t>(i) * 0x9E3779B9u;
        places_[i] = place ^ place >> 15;
      }
    });
  }

  std::int64_t bytes() const { return static_cast<std::int64_t>(data_.bytes()); }

  double read(std::int64_t bytes) {
    const std::int64_t size = bytes / 8;
    return best_time([&] {
      parallel_stretches(size / read_grain, 1, [&](std::int64_t first, std::int64_t last) {
        read_part(first * read_grain, last * read_grain);
      });
    });
  }
  double read_alone(std::int64_t bytes) {
    return best_time([&] { read_part(0, bytes / 8); });
  }

  double copy() {
    const std::int64_t half = data_.size() / 2;
    return best_time([&] {
      parallel_ranges(half, 1 << 17, [&](std::int64_t begin, std::int64_t end) {
        std::copy(data_.begin() + begin, data_.begin() + end, data_.begin() + half + begin);
      });
    });
  }

  // Elements of the first `bytes`, a power of two, that all cores read in random order, in 1e9 a second. The values
  // come from the other half of the array: each core streams more than its own caches hold.
  double gather(std::int64_t bytes) {
    const auto mask = static_cast<std::uint32_t>(bytes / 8 - 1);
    const std::uint64_t* values = data_.data() + (data_.size() - places_.size());
    const double seconds = best_time([&] {
      parallel_stretches(places_.size() / grain, 1, [&](std::int64_t first, std::int64_t last) {
        const std::int64_t begin = first * grain, count = (last - first) * grain;
        std::uint64_t sum = 0;
        with_fetching_isa(
            [&](auto) { sum = gathered_sum(values + begin, places_.data() + begin, count, data_.data(), mask); });
        sink_.fetch_add(sum, std::memory_order_relaxed);
      });
    });
    return giga(static_cast<double>(places_.size()), seconds);
  }

 private:
  void read_part(std::int64_t begin, std::int64_t end) {
    std::uint64_t sum = 0;
    with_isa([&](auto) { sum = sum_of(data_.data() + begin, end - begin); });
    sink_.fetch_add(sum, std::memory_order_relaxed);
  }

  static constexpr std::int64_t gathered_by_each = 1 << 18;
  Buffer<std::uint64_t> data_;
  Buffer<std::uint32_t> places_;
  std::atomic<std::uint64_t> sink_{0};
};

// What a job of one task for each of so many threads takes beyond the task. Threads that do not come in time to an
// empty job are not waited for, so each has something to do. On a busy machine one may not come at all, and its task is
// done after another: then it is as if they came as soon as elsewhere.
double wake_seconds(int called) {
  constexpr std::chrono::duration<double> task(20e-6);
  constexpr int tries = 3;
  double least = INFINITY;
  for (int i = 0; i < tries && least > 0.8 * task.count(); ++i) {
    const double whole = best_time([&] {
      parallel_tasks(called, [&](std::int64_t) {
        for (const auto begun = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begun < task;) {
        }
      });
    });
    least = std::min(least, whole - task.count());
  }
  if (least > 0.8 * task.count()) return built_in_machine(Device::Kind::cpu).wake_all_us * 1e-6;
  return std::max(least, 1e-9);
}

// Rows of 16 entries, in the first cache of a thread: how long an entry takes it.
class CachedRows {
 public:
  CachedRows() : val_(count, 1.0), x_(count, 1.0), y_(count / row), col_(count) {
    for (std::int64_t i = 0; i < count; ++i) col_[i] = static_cast<std::int32_t>(i * 769 % count);
  }
  // Nanoseconds for each entry, the best of many.
  double least_ns() {
    return of_entry(best_time([&] { multiply(); }));
  }
  // The middle of many: threads that come late or leave early had company meanwhile.
  double usual_ns() {
    std::vector<double> calls;
    const auto begun = std::chrono::steady_clock::now();
    for (auto now = begun; now - begun < std::chrono::duration<double>(budget);) {
      multiply();
      const auto done = std::chrono::steady_clock::now();
      calls.push_back(std::chrono::duration<double>(done - now).count());
      now = done;
    }
    return of_entry(upper_median(std::move(calls)));
  }

 private:
  static constexpr std::int64_t count = 2048, row = 16, times = 16;

  double of_entry(double seconds) const { return seconds / (times * count) * 1e9 * (y_[0] > 0 ? 1 : NAN); }
  void multiply() {
    for (int i = 0; i < times; ++i)
      with_isa([&](auto) {
        for (std::int64_t r = 0; r < count / row; ++r) {
          double sum = 0;
          for (std::int64_t k = r * row; k < (r + 1) * row; ++k) sum += val_[k] * x_[col_[k]];
          y_[r] += sum;
        }
      });
  }

  std::vector<double> val_, x_, y_;
  std::vector<std::int32_t> col_;
};

// Of all threads at once.
double entry_ns_of_all() {
  std::vector<double> found(static_cast<std::size_t>(threads()));
  parallel_tasks(threads(), [&](std::int64_t i) { found[static_cast<std::size_t>(i)] = CachedRows().usual_ns(); });
  return upper_median(std::move(found));
}

Machine measure_cpu() {
  const DeviceInfo info = describe(Device::cpu());
  Machine machine = described(info, threads());
  CpuMeasure measure(info);
  machine.launch_us = best_time([] { parallel_tasks(threads(), [](std::int64_t) {}); }) * 1e6;
  machine.repeat_us = machine.launch_us;
  machine.wake_us = wake_seconds(std::min(2, threads())) * 1e6;
  machine.wake_all_us = wake_seconds(threads()) * 1e6;
  machine.entry_ns = CachedRows().least_ns();
  machine.entry_all_ns = entry_ns_of_all();
  const auto net = [&](double seconds) { return std::max(seconds - machine.wake_all_us * 1e-6, seconds / 2); };
  for (const std::int64_t bytes : {32 * kib, 256 * kib, mib, 4 * mib, 16 * mib, 64 * mib, measure.bytes()})
    if (bytes <= measure.bytes())
      machine.core_read.push_back({bytes, giga(static_cast<double>(bytes), measure.read_alone(bytes))});
  for (const std::int64_t bytes : {256 * kib, mib, 4 * mib, 16 * mib, 64 * mib, measure.bytes()})
    if (bytes <= measure.bytes())
      machine.read.push_back({bytes, giga(static_cast<double>(bytes), net(measure.read(bytes)))});
  machine.read_gbps = giga(static_cast<double>(measure.bytes()), measure.read(measure.bytes()));
  machine.copy_gbps = giga(static_cast<double>(measure.bytes()), measure.copy());
  for (const std::int64_t bytes : {32 * kib, 256 * kib, mib, 2 * mib, 4 * mib, 8 * mib, 16 * mib, 64 * mib})
    if (bytes <= measure.bytes() / 2) machine.gather.push_back({bytes, measure.gather(bytes)});
  // Once more, as what shared the core a second ago may be gone (1.0 ns where later 0.55 were measured).
  machine.entry_ns = std::min(machine.entry_ns, CachedRows().least_ns());
  machine.entry_all_ns = std::clamp(std::min(machine.entry_all_ns, entry_ns_of_all()), machine.entry_ns,
                                    2 * machine.entry_ns);  // two share a core at most
  return machine;
}

#ifdef HEDDLE_HAS_CUDA
// What a queued call works on.
struct Work {
  void* to;
  const void* from;
  std::int64_t bytes, per_thread;
};

double timed(const Work& work, void (*call)(const void*, Stream), bool alone = false) {
  return gpu::time(&work, call, budget, alone ? gpu::Repeats::cold : gpu::Repeats::warm).median;
}

void read_work(const void* given, Stream stream) {
  const auto& work = *static_cast<const Work*>(given);
  gpu::read(work.from, static_cast<std::size_t>(work.bytes), stream);
}
void copy_work(const void* given, Stream stream) {
  const auto& work = *static_cast<const Work*>(given);
  gpu::copy_queued(work.to, work.from, static_cast<std::size_t>(work.bytes), stream);
}
void gather_work(const void* given, Stream stream) {
  const auto& work = *static_cast<const Work*>(given);
  gather(simt::Cuda{}, static_cast<const float*>(work.from), work.bytes / static_cast<std::int64_t>(sizeof(float)),
         work.per_thread, static_cast<float*>(work.to), stream);
}

// A power of two, up to a gigabyte: x may be larger than any cache.
std::int64_t gpu_array_bytes(const DeviceInfo& info) {
  std::int64_t bytes = 1024 * mib;
  while (bytes > 32 * mib && bytes > info.free_bytes / 8) bytes /= 2;
  return bytes;
}

void fill_with_zeros(Buffer<char>& there) {
  Buffer<char> zeros(std::min(there.size(), 16 * mib));
  std::fill(zeros.begin(), zeros.end(), char{0});
  for (std::int64_t at = 0; at < there.size(); at += zeros.size())
    gpu::copy(there.data() + at, zeros.data(), static_cast<std::size_t>(std::min(zeros.size(), there.size() - at)));
}

double upload_rate(Device device) {
  constexpr std::int64_t size = 16 * mib;
  Buffer<char> here(size), there(size, device);
  std::fill(here.begin(), here.end(), char{1});
  const auto call = [&] { gpu::copy(there.data(), here.data(), here.bytes()); };
  return giga(size, time_calls(budget / 2, call).median);
}

Machine measure_gpu(Device device) {
  const DeviceInfo info = describe(device);
  const gpu::Current current(device);
  Machine machine = described(info, info.units);
  const std::int64_t size = gpu_array_bytes(info);
  Buffer<char> from(size, device), to(size, device);
  fill_with_zeros(from);
  gpu::copy(to.data(), from.data(), from.bytes());
  const auto on = [&](std::int64_t bytes, std::int64_t per_thread = 0) {
    return Work{to.data(), from.data(), bytes, per_thread};
  };
  machine.launch_us = timed(on(0), read_work, true) * 1e6;
  machine.repeat_us = timed(on(0), read_work) * 1e6;
  const auto net = [&](double seconds) { return std::max(seconds - machine.repeat_us * 1e-6, seconds / 4); };
  for (std::int64_t bytes = mib; bytes <= std::min(size, 256 * mib); bytes *= 2)
    machine.read.push_back({bytes, giga(static_cast<double>(bytes), net(timed(on(bytes), read_work)))});
  machine.read_gbps = giga(static_cast<double>(size), timed(on(size), read_work));
  machine.copy_gbps = giga(2.0 * static_cast<double>(size), timed(on(size), copy_work));
  constexpr std::int64_t per_thread = 64, count = gather_blocks * gather_threads * per_thread;
  for (std::int64_t bytes = 64 * kib; bytes <= size; bytes *= 4)
    machine.gather.push_back({bytes, giga(static_cast<double>(count), net(timed(on(bytes, per_thread), gather_work)))});
  machine.upload_gbps = upload_rate(device);
  return machine;
}
#endif

}  // namespace

void name_instructions(Machine& machine) {
  if (machine.kind != Device::Kind::cpu) return;
  machine.isa = isa();  // the first call of all measures how fast gathers are
  machine.gathers = gathers_pay;
}

Machine measure_machine(Device device) {
#ifdef HEDDLE_HAS_CUDA
  if (device.kind == Device::Kind::gpu) return measure_gpu(device);
#endif
  if (device.kind != Device::Kind::cpu) return built_in_machine(device.kind);
  Machine machine = measure_cpu();
  name_instructions(machine);
  return machine;
}

}  // namespace heddle
