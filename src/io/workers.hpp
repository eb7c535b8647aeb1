// A parallel loop that honours ReadOptions::threads: fewer threads than the pool has, without touching the pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <heddle/device.hpp>

#include "core/parallel.hpp"
#include "core/watch.hpp"

namespace heddle::io {

inline int thread_count(int wanted) { return wanted > 0 ? wanted : threads(); }

// f(task, state), with one State for each thread that takes part.
template <class State, class F>
void run_on_with(int wanted_threads, std::int64_t count, F&& f) {
  std::atomic<std::int64_t> cursor{0};
  const auto workers = std::min<std::int64_t>(thread_count(wanted_threads), count);
  parallel_tasks(workers, [&](std::int64_t) {
    State state{};
    try {
      for (std::int64_t task = cursor.fetch_add(1); task < count; task = cursor.fetch_add(1)) {
        Watch::pass();
        f(task, state);
      }
    } catch (...) {
      cursor.store(count);  // the others stop at their next task
      throw;
    }
  });
}

template <class F>
void run_on(int wanted_threads, std::int64_t count, F&& f) {
  struct Nothing {};
  run_on_with<Nothing>(wanted_threads, count, [&](std::int64_t task, Nothing&) { f(task); });
}

// f(begin, end) over pieces of `grain` elements.
template <class F>
void run_ranges_on(int wanted_threads, std::int64_t count, std::int64_t grain, F&& f) {
  run_on(wanted_threads, (count + grain - 1) / grain,
         [&](std::int64_t task) { f(task * grain, std::min(count, (task + 1) * grain)); });
}

}  // namespace heddle::io
