// Loops over several threads. The split never depends on the number of threads, so neither does any result.
//
// Safe to call from several user threads, from inside an OpenMP region, from inside another parallel loop and after
// fork(): a thread that finds the pool busy runs its own tasks itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

namespace heddle {

// Cores that the calling thread may run on, and the one that it runs on; -1: unknown.
int allowed_cores();
int this_core();
// Moves the calling thread to another core that it may run on. False: it is not on `core`, or there is no other.
bool leave_core(int core);

// Calls run(context, first, last) for stretches that together are [0, count), some of them at the same time, on a
// thread more for every `per_thread` tasks; little work that comes alone wakes no thread. An exception of a task is
// rethrown here, once all have ended. Never allocates after the first call. Which thread runs which tasks depends on
// `count` alone, as far as all keep step: what they read lies in the caches of the same cores the next time.
void run_tasks(std::int64_t count, std::int64_t per_thread,
               void (*run)(void* context, std::int64_t first, std::int64_t last), void* context);

// f(first, last) for stretches of tasks.
template <class F>
void parallel_stretches(std::int64_t count, std::int64_t per_thread, F&& f) {
  run_tasks(
      count, per_thread,
      [](void* context, std::int64_t first, std::int64_t last) {
        (*static_cast<std::remove_reference_t<F>*>(context))(first, last);
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

// f(i) for every i in [0, count).
template <class F>
void parallel_tasks(std::int64_t count, F&& f) {
  parallel_stretches(count, 1, [&](std::int64_t first, std::int64_t last) {
    for (; first < last; ++first) f(first);
  });
}

// f(begin, end) over pieces of `grain` elements.
template <class F>
void parallel_ranges(std::int64_t count, std::int64_t grain, F&& f) {
  parallel_tasks(count / grain + (count % grain > 0 ? 1 : 0), [&](std::int64_t task) {
    const std::int64_t begin = task * grain;
    f(begin, begin + std::min(grain, count - begin));
  });
}

// Products hand out tasks of 1 K entries, which share evenly among many cores, and call another thread for every 4 K:
// they take about 1 us, and calling a thread that is awake and waiting for it takes half of one. (Two cores, 2026-11:
// `well1850`, 8,758 entries, took 2.1 us with one for every 8 K, 1.7 so; above 16 K there was no difference.)
inline constexpr std::int64_t work_per_task = 1024, tasks_per_thread = 4;

// f(begin, end) over stretches of `count` items that all together are `work` entries.
template <class F>
void parallel_work(std::int64_t count, std::int64_t work, F&& f) {
  const std::int64_t tasks = std::clamp<std::int64_t>(work / work_per_task, 1, std::max<std::int64_t>(count, 1));
  const auto item = [&](std::int64_t task) { return count / tasks * task + std::min(task, count % tasks); };
  parallel_stretches(
      tasks, std::max<std::int64_t>(1, tasks_per_thread * work_per_task * tasks / std::max<std::int64_t>(work, 1)),
      [&](std::int64_t first, std::int64_t last) { f(item(first), item(last)); });
}

}  // namespace heddle
