#include <algorithm>

#include "core/parallel.hpp"
#include "solve/vectors.hpp"

namespace heddle::solve_method {

namespace {

// Four sums side by side, so that one addition need not wait for the other.
template <class Body>
void collect(const Body& body, std::int64_t begin, std::int64_t end, double* out, std::int64_t stride) {
  constexpr int lanes = 4, sums = std::max(1, Body::outputs);
  double sum[lanes][sums] = {};
  std::int64_t i = begin;
  for (; i + lanes <= end; i += lanes)
    for (int lane = 0; lane < lanes; ++lane) body.element(i + lane, sum[lane]);
  for (; i < end; ++i) body.element(i, sum[0]);
  for (int k = 0; k < Body::outputs; ++k) out[k * stride] = (sum[0][k] + sum[1][k]) + (sum[2][k] + sum[3][k]);
}

template <class Body>
void run(const Body& given, const Trip& trip) {
  Body body = given;
  const std::int64_t pieces = pieces_on_cpu(trip.n);
  double in[std::max(1, Body::inputs)] = {};
  for (int k = 0; k < Body::inputs; ++k)
    for (std::int64_t i = 0; i < pieces; ++i) in[k] += trip.in[k * pieces + i];
  if (!body.begin(trip.state, in, true)) return;
  parallel_tasks(pieces, [&](std::int64_t at) {
    double* out = Body::outputs > 0 ? trip.out + at : nullptr;
    collect(body, at * cpu_piece, std::min(trip.n, (at + 1) * cpu_piece), out, pieces);
  });
}

template <class... Body>
TripsOf<Body...> table(const TripsOf<Body...>&) {
  return {&run<Body>...};
}

}  // namespace

template <class V>
Trips<V> trips(OnCpu) {
  return table(Trips<V>());
}

template Trips<float> trips(OnCpu);
template Trips<double> trips(OnCpu);

}  // namespace heddle::solve_method
