// Asks a caller's KeepGoing while the calling thread does long work: at each stage, and before parallel loops.
#pragma once

#include <chrono>

#include <heddle/progress.hpp>

namespace heddle {

// While it lives, `ask` is asked; a watch outside it takes over where `ask` is empty. What a false ends is the call, by
// Error(stopped), or only trials of plans: those tried so far decide then, and nothing else is asked of that watch.
class Watch {
 public:
  enum class Ends { call, trials };
  explicit Watch(const KeepGoing& ask, Ends ends = Ends::call);
  ~Watch();
  Watch(const Watch&) = delete;

  // Asks at once. A thread without a watch does nothing here.
  static void enter(std::string_view stage, double done = 0);
  // Asks unless that was less than 50 ms ago.
  static void step(double done);
  static bool present() { return current != nullptr; }
  static void pass() {
    if (current != nullptr) [[unlikely]]
      current->ask_in_time();
  }
  // Before each trial, with the share of them that is done: false when there shall be no more.
  static bool tries_on(double done);
  static bool trials_ended();

 private:
  void ask_now();
  void ask_in_time();

  static thread_local constinit Watch* current;  // the innermost that ends the call ...
  static thread_local constinit Watch* trials;   // ... and that ends trials
  const KeepGoing& ask_;
  Watch *outer_, *outer_trials_;
  std::string_view stage_;
  double done_ = 0;
  std::chrono::steady_clock::time_point asked_;
  bool asking_ = false, ended_ = false;
};

}  // namespace heddle
