// How long something takes, by the clock on the wall: once, or the median of many calls with its spread.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <vector>

#include "core/gpu.hpp"

namespace heddle {

using gpu::Timing;

class WallClock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count(); }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

template <std::invocable F>
double seconds_of(F&& call) {
  const WallClock clock;
  call();
  return clock.seconds();
}

// The middle of numbers, of which there must be some: of an even count the mean of the two in the middle, or the upper
// of them, which was measured (what is stored and compared over the months has that).
double median(std::vector<double> values);
double upper_median(std::vector<double> values);

// Median, and (90th - 10th percentile) / median. `samples` must not be empty.
Timing summary(std::vector<double> samples);

// All of them together.
double seconds_of_calls(int calls, const std::function<void()>& call);

// Calls `call` once to warm up, then until `seconds` are spent, three times at least (once when a call takes longer
// than the whole budget). Calls below 10 us are timed several at a time. `before` runs untimed before each timed call.
Timing time_calls(double seconds, const std::function<void()>& call, const std::function<void()>& before = {});

}  // namespace heddle
