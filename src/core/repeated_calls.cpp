#include "core/repeated_calls.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace heddle {

double seconds_of_calls(int calls, const std::function<void()>& call) {
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

Timing summary(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(std::lround(share * static_cast<double>(samples.size() - 1)))];
  };
  const std::size_t middle = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return {median, median > 0 ? (at(0.9) - at(0.1)) / median : 0, static_cast<int>(samples.size())};
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
  const auto begun = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(); };
  while (samples.size() < fewest || (spent() < seconds && samples.size() < most)) {
    if (before) before();
    samples.push_back(seconds_of_calls(batch, call) / batch);
  }
  return summary(std::move(samples));
}

}  // namespace heddle
