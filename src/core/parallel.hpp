// Loops over several threads. The split never depends on the number of threads, so neither does any result.
//
// Safe to call from several user threads, from inside an OpenMP region, from inside another parallel loop and after
// fork(): whoever finds the pool busy runs its own tasks itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

namespace heddle {

// Calls run(context, i) for every i in [0, count), some of them at the same time. An exception of a task is rethrown
// here, once all running tasks have ended. Never allocates after the first call.
void run_tasks(std::int64_t count, void (*run)(void* context, std::int64_t index), void* context);

template <class F>
void parallel_tasks(std::int64_t count, F&& f) {
  run_tasks(
      count, [](void* context, std::int64_t index) { (*static_cast<std::remove_reference_t<F>*>(context))(index); },
      const_cast<void*>(static_cast<const void*>(std::addressof(f))));
}

// How many of `count` items make a task worth handing out, when all of them together are `work` entries.
inline std::int64_t items_of_task(std::int64_t count, std::int64_t work, std::int64_t most) {
  constexpr std::int64_t worthwhile = 1 << 15;
  return std::clamp<std::int64_t>(count * worthwhile / std::max<std::int64_t>(work, 1), 1, most);
}

// f(begin, end) over pieces of `grain` elements.
template <class F>
void parallel_ranges(std::int64_t count, std::int64_t grain, F&& f) {
  parallel_tasks((count + grain - 1) / grain,
                 [&](std::int64_t task) { f(task * grain, std::min(count, (task + 1) * grain)); });
}

}  // namespace heddle
