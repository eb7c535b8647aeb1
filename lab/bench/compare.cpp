#include "bench/compare.hpp"

#include <cmath>

namespace heddle::bench {

namespace {

template <class F>
const Result* fastest_where(const std::vector<Result>& results, Time time, F wanted) {
  const Result* best = nullptr;
  for (const Result& r : results)
    if (wanted(r) && std::isfinite(time_of(r, time)) && (best == nullptr || time_of(r, time) < time_of(*best, time)))
      best = &r;
  return best;
}

}  // namespace

double time_of(const Result& result, Time time) {
  return result.ok() && std::isfinite(result.*time) ? result.*time : INFINITY;
}

const Result* fastest(const std::vector<Result>& results, Side side, Time time) {
  return fastest_where(results, time, [=](const Result& r) { return r.peer.empty() == (side == Side::plans); });
}

const Result* fastest_of_format(const std::vector<Result>& results, const std::string& format) {
  return fastest_where(results, &Result::seconds,
                       [&](const Result& r) { return r.peer.empty() && Plan::parse(r.plan).format == format; });
}

double break_even(const Result& result, const Result& base) {
  const double gain = time_of(base) - time_of(result), cost = result.build_seconds - base.build_seconds;
  if (!std::isfinite(gain) || !std::isfinite(cost)) return unknown;
  if (gain < 0) return INFINITY;
  if (cost <= 0) return 0;
  return gain == 0 ? INFINITY : std::ceil(cost / gain);
}

void put_break_even(std::vector<Result>& results) {
  const Result *csr = fastest_of_format(results, "csr"), *peer = fastest(results, Side::peers);
  for (Result& result : results) {
    if (csr != nullptr) result.break_even_csr = break_even(result, *csr);
    if (peer != nullptr) result.break_even_peer = break_even(result, *peer);
  }
}

double regret(const std::vector<Result>& results, const std::string& chosen, Time time) {
  const Result* best = fastest(results, Side::plans, time);
  const Result* ours =
      fastest_where(results, time, [&](const Result& r) { return r.peer.empty() && r.plan == chosen; });
  return best == nullptr || ours == nullptr ? unknown : time_of(*ours, time) / time_of(*best, time) - 1;
}

}  // namespace heddle::bench
