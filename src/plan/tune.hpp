// Trying candidates: build each, time its product, keep the figures.
#pragma once

#include <algorithm>
#include <optional>

#include <heddle/choose.hpp>

namespace heddle {

// How many of the ranked candidates effort = measure tries: those within 40 % of the best prediction, two to five, and
// csr, which is moved behind them: what everything is compared with.
template <class Score>
std::size_t few_best(std::vector<Candidate>& ranked, const Score& score) {
  constexpr std::size_t fewest = 2, most = 5;
  constexpr double worth = 1.4;
  std::size_t count = 0;
  while (count < ranked.size() && count < most && ranked[count].fits &&
         (count < fewest || score(ranked[count]) <= worth * score(ranked.front())))
    ++count;
  const auto end_of_few = ranked.begin() + static_cast<std::ptrdiff_t>(count);
  const auto csr = std::find_if(end_of_few, ranked.end(), [](const Candidate& c) { return c.plan.format == "csr"; });
  if (csr == ranked.end()) return count;
  std::rotate(end_of_few, csr, csr + 1);
  return count + 1;
}

// Trying must cost less than it gains: where so many products are all there will be, no more than this share of what
// building and they take.
inline constexpr double share_of_trials = 0.03;

// Of the first `count` those stay in front whose trials are predicted to take no more than `seconds` together; returns how
// many, none where one alone would be left to compare with nothing.
std::size_t keep_affordable(std::vector<Candidate>& ranked, std::size_t count, double seconds, bool on_gpu);

// Fills in the measured times of the first `count`; a plan that cannot be built stops fitting. With an allowance, in
// seconds, a few products of each are timed, and a trial that the clock leaves too little time for is left out.
template <class V>
void measure_candidates(const Csr<V>& A, const BuildOptions& how, std::size_t count, std::optional<double> allowance,
                        std::vector<Candidate>& candidates);

}  // namespace heddle
