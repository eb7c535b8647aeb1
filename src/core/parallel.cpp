#include "core/parallel.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <heddle/device.hpp>

namespace heddle {

namespace {

constexpr int most_threads = 1024;

int default_threads() {
  if (const char* text = std::getenv("HEDDLE_THREADS")) {
    const int asked = std::atoi(text);
    if (asked > 0) return std::min(asked, most_threads);
  }
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads);
}

std::atomic<int> wanted_threads{0};

// Waits until `value` is no longer `old`. Multiplications follow each other closely: being woken by the kernel would
// cost a sleeping thread more than a small product takes, so it looks for about 50 us before it sleeps.
template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  for (int look = 0; look < 1000; ++look) {
    if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
  }
  value.wait(old, std::memory_order_acquire);
}

struct Job {
  void (*run)(void*, std::int64_t) = nullptr;
  void* context = nullptr;
  std::int64_t count = 0;
  int helpers = 0;  // workers that are rung: number 0 .. helpers-1
};

// Each worker sleeps on a bell of its own, so that a small job disturbs only those it has tasks for. A job is published
// by writing `job`, opening the gate with a new epoch and ringing that number; whoever passes the gate claims task
// numbers until none is left and goes out again. The caller works too, then shuts the gate and waits for those inside
// alone: a worker that the operating system has not yet woken comes too late and is not waited for. Nobody is inside
// when the next job is written.
//
//   gate   epoch << 32 | shut << 31 | workers inside
class Pool {
 public:
  void run(const Job& next, int helpers) {
    start_workers(helpers);
    job = next;
    job.helpers = std::min(helpers, started);
    failure = nullptr;
    cursor.store(0, std::memory_order_relaxed);
    ++epoch;
    gate.store(std::uint64_t{epoch} << 32, std::memory_order_release);
    for (int number = 0; number < job.helpers; ++number) bells[number].ring(epoch);
    work();
    for (std::uint64_t seen = gate.fetch_or(shut) | shut; (seen & inside) != 0; seen = gate.load())
      wait_while(gate, seen);
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }

  std::mutex busy;

 private:
  void start_workers(int helpers) {
    for (; started < helpers; ++started) {
      try {
        std::thread([this, number = started, seen = bells[started].rung.load()] {
          serve(bells[number], seen);
        }).detach();
      } catch (const std::system_error&) {
        return;  // no more threads to be had: the caller and the present workers do the work
      }
    }
  }

  struct alignas(64) Bell {
    std::atomic<std::uint32_t> rung{0};  // the epoch of the last job it was rung for

    void ring(std::uint32_t now) {
      rung.store(now, std::memory_order_release);
      rung.notify_one();
    }
  };

  void serve(const Bell& bell, std::uint32_t seen) {
    for (;;) {
      wait_while(bell.rung, seen);
      seen = bell.rung.load(std::memory_order_acquire);
      if (!enter(seen)) continue;
      work();
      if ((gate.fetch_sub(1) & (shut | inside)) == (shut | 1)) gate.notify_one();
    }
  }
  bool enter(std::uint32_t now) {
    std::uint64_t seen = gate.load();
    do {
      if (seen >> 32 != now || (seen & shut) != 0) return false;
    } while (!gate.compare_exchange_weak(seen, seen + 1));
    return true;
  }

  // Neighbouring tasks are claimed together, an eighth of a thread's share at a time: they mostly read neighbouring
  // memory.
  void work() {
    const std::int64_t claim = std::max<std::int64_t>(1, job.count / (8 * (job.helpers + 1)));
    for (;;) {
      const std::int64_t first = cursor.fetch_add(claim, std::memory_order_relaxed);
      if (first >= job.count) return;
      try {
        for (std::int64_t i = first; i < std::min(first + claim, job.count); ++i) job.run(job.context, i);
      } catch (...) {
        const std::lock_guard lock(failure_guard);
        if (!failure) failure = std::current_exception();
        cursor.store(job.count, std::memory_order_relaxed);
      }
    }
  }

  Job job;
  int started = 0;
  static constexpr std::uint64_t shut = std::uint64_t{1} << 31, inside = shut - 1;
  std::uint32_t epoch = 0;
  Bell bells[most_threads];
  std::atomic<std::uint64_t> gate{shut};
  alignas(64) std::atomic<std::int64_t> cursor{0};
  std::mutex failure_guard;
  std::exception_ptr failure;
};

// Never destroyed: workers may still sleep in it when the process ends. A forked child has no workers and starts anew.
std::atomic<Pool*> current_pool{nullptr};

Pool& pool() {
  Pool* found = current_pool.load(std::memory_order_acquire);
  if (found) return *found;
  static const int fork_hook = pthread_atfork(nullptr, nullptr, [] { current_pool.store(nullptr); });
  (void)fork_hook;
  auto* made = new Pool;
  if (current_pool.compare_exchange_strong(found, made)) return *made;
  delete made;
  return *found;
}

void run_serially(const Job& job) {
  for (std::int64_t i = 0; i < job.count; ++i) job.run(job.context, i);
}

}  // namespace

void set_threads(int count) { wanted_threads.store(std::clamp(count, 0, most_threads)); }

int threads() noexcept {
  static const int by_default = default_threads();
  const int wanted = wanted_threads.load(std::memory_order_relaxed);
  return wanted > 0 ? wanted : by_default;
}

void run_tasks(std::int64_t count, void (*run)(void*, std::int64_t), void* context) {
  const Job job{run, context, count, 0};
  const auto helpers = static_cast<int>(std::min<std::int64_t>(threads(), count)) - 1;
  if (helpers < 1) return run_serially(job);
  Pool& shared = pool();
  const std::unique_lock lock(shared.busy, std::try_to_lock);
  if (!lock.owns_lock()) return run_serially(job);
  shared.run(job, helpers);
}

}  // namespace heddle
