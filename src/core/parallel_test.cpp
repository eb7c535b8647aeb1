#include "core/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <heddle/device.hpp>

namespace heddle {
namespace {

class Parallel : public testing::Test {
 protected:
  void TearDown() override { set_threads(0); }
};

// How often each task ran.
std::vector<int> runs_of(std::int64_t count) {
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
  parallel_tasks(count, [&](std::int64_t i) { runs[static_cast<std::size_t>(i)].fetch_add(1); });
  return {runs.begin(), runs.end()};
}

TEST_F(Parallel, runs_every_task_once_in_many_short_jobs_one_after_the_other) {
  for (const int count : {2, 3, 7}) {
    set_threads(count);
    for (std::int64_t job = 0; job < 3000; ++job) {
      const std::int64_t tasks = 2 + job % 9;
      ASSERT_EQ(runs_of(tasks), std::vector<int>(static_cast<std::size_t>(tasks), 1)) << "job " << job;
    }
  }
}

TEST_F(Parallel, works_from_several_threads_and_inside_itself) {
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

TEST_F(Parallel, hands_on_the_exception_of_a_task_and_works_afterwards) {
  set_threads(3);
  for (int job = 0; job < 100; ++job)
    EXPECT_THROW(parallel_tasks(8, [](std::int64_t i) { i == 5 ? throw std::runtime_error("five") : void(); }),
                 std::runtime_error);
  EXPECT_EQ(runs_of(50), std::vector<int>(50, 1));
}

TEST_F(Parallel, works_in_a_forked_child) {
  set_threads(2);
  EXPECT_EQ(runs_of(20), std::vector<int>(20, 1));
  const pid_t child = fork();
  if (child == 0) _exit(runs_of(20) == std::vector<int>(20, 1) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace heddle
