#include "core/stopwatch.hpp"

#include <algorithm>
#include <cmath>

namespace heddle {

double upper_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double seconds_of_calls(int calls, const std::function<void()>& call) {
  return seconds_of([&] {
    for (int i = 0; i < calls; ++i) call();
  });
}

Timing summary(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(std::lround(share * static_cast<double>(samples.size() - 1)))];
  };
  const double middle = median(samples);
  return {middle, middle > 0 ? (at(0.9) - at(0.1)) / middle : 0, static_cast<int>(samples.size())};
}

Timing time_calls(double seconds, const std::function<void()>& call, const std::function<void()>& before) {
  constexpr double shortest = 10e-6;
  constexpr std::size_t fewest = 3, most = 10000;
  if (before) before();
  const double first = seconds_of_calls(1, call);
  if (first > seconds) return {first, 0, 1};
  // The first call paid for page faults and waking threads; the second says how many calls make a sample.
  const double second = seconds_of_calls(1, call);
  const int batch = before ? 1 : static_cast<int>(std::ceil(shortest / std::max(second, shortest / 1000)));
  std::vector<double> samples;
  const WallClock clock;
  while (samples.size() < fewest || (clock.seconds() < seconds && samples.size() < most)) {
    if (before) before();
    samples.push_back(seconds_of_calls(batch, call) / batch);
  }
  return summary(std::move(samples));
}

}  // namespace heddle
