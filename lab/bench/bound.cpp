#include "bench/bound.hpp"

#include <algorithm>
#include <vector>

#include "cost/units.hpp"

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
  const Gather& gather = sizeof(V) == 8 ? facts.gather_f64 : facts.gather_f32;
  const auto nnz = static_cast<double>(A.nnz());
  Bound bound;
  bound.bytes = nnz * value_bytes(facts, sizeof(V)) + static_cast<double>(A.rows + used_columns(A)) * sizeof(V);
  bound.gathers = nnz * gather.window * (1 - facts.diagonals.full_share);
  const double gathering = bound.gathers / rate_at(machine.gather, static_cast<double>(A.cols) * sizeof(V)) * nano;
  bound.seconds =
      std::max({machine.repeat_us * micro, bound.bytes / rate_at(machine.read, bound.bytes) * nano, gathering});
  bound.cold_seconds = std::max({machine.launch_us * micro, bound.bytes / machine.read_gbps * nano, gathering});
  return bound;
}

template Bound physical_bound(const CsrView<float>&, const Structure&, const Machine&);
template Bound physical_bound(const CsrView<double>&, const Structure&, const Machine&);

}  // namespace heddle::bench
