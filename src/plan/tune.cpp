#include "plan/tune.hpp"

#include <algorithm>
#include <chrono>

#include <heddle/error.hpp>

#include "core/watch.hpp"
#include "machine/timing.hpp"

namespace heddle {

namespace {

constexpr double budget = 0.02;         // seconds for each candidate's product
constexpr double products_of_few = 16;  // where that is too long

template <class V>
void measure(const Csr<V>& A, const BuildOptions& how, const Buffer<V>& x, Buffer<V>& y, bool briefly,
             Candidate& candidate) {
  const auto begun = std::chrono::steady_clock::now();
  const Operator<V> op = build(A, candidate.plan, how);
  candidate.measured_build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const double seconds = briefly ? std::min(budget, products_of_few * candidate.predicted_seconds) : budget;
  candidate.measured_seconds = time_multiply<V>(op, x, y, seconds, false).median;
  candidate.bytes = op.bytes();
}

}  // namespace

std::size_t keep_affordable(std::vector<Candidate>& ranked, std::size_t count, double seconds_in_all) {
  constexpr double share = 0.03;
  double left = share * seconds_in_all;
  std::vector<Candidate> kept, others;
  for (std::size_t i = 0; i < count; ++i) {
    const double takes = ranked[i].predicted_build_seconds + products_of_few * ranked[i].predicted_seconds;
    const bool affordable = takes <= left;
    if (affordable) left -= takes;
    (affordable ? kept : others).push_back(std::move(ranked[i]));
  }
  std::ranges::move(others, std::ranges::move(kept, ranked.begin()).out);
  return kept.size() < 2 ? 0 : kept.size();
}

template <class V>
void measure_candidates(const Csr<V>& A, const BuildOptions& how, std::size_t count, bool briefly,
                        std::vector<Candidate>& candidates) {
  if (count == 0) return;
  const Device device = *how.device;
  Buffer<V> ones(A.cols);
  std::fill(ones.begin(), ones.end(), V(1));
  const Buffer<V> x = std::move(ones).owned_on(device);
  Buffer<V> y(A.rows, device);
  const std::size_t trials = std::min(count, candidates.size());
  for (std::size_t i = 0; i < trials; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(trials);
    if (!Watch::tries_on(share)) return;
    Candidate& candidate = candidates[i];
    if (!candidate.fits) continue;
    try {
      measure(A, how, x, y, briefly, candidate);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable) throw;
      candidate.fits = false;
    }
  }
}

template void measure_candidates(const Csr<float>&, const BuildOptions&, std::size_t, bool, std::vector<Candidate>&);
template void measure_candidates(const Csr<double>&, const BuildOptions&, std::size_t, bool, std::vector<Candidate>&);

}  // namespace heddle
