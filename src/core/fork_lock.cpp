#include "core/fork_lock.hpp"

#include <pthread.h>

namespace heddle {

namespace {
std::atomic<int> number{1};
}

int process_number() noexcept {
  static const int hook = pthread_atfork(nullptr, nullptr, [] { number.fetch_add(1); });
  (void)hook;
  return number.load(std::memory_order_relaxed);
}

}  // namespace heddle
