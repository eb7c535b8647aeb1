// Asks in the loops of the C library's own, as heddle::watched does in those of the C++ library.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <heddle/error.hpp>
#include <heddle/progress.hpp>

namespace heddle::c {

class Asking {
 public:
  Asking(const KeepGoing& ask, std::string_view stage) : ask_(ask), stage_(stage) {}

  // f(first, last) for stretches that together are [0, count), in order. The loop is [from, to] of the stage.
  template <class F>
  void loop(int64_t count, double from, double to, F&& f) {
    constexpr int64_t stretch = 1 << 16;
    for (int64_t first = 0; first < count; first += stretch) {
      ask_in_time(from + (to - from) * static_cast<double>(first) / static_cast<double>(count));
      f(first, std::min(first + stretch, count));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  void ask_in_time(double done) {
    constexpr std::chrono::milliseconds between{50};
    if (!ask_ || Clock::now() - asked_ < between) return;
    const bool go_on = ask_(stage_, done);
    asked_ = Clock::now();
    if (!go_on) throw Error(ErrorKind::stopped, "stopped by the caller while Heddle was to " + std::string(stage_));
  }

  const KeepGoing& ask_;
  std::string_view stage_;
  Clock::time_point asked_ = Clock::now();
};

}  // namespace heddle::c
