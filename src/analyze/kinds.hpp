// From a sample to all: how many kinds of things there are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace heddle {

// How many kinds there are among `all` things, of which `looked_at` were seen to be of `seen` kinds: as many as would
// be met so often if all were equally frequent. Where no kind was met twice, as if a tenth of one had been.
inline std::int64_t kinds_in_all(std::int64_t seen, std::int64_t looked_at, std::int64_t all) {
  const auto looks = static_cast<double>(looked_at);
  const double kinds_met = std::min(static_cast<double>(seen), looks - 0.1);
  const auto met = [&](double kinds) { return kinds * -std::expm1(-looks / kinds); };
  double low = static_cast<double>(seen), high = static_cast<double>(std::max(seen, all));
  if (seen == 0 || met(high) <= kinds_met) return std::llround(high);
  while (high > 1.001 * low) {
    const double middle = std::sqrt(low * high);
    (met(middle) < kinds_met ? low : high) = middle;
  }
  return std::llround(low);
}

}  // namespace heddle
