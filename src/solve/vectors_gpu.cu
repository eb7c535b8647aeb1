#include "solve/vectors.hpp"

namespace heddle::solve_method {

namespace {

// The sum over the block in a fixed order, the same in every thread.
SIMT_DEVICE double block_sum(double value) {
  double* warps = simt::shared<double>();
  value = simt::warp_sum(value);
  simt::sync_block();  // the last sum has been read
  if (simt::lane() == 0) warps[simt::warp()] = value;
  simt::sync_block();
  double sum = 0;
  for (int w = 0; w < gpu_threads / simt::warp_size; ++w) sum += warps[w];
  return sum;
}

// Every block adds the partial sums itself: a few kilobytes from the L2 instead of a kernel of its own.
SIMT_DEVICE double total(const double* partial, std::int64_t pieces) {
  double sum = 0;
  for (std::int64_t i = simt::thread(); i < pieces; i += gpu_threads) sum += partial[i];
  return block_sum(sum);
}

template <class Body>
SIMT_KERNEL trip_block_per_piece(Body body, Trip trip) {
  const std::int64_t pieces = pieces_on_gpu(trip.n);
  double in[Body::inputs > 0 ? Body::inputs : 1] = {};
  for (int k = 0; k < Body::inputs; ++k) in[k] = total(trip.in + k * pieces, pieces);
  if (!body.begin(*trip.state, in, simt::global_thread() == 0)) return;
  double out[Body::outputs > 0 ? Body::outputs : 1] = {};
  for (std::int64_t i = simt::global_thread(); i < trip.n; i += simt::grid_blocks() * gpu_threads) body.element(i, out);
  for (int k = 0; k < Body::outputs; ++k) {
    const double sum = block_sum(out[k]);
    if (simt::thread() == 0) trip.out[k * pieces + simt::block()] = sum;
  }
}

template <class Body>
void run(const Body& body, const Trip& trip) {
  constexpr std::size_t shared_bytes = sizeof(double) * gpu_threads / simt::warp_size;
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
