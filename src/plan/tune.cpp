#include "plan/tune.hpp"

#include <algorithm>
#include <chrono>

#include <heddle/error.hpp>

#include "plan/timing.hpp"

namespace heddle {

namespace {

constexpr double budget = 0.02;  // seconds for each candidate's product

template <class V>
void measure(const Csr<V>& A, Device device, const Buffer<V>& x, Buffer<V>& y, Candidate& candidate) {
  const auto begun = std::chrono::steady_clock::now();
  const Operator<V> op = build(A, candidate.plan, {.device = device});
  candidate.measured_build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  candidate.measured_seconds = time_multiply<V>(op, x, y, budget, false).median;
  candidate.bytes = op.bytes();
}

}  // namespace

template <class V>
void measure_candidates(const Csr<V>& A, Device device, std::size_t count, std::vector<Candidate>& candidates) {
  Buffer<V> ones(A.cols);
  std::fill(ones.begin(), ones.end(), V(1));
  const Buffer<V> x = std::move(ones).owned_on(device);
  Buffer<V> y(A.rows, device);
  for (std::size_t i = 0; i < std::min(count, candidates.size()); ++i) {
    Candidate& candidate = candidates[i];
    if (!candidate.fits) continue;
    try {
      measure(A, device, x, y, candidate);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable) throw;
      candidate.fits = false;
    }
  }
}

template void measure_candidates(const Csr<float>&, Device, std::size_t, std::vector<Candidate>&);
template void measure_candidates(const Csr<double>&, Device, std::size_t, std::vector<Candidate>&);

}  // namespace heddle
