#include "plan/preferences.hpp"

#include <algorithm>
#include <limits>

#include "cost/units.hpp"
#include "formats/format.hpp"
#include "plan/all_rules.hpp"
#include "plan/explain.hpp"

namespace heddle {

bool is_built_by_host(const Subject& subject, const Plan& plan) {
  return subject.on_device && !registered_format(plan.format).builds_there;
}

// Of plans that are predicted to take the same, the one with far fewer bytes: where caches hold nothing of the matrix
// yet these are what is waited for (150,000 rows of up to 7 entries, half of them empty: 4.0 us with 8.4 MB and
// with 2.6 MB when the L2 holds them, 7.7 and 7.1 when it does not; H200).
void prefer_fewer_bytes(std::vector<Candidate>& candidates, const Score& score, const Subject& subject) {
  constexpr double same = 1.04, far_fewer = 0.5;
  if (candidates.empty() || !candidates.front().fits) return;
  const double time = score(candidates.front()), bytes = static_cast<double>(candidates.front().bytes);
  const bool by_host = is_built_by_host(subject, candidates.front().plan);
  const auto better = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return c.fits && is_built_by_host(subject, c.plan) == by_host && score(c) <= same * time &&
           static_cast<double>(c.bytes) <= far_fewer * bytes;
  });
  if (better != candidates.end()) std::rotate(candidates.begin(), better, better + 1);
}

namespace {

// On a CPU one product in sixteen counts as one that finds nothing of the matrix in the caches: one core reads its
// first half megabyte then, before others are awake, so that bytes are what is waited for. (qh1484 by ellr, 240 KB:
// 2.6 us with warm and 34.6 with cold caches; Eigen, 79 KB: 6.9 and 16.8; sixteen cores, double.) Of 514 choices on
// sixteen cores 12 change: half the bytes for 9 % more time with warm caches.
double with_cold_caches(const Candidate& c, const Score& score, const Machine& machine) {
  constexpr double share = 1.0 / 16, beyond_caches = 1 << 30;
  const double rate = rate_at(machine.core_read.empty() ? machine.read : machine.core_read, beyond_caches);
  const auto bytes = static_cast<double>(std::min(c.bytes, read_by_one_core));
  return score(c) + std::max(1.0, score.products) * share * bytes / rate * nano;
}

}  // namespace

void prefer_little_to_read(std::vector<Candidate>& candidates, const Score& score, const Machine& machine) {
  const auto time = [&](const Candidate& c) {
    return c.fits ? with_cold_caches(c, score, machine) : std::numeric_limits<double>::infinity();
  };
  if (candidates.empty() || !candidates.front().fits) return;
  const auto best = std::ranges::min_element(candidates, {}, time);
  std::rotate(candidates.begin(), best, best + 1);
}

// Of csr and a steady format (runs) that are predicted to take the same, the steady one, where caches do not hold the
// matrix: no length of a row is a surprise there and few reads of x are alone, so that it takes as long whoever else
// uses the machine (a circuit of 3.6 M doubles on two busy cores, round by round: 1.62 to 1.70 ms, csr 2.3 to 4.3; none
// of 164 to 172 choices of eight runs on two and sixteen cores changes by it).
void prefer_steady(std::vector<Candidate>& candidates, const Score& score) {
  constexpr double same = 1.1;
  constexpr std::int64_t own_caches = 16 << 20;
  if (candidates.empty() || candidates.front().plan.format != "csr" || candidates.front().bytes < own_caches) return;
  const double time = score(candidates.front());
  const auto steady = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return c.fits && find_rules(c.plan.format)->steady && score(c) <= same * time;
  });
  if (steady != candidates.end()) std::rotate(candidates.begin(), steady, steady + 1);
}

}  // namespace heddle
