#include "generate/lengths_of.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

// The sum of twelve uniform numbers, less six: near enough to normal, and the same bits everywhere.
double normal(Draws& draws) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += draws.unit();
  return sum;
}

std::int64_t geometric(Draws& draws, double one_more) {
  std::int64_t count = 0;
  while (draws.chance(one_more)) ++count;
  return count;
}

// Of one row with entries, before the sum is right.
std::int64_t drawn(const LengthProfile& profile, double mean, Draws& draws) {
  switch (profile.law) {
    case LengthLaw::geometric: {
      const double one_more = 1 - 2 / (mean + 1);  // two numbers of mean (mean - 1) / 2
      return 1 + geometric(draws, one_more) + geometric(draws, one_more);
    }
    case LengthLaw::circuit: return 1 + draws.below(7);
    case LengthLaw::power: return static_cast<std::int64_t>(std::min(1e9, 1 / sixteenth_power(1 - draws.unit(), 12)));
    case LengthLaw::mesh: return 1 + draws.below(std::max<std::int64_t>(1, std::llround(2 * mean) - 1));
    case LengthLaw::steep: {
      const double u = draws.unit(), u5 = u * u * u * u * u;
      return static_cast<std::int64_t>(static_cast<double>(profile.longest) * (u5 * u5 * u5 * u5));
    }
    default: return static_cast<std::int64_t>(std::floor(mean + profile.deviation * normal(draws) + 0.5));
  }
}

Vector<std::int64_t> drawn_lengths(const LengthProfile& profile) {
  Vector<std::int64_t> lengths(static_cast<std::size_t>(profile.rows));
  const double mean =
      static_cast<double>(profile.nnz) / static_cast<double>(profile.rows) / std::max(0.001, 1 - profile.empty);
  Draws draws(profile.law == LengthLaw::circuit ? 2 : 1, 0);
  for (auto& length : lengths)
    length = profile.empty > 0 && draws.chance(profile.empty)
                 ? 0
                 : std::clamp(drawn(profile, mean, draws), profile.shortest, profile.longest);
  if (profile.law != LengthLaw::circuit) return lengths;
  std::int64_t left = profile.nnz - profile.longest - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  while (left > 0) {
    auto& length = lengths[static_cast<std::size_t>(draws.below(profile.rows))];
    const std::int64_t more = std::min({left, 1 + draws.below(profile.surplus), profile.longest - length});
    length += more;
    left -= more;
  }
  return lengths;
}

// Takes from or gives to rows picked at random, one entry at a time, until the sum is right. Empty rows stay empty.
void correct_sum(Vector<std::int64_t>& lengths, std::size_t keep, const LengthProfile& profile) {
  std::int64_t excess = std::accumulate(lengths.begin(), lengths.end(), -profile.nnz);
  Draws draws(3, 0);
  while (excess != 0) {
    const auto row = static_cast<std::size_t>(draws.below(profile.rows));
    if (row == keep || lengths[row] == 0) continue;
    if (excess > 0 && lengths[row] > profile.shortest) --lengths[row], --excess;
    if (excess < 0 && lengths[row] < profile.longest) ++lengths[row], ++excess;
  }
}

}  // namespace

Vector<std::int64_t> lengths_of(const LengthProfile& profile) {
  Vector<std::int64_t> lengths = drawn_lengths(profile);
  const auto longest = static_cast<std::size_t>(row_of_longest(profile.rows));
  lengths[longest] = profile.longest;
  correct_sum(lengths, longest, profile);
  return lengths;
}

}  // namespace heddle::synthetic
