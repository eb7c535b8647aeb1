// A mutex that a forked child finds open: the thread that held it at the fork does not exist in the child.
#pragma once

#include <atomic>

namespace heddle {

// 1, and one more in every forked child.
int process_number() noexcept;

class ForkLock {
 public:
  ForkLock() = default;
  ForkLock(const ForkLock&) = delete;

  void lock() noexcept {
    const int mine = process_number();
    for (int seen = 0; !holder_.compare_exchange_strong(seen, mine, std::memory_order_acquire); seen = 0) {
      // Of a parent: it is taken from there, by one thread of this process.
      if (seen != 0 && seen != mine && holder_.compare_exchange_strong(seen, mine, std::memory_order_acquire)) return;
      if (seen == mine) holder_.wait(mine, std::memory_order_relaxed);
    }
  }
  void unlock() noexcept {
    holder_.store(0, std::memory_order_release);
    holder_.notify_one();
  }

 private:
  std::atomic<int> holder_{0};  // 0, or the number of the process one of whose threads has it
};

}  // namespace heddle
