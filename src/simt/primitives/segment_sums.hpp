// Sums of rows that lie one after another in the hands of a warp, K consecutive entries a lane:
//
//   lane        0         1         2        ...      row ends are bits: here rows a, b, c end in lane 0, 1 and 2
//   entries   a a a|b   b b b b   b|c c c|            b's sum: lane 0's rest + lane 1 + the start of lane 2
//
// Each lane adds up its own pieces; the open piece after its last end is carried to the lane where its row ends by a
// segmented scan (five shuffles). Finished sums are put down in the order of the rows.
#pragma once

#include "simt/simt.hpp"

namespace heddle {

// Each lane's open piece with those of the lanes before it, back to the nearest one, up to itself, in which a row ends:
// what lies before that is not ours.
template <class V>
SIMT_DEVICE V add_open_pieces(V running, bool has_end) {
  const int lane = simt::lane();
  const unsigned up_to_here = 0xffffffffu >> (simt::warp_size - 1 - lane);
  const unsigned starts = simt::ballot(has_end) & up_to_here;
  const int start = starts == 0 ? 0 : 31 - simt::leading_zeros(starts);
#pragma unroll
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    const V other = simt::shuffle_up(running, distance);
    if (lane - distance >= start) running += other;
  }
  return running;
}

// ends: bit i is set when this lane's product i is the last of its row; order: rows that end in lanes below. `staged`
// is memory of the warp for all sums; sync_warp before reading it. All lanes must call.
template <int K, class V>
SIMT_DEVICE void stage_segments(const V (&product)[K], unsigned ends, int order, V* staged) {
  const int lane = simt::lane();
  V running = 0, first = 0;  // `first`: this lane's share of the first row that ends in it
  int seen = 0;
#pragma unroll
  for (int i = 0; i < K; ++i) {
    running += product[i];
    if (ends >> i & 1) {
      if (seen == 0)
        first = running;
      else
        staged[order + seen] = running;
      ++seen;
      running = 0;
    }
  }
  running = add_open_pieces(running, seen > 0);
  const V carried = simt::shuffle_up(running, 1);
  if (seen > 0) staged[order] = lane > 0 ? carried + first : first;
}

// The same without knowing the order. `staged` is for 32 * K sums.
template <int K, class V>
SIMT_DEVICE void sum_segments(const V (&product)[K], unsigned ends, V* staged) {
  const unsigned lanes_below = (1u << simt::lane()) - 1;
  int order = 0;
#pragma unroll
  for (int i = 0; i < K; ++i) order += simt::count_bits(simt::ballot((ends >> i & 1) != 0) & lanes_below);
  stage_segments(product, ends, order, staged);
}

// The same for products that are on their way, where a warp waits for nothing else: add(sum, i) gives the sum with
// product i. Where rows end is counted while they come, and no lane branches. (What that takes in instructions is too
// much where memory is busy: a road of 10 M entries takes 37.3 instead of 35.0 us; H200.)
template <int K, class V, class Add>
SIMT_DEVICE void sum_coming_segments(const Add& add, unsigned ends, V* staged) {
  const int lane = simt::lane(), own = simt::count_bits(ends);
  int up_to_here = own;
#pragma unroll
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    const int other = simt::shuffle_up(up_to_here, distance);
    if (lane >= distance) up_to_here += other;
  }
  V* const first = staged + (up_to_here - own);
  V* place = first;
  V running = 0;
#pragma unroll
  for (int i = 0; i < K; ++i) {
    const bool is_end = (ends >> i & 1) != 0;
    running = add(running, i);
    if (is_end) *place = running;
    place += is_end ? 1 : 0;
    running = is_end ? V(0) : running;
  }
  const V carried = simt::shuffle_up(add_open_pieces(running, own > 0), 1);
  if (own > 0 && lane > 0) *first = carried + *first;
}

}  // namespace heddle
