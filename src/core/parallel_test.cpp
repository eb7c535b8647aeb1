#include "core/parallel.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <heddle/device.hpp>

#include "core/grain.hpp"
#include "core/isa.hpp"

namespace heddle {
namespace {

// How often each task ran.
std::vector<int> runs_of(std::int64_t count) {
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
  parallel_tasks(count, [&](std::int64_t i) { runs[static_cast<std::size_t>(i)].fetch_add(1); });
  return {runs.begin(), runs.end()};
}

TEST(Parallel, runs_every_task_once_in_many_short_jobs_one_after_the_other) {
  for (const int count : {2, 3, 7}) {
    set_threads(count);
    for (std::int64_t job = 0; job < 3000; ++job) {
      const std::int64_t tasks = 2 + job % 9;
      ASSERT_EQ(runs_of(tasks), std::vector<int>(static_cast<std::size_t>(tasks), 1)) << "job " << job;
    }
  }
}

TEST(Parallel, runs_every_task_once_whatever_the_numbers_of_tasks_and_threads) {
  for (const int count : {1, 2, 3, 5, 16, 40}) {
    set_threads(count);
    for (const std::int64_t tasks : {0, 1, 2, 15, 16, 17, 33, 64, 100, 127, 640, 1000, 5119, 5120, 12345})
      ASSERT_EQ(runs_of(tasks), std::vector<int>(static_cast<std::size_t>(tasks), 1)) << count << " threads";
  }
}

TEST(Parallel, cuts_stretches_that_follow_each_other_and_calls_a_thread_for_so_many_tasks) {
  set_threads(4);
  gathers_pay = {true, true, true};
  const auto callers_of = [](std::int64_t tasks, std::int64_t per_thread) {
    std::mutex guard;
    std::set<std::thread::id> seen;
    std::map<std::int64_t, std::int64_t> stretches;
    parallel_stretches(tasks, per_thread, [&](std::int64_t first, std::int64_t last) {
      const std::lock_guard lock(guard);
      seen.insert(std::this_thread::get_id());
      stretches[first] = last;
    });
    std::int64_t at = 0;
    for (const auto& [first, last] : stretches) {
      EXPECT_EQ(first, at);
      EXPECT_GT(last, first);
      at = last;
    }
    EXPECT_EQ(at, tasks);
    return seen.size();
  };
  for (int job = 0; job < 200; ++job) {
    EXPECT_EQ(callers_of(7, 4), 1U);
    EXPECT_LE(callers_of(8, 4), 2U);
    EXPECT_LE(callers_of(1000, 4), 4U);
  }
}

TEST(Parallel, calls_a_thread_for_fewer_tasks_where_elements_of_x_are_loaded_one_by_one) {
  set_threads(2);
  // Each thread waits for the other for a while.
  const auto come_for_seven = [] {
    std::mutex guard;
    std::set<std::thread::id> seen;
    const auto both = [&] {
      const std::lock_guard lock(guard);
      seen.insert(std::this_thread::get_id());
      return seen.size() == 2;
    };
    parallel_stretches(7, 8, [&](std::int64_t, std::int64_t) {
      for (int look = 0; look < 300 && !both(); ++look) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    return seen.size();
  };
  gathers_pay = {true, true, true};
  EXPECT_EQ(come_for_seven(), 1U);
  gathers_pay = {};
  std::size_t came = 0;
  for (int attempt = 0; attempt < 20 && came < 2; ++attempt) {
    runs_of(100);  // so little work wakes no thread
    came = come_for_seven();
  }
  EXPECT_EQ(came, isa() == Isa::baseline ? 1U : 2U);
}

TEST(Parallel, does_the_tasks_of_a_thread_that_is_held_up) {
  set_threads(3);
  constexpr std::int64_t tasks = 300;
  for (int job = 0; job < 100; ++job) {
    std::vector<std::atomic<int>> runs(tasks);
    std::atomic<std::int64_t> ended{0};
    std::atomic<bool> one_waits{false};
    parallel_tasks(tasks, [&](std::int64_t i) {
      runs[static_cast<std::size_t>(i)].fetch_add(1);
      // The first thread is held up until most of the tasks have ended: its own share is a third of them.
      if (!one_waits.exchange(true))
        while (ended.load() < tasks * 8 / 10) std::this_thread::yield();
      ended.fetch_add(1);
    });
    for (const auto& count : runs) ASSERT_EQ(count.load(), 1);
  }
}

TEST(Parallel, calls_workers_that_sleep_and_workers_that_look) {
  set_threads(4);
  for (int job = 0; job < 60; ++job) {
    ASSERT_EQ(runs_of(100), std::vector<int>(100, 1));
    // Longer than a worker looks, every other time; small jobs in between call only one of them.
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(job % 2 == 0 ? 500 : 5);
    while (std::chrono::steady_clock::now() < until) {
      if (job % 4 == 1) {
        ASSERT_EQ(runs_of(2), std::vector<int>(2, 1));
      }
    }
  }
}

// Longer than a worker looks for a job before it sleeps.
void let_workers_sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

// How many run tasks of a job that is worth `threads` of them; each of its stretches waits so long for a second one.
std::size_t threads_of(std::int64_t threads, std::int64_t per_thread, int milliseconds) {
  std::mutex guard;
  std::set<std::thread::id> seen;
  const auto alone = [&] {
    const std::lock_guard lock(guard);
    seen.insert(std::this_thread::get_id());
    return seen.size() == 1;
  };
  parallel_stretches(threads * per_thread, per_thread, [&](std::int64_t, std::int64_t) {
    for (int look = 0; alone() && look < milliseconds; ++look)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  return seen.size();
}

TEST(Parallel, wakes_threads_for_much_work_and_for_little_that_follows_other_little_work) {
  constexpr int at_once = 0, a_while = 10, long_enough = 300, however_busy = 5000;
  set_threads(2);
  gathers_pay = {true, true, true};
  EXPECT_EQ(threads_of(2, 1, however_busy), 2U);  // of unknown size
  int alone = 0;
  for (int attempt = 0; attempt < 10 && alone < 15; ++attempt) {  // on a busy machine a worker may still be looking
    alone = 0;
    for (int job = 0; job < 20; ++job) {
      let_workers_sleep();
      alone += threads_of(4, 4, a_while) == 1;
    }
  }
  EXPECT_GE(alone, 15);
  bool woken = false;
  for (int attempt = 0; attempt < 100 && !woken; ++attempt) {  // the second may be held up
    let_workers_sleep();
    threads_of(4, 4, at_once);
    woken = threads_of(4, 4, long_enough) == 2;
  }
  EXPECT_TRUE(woken);
  let_workers_sleep();
  EXPECT_EQ(threads_of(100, 4, however_busy), 2U);
}

#if defined(__linux__)
// And may run where it might before.
TEST(Parallel, leaves_a_core_for_another) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_FALSE(leave_core(-1));
  EXPECT_FALSE(leave_core(CPU_SETSIZE));
  bool left = false;
  for (int attempt = 0; attempt < 1000 && !left; ++attempt) {  // the system may move it, too
    const int core = this_core();
    left = leave_core(core) && this_core() != core;
  }
  EXPECT_EQ(left, CPU_COUNT(&before) > 1);
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

// One thread that may not leave its core, and one that may.
TEST(Parallel, leaves_only_the_core_it_is_on_and_only_for_one_it_may_have) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const int core = this_core();
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_FALSE(leave_core(core));
  EXPECT_FALSE(leave_core(core + 1));
  EXPECT_EQ(this_core(), core);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}
#endif

TEST(Parallel, begins_with_the_same_share_on_the_same_thread_every_time) {
  set_threads(2);
  constexpr std::int64_t tasks = 64;
  std::thread::id worker;
  for (int job = 0; job < 20; ++job) {
    std::atomic<int> begun{0};
    std::thread::id by[2];
    parallel_tasks(tasks, [&](std::int64_t i) {
      if (i % (tasks / 2) != 0) return;
      by[i / (tasks / 2)] = std::this_thread::get_id();
      for (begun.fetch_add(1); begun.load() < 2;) std::this_thread::yield();
    });
    if (job == 0) worker = by[1];
    EXPECT_EQ(by[0], std::this_thread::get_id());
    EXPECT_NE(by[1], by[0]);
    EXPECT_EQ(by[1], worker);
  }
}

TEST(Parallel, works_from_several_threads_and_inside_itself) {
  set_threads(4);
  std::atomic<int> total{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (int job = 0; job < 200; ++job)
        parallel_tasks(4, [&](std::int64_t) { parallel_tasks(3, [&](std::int64_t) { total.fetch_add(1); }); });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total.load(), 3 * 200 * 4 * 3);
}

TEST(Parallel, hands_on_the_exception_of_a_task_and_works_afterwards) {
  set_threads(3);
  for (int job = 0; job < 100; ++job)
    EXPECT_THROW(parallel_tasks(8, [](std::int64_t i) { i == 5 ? throw std::runtime_error("five") : void(); }),
                 std::runtime_error);
  EXPECT_EQ(runs_of(50), std::vector<int>(50, 1));
}

TEST(Parallel, counts_the_cores_that_a_thread_may_run_on) {
#if defined(__linux__)
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(allowed_cores(), 1);
  }).join();
#endif
  EXPECT_GE(allowed_cores(), 1);
}

TEST(Parallel, works_in_a_forked_child) {
  set_threads(2);
  EXPECT_EQ(runs_of(20), std::vector<int>(20, 1));
  const pid_t child = fork();
  if (child == 0) _exit(runs_of(20) == std::vector<int>(20, 1) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// 1,400 rows of 1,400 entries are tasks for all cores, rows of three entries are handed out as many as may be.
TEST(Grain, is_as_many_items_as_are_enough_work_and_one_at_least) {
  EXPECT_EQ(grain_for(1400, 1400 * 1400, 512), 23);
  EXPECT_EQ(grain_for(1'000'000, 3'000'000, 512), 512);
  EXPECT_EQ(grain_for(8, 1'600'000, 512), 1);
  EXPECT_EQ(grain_for(0, 0, 512), 512);
  EXPECT_EQ(grain_for(100, 0, 0), 1);
}

}  // namespace
}  // namespace heddle
