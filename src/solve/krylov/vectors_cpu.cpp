#include <algorithm>

#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "solve/krylov/vectors.hpp"

namespace heddle::solve_method {

namespace {

// Elements that are worked on side by side. Each lane has its own sums, so that the bits are the same on every
// instruction set, and no addition waits for the one before.
constexpr int lanes = 8;

template <class Body>
struct Lanes {
  static constexpr int count = std::max(1, Body::outputs);
  double sum[count][lanes] = {};

  // Elements depend on no other element of the vectors that are written. Unrolled before it is vectorised, the loop
  // would stay scalar.
  void add(const Body& body, std::int64_t first) {
#pragma GCC ivdep
#pragma GCC unroll 1
    for (int lane = 0; lane < lanes; ++lane) add_one(body, first + lane, lane);
  }
  void add_one(const Body& body, std::int64_t i, int lane) {
    double out[count];
    for (int k = 0; k < count; ++k) out[k] = sum[k][lane];
    body.element(i, out);
    for (int k = 0; k < count; ++k) sum[k][lane] = out[k];
  }
  double total(int k) {
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane) sum[k][lane] += sum[k][lane + half];
    return sum[k][0];
  }
};

template <class Body>
inline void collect(const Body& given, std::int64_t begin, std::int64_t end, double* out, std::int64_t stride) {
  const Body body = given;  // a copy that no vector can overlap stays in registers
  Lanes<Body> even, odd;    // one addition need not wait for the last: small vectors are bound by that
  std::int64_t i = begin;
  for (; i + 2 * lanes <= end; i += 2 * lanes) {
    even.add(body, i);
    odd.add(body, i + lanes);
  }
  for (; i + lanes <= end; i += lanes) even.add(body, i);
  for (int lane = 0; i < end; ++i, ++lane) odd.add_one(body, i, lane);
  for (int k = 0; k < Body::outputs; ++k) out[k * stride] = even.total(k) + odd.total(k);
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
    with_isa([&](auto) { collect(body, at * cpu_piece, std::min(trip.n, (at + 1) * cpu_piece), out, pieces); });
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
