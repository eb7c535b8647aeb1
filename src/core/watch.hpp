// Asks a caller's KeepGoing while the calling thread does long work: at each stage, and before parallel loops.
#pragma once

#include <chrono>

#include <heddle/progress.hpp>

namespace heddle {

// While it lives, `ask` is asked; a watch outside it takes over where `ask` is empty.
class Watch {
 public:
  explicit Watch(const KeepGoing& ask);
  ~Watch();
  Watch(const Watch&) = delete;

  // Asks at once. A thread without a watch does nothing here.
  static void enter(std::string_view stage, double done = 0);
  // Asks unless that was less than 50 ms ago.
  static void step(double done);
  static void pass() {
    if (current != nullptr) [[unlikely]]
      current->ask_in_time();
  }

 private:
  void ask_now();
  void ask_in_time();

  static thread_local constinit Watch* current;
  const KeepGoing& ask_;
  Watch* outer_;
  std::string_view stage_;
  double done_ = 0;
  std::chrono::steady_clock::time_point asked_;
  bool asking_ = false;
};

}  // namespace heddle
