#include "core/fork_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <thread>
#include <vector>

namespace heddle {
namespace {

TEST(ForkLock, lets_one_thread_in_at_a_time) {
  ForkLock lock;
  long sum = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        const std::lock_guard guard(lock);
        ++sum;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sum, 80000);
}

// The thread that holds it is not in the child; a mutex would be locked there for ever.
TEST(ForkLock, is_open_in_a_child_that_was_forked_while_another_thread_held_it) {
  ForkLock lock;
  std::atomic<bool> held{false}, let_go{false};
  std::thread holder([&] {
    const std::lock_guard guard(lock);
    held = true;
    while (!let_go) std::this_thread::yield();
  });
  while (!held) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    for (int i = 0; i < 2; ++i) {
      lock.lock();
      lock.unlock();
    }
    const pid_t grandchild = (lock.lock(), fork());  // held by the thread that goes on
    lock.unlock();
    if (grandchild == 0) _exit(0);
    int status = -1;
    waitpid(grandchild, &status, 0);
    _exit(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  let_go = true;
  holder.join();
}

}  // namespace
}  // namespace heddle
