#include "solve/krylov/vectors.hpp"

namespace heddle::solve_method {

namespace {

constexpr int warps_of_block = gpu_threads / simt::warp_size;

// The sums over the block in a fixed order, the same in every thread.
template <int N>
SIMT_DEVICE void block_sums(double (&value)[N]) {
  double* of_warp = simt::shared<double>();
  for (int k = 0; k < N; ++k) value[k] = simt::warp_sum(value[k]);
  simt::sync_block();  // the last sums have been read
  if (simt::lane() == 0)
    for (int k = 0; k < N; ++k) of_warp[k * warps_of_block + simt::warp()] = value[k];
  simt::sync_block();
  for (int k = 0; k < N; ++k) {
    value[k] = 0;
    for (int w = 0; w < warps_of_block; ++w) value[k] += of_warp[k * warps_of_block + w];
  }
}

constexpr int at_least_one(int n) { return n > 0 ? n : 1; }

// Every block adds the partial sums itself: a few kilobytes from the L2 instead of a kernel of its own.
template <class Body>
SIMT_KERNEL trip_block_per_piece(Body body, Trip trip) {
  const std::int64_t pieces = pieces_on_gpu(trip.n);
  double in[at_least_one(Body::inputs)] = {}, out[at_least_one(Body::outputs)] = {};
  if constexpr (Body::inputs > 0) {
    for (std::int64_t i = simt::thread(); i < pieces; i += gpu_threads)
      for (int k = 0; k < Body::inputs; ++k) in[k] += trip.in[k * pieces + i];
    block_sums(in);
  }
  if (!body.begin(trip.state, in, simt::global_thread() == 0)) return;
  for (std::int64_t i = simt::global_thread(); i < trip.n; i += simt::grid_blocks() * gpu_threads) body.element(i, out);
  if constexpr (Body::outputs > 0) {
    block_sums(out);
    if (simt::thread() == 0)
      for (int k = 0; k < Body::outputs; ++k) trip.out[k * pieces + simt::block()] = out[k];
  }
}

template <class Body>
void run(const Body& body, const Trip& trip) {
  constexpr int sums = Body::inputs > Body::outputs ? Body::inputs : Body::outputs;
  constexpr std::size_t shared_bytes = sizeof(double) * sums * warps_of_block;
  simt::launch(simt::Here{}, {pieces_on_gpu(trip.n), gpu_threads, shared_bytes, trip.stream},
               trip_block_per_piece<Body>, body, trip);
}

template <class... Body>
TripsOf<Body...> table(const TripsOf<Body...>&) {
  return {&run<Body>...};
}

}  // namespace

template <class V>
Trips<V> trips(simt::Here) {
  return table(Trips<V>());
}

template Trips<float> trips(simt::Here);
template Trips<double> trips(simt::Here);

}  // namespace heddle::solve_method
