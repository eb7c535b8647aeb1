#include "plan/tune.hpp"

#include <algorithm>
#include <chrono>

#include <heddle/error.hpp>

#include "core/watch.hpp"
#include "layout/scale.hpp"
#include "machine/timing.hpp"
#include "simt/where.hpp"

namespace heddle {

namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

constexpr double budget = 0.02;         // seconds for each candidate's product
constexpr double products_of_few = 16;  // where that is too long

// A graph is made and run four times with a tenth of a millisecond of products, streams and events come and go.
constexpr double timing_on_gpu = 0.8e-3;

double trial_seconds(const Candidate& candidate, bool on_gpu) {
  return candidate.predicted_build_seconds + products_of_few * candidate.predicted_seconds +
         (on_gpu ? timing_on_gpu : 0);
}

template <class V>
void measure(const Csr<V>& A, const BuildOptions& how, const Buffer<V>& x, Buffer<V>& y, bool briefly,
             Candidate& candidate) {
  const auto begun = Clock::now();
  const Operator<V> op = build(A, candidate.plan, how);
  candidate.measured_build_seconds = since(begun);
  const double seconds = briefly ? std::min(budget, products_of_few * candidate.predicted_seconds) : budget;
  candidate.measured_seconds = time_multiply<V>(op, x, y, seconds, false).median;
  candidate.bytes = op.bytes();
}

// Ones; zeros on a GPU, where a vector of the host would be on its way longer than a hundred products.
template <class V>
Buffer<V> some_x(std::int64_t size, Device device) {
  Buffer<V> x(size, device);
  if (device.host_memory())
    std::fill(x.begin(), x.end(), V(1));
  else
    on(device, [&](auto where) { scale(where, Update<V>{.beta = 0, .y = x.data()}, size, {}); });
  return x;
}

}  // namespace

std::size_t keep_affordable(std::vector<Candidate>& ranked, std::size_t count, double seconds, bool on_gpu) {
  std::vector<Candidate> kept, others;
  for (std::size_t i = 0; i < count; ++i) {
    const double takes = trial_seconds(ranked[i], on_gpu);
    const bool affordable = takes <= seconds;
    if (affordable) seconds -= takes;
    (affordable ? kept : others).push_back(std::move(ranked[i]));
  }
  std::ranges::move(others, std::ranges::move(kept, ranked.begin()).out);
  return kept.size() < 2 ? 0 : kept.size();
}

template <class V>
void measure_candidates(const Csr<V>& A, const BuildOptions& how, std::size_t count, std::optional<double> allowance,
                        std::vector<Candidate>& candidates) {
  if (count == 0) return;
  const auto begun = Clock::now();
  const Device device = *how.device;
  const Buffer<V> x = some_x<V>(A.cols, device);
  Buffer<V> y(A.rows, device);
  const std::size_t trials = std::min(count, candidates.size());
  for (std::size_t i = 0; i < trials; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(trials);
    if (!Watch::tries_on(share)) return;
    Candidate& candidate = candidates[i];
    const bool in_time = !allowance || since(begun) + trial_seconds(candidate, !device.host_memory()) <= *allowance;
    if (!candidate.fits || !in_time) continue;
    try {
      measure(A, how, x, y, allowance.has_value(), candidate);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable) throw;
      candidate.fits = false;
    }
  }
}

template void measure_candidates(const Csr<float>&, const BuildOptions&, std::size_t, std::optional<double>,
                                 std::vector<Candidate>&);
template void measure_candidates(const Csr<double>&, const BuildOptions&, std::size_t, std::optional<double>,
                                 std::vector<Candidate>&);

}  // namespace heddle
