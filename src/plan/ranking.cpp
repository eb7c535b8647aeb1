#include "plan/ranking.hpp"

#include <algorithm>

namespace heddle {

namespace {

void rank(std::vector<Candidate>& candidates, const Score& score, const Subject& subject, Effort effort) {
  const bool anywhere = score.products > 0 || effort == Effort::exhaustive;
  struct Place {
    bool misfit, by_host, guessed;
    double score;
    std::size_t turn;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  for (const Candidate& c : candidates)
    places.push_back(
        {!c.fits, !anywhere && is_built_by_host(subject, c.plan), !(c.measured_seconds > 0), score(c), places.size()});
  std::ranges::sort(places, [](const Place& a, const Place& b) { return a < b; });
  std::vector<Candidate> ranked;
  ranked.reserve(candidates.capacity());
  for (const Place& place : places) ranked.push_back(std::move(candidates[place.turn]));
  candidates = std::move(ranked);
}

}  // namespace

void put_in_order(std::vector<Candidate>& candidates, const Subject& subject, const Machine& machine,
                  const ChooseOptions& options) {
  const Score score{options.expected_multiplies};
  rank(candidates, score, subject, options.effort);
  if (candidates.empty() || !candidates.front().fits || candidates.front().measured_seconds > 0) return;
  if (machine.kind != Device::Kind::cpu) {
    prefer_fewer_bytes(candidates, score, subject);
  } else {
    prefer_little_to_read(candidates, score, machine);
    prefer_steady(candidates, score);
  }
}

}  // namespace heddle
