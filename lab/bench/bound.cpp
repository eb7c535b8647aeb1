#include "bench/bound.hpp"

#include <algorithm>
#include <vector>

namespace heddle::bench {

namespace {

// Bytes of a value at least: nothing where all are equal, else a number in a dictionary, a float, or the value itself.
double value_bytes(const Structure& facts, int whole) {
  if (!facts.distinct_capped && facts.distinct_values <= 1) return 0;
  if (!facts.distinct_capped && facts.distinct_values <= 256) return 1;
  return facts.f32_exact ? std::min(whole, 4) : whole;
}

template <class V>
std::int64_t used_columns(const CsrView<V>& A) {
  std::vector<bool> used(static_cast<std::size_t>(A.cols));
  for (const Index col : A.col) used[static_cast<std::size_t>(col)] = true;
  return std::count(used.begin(), used.end(), true);
}

}  // namespace

template <class V>
Bound physical_bound(const CsrView<V>& A, const Structure& facts, const Machine& machine) {
  Bound bound;
  bound.bytes = static_cast<double>(A.nnz()) * value_bytes(facts, sizeof(V)) +
                static_cast<double>(A.rows + used_columns(A)) * sizeof(V);
  bound.seconds = std::max(machine.repeat_us * 1e-6, bound.bytes / rate_at(machine.read, bound.bytes) * 1e-9);
  bound.cold_seconds = std::max(machine.launch_us * 1e-6, bound.bytes / machine.read_gbps * 1e-9);
  return bound;
}

template Bound physical_bound(const CsrView<float>&, const Structure&, const Machine&);
template Bound physical_bound(const CsrView<double>&, const Structure&, const Machine&);

}  // namespace heddle::bench
