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

// The end bits of a lane, K of the 32 * K of the warp's entries.
template <int K>
SIMT_DEVICE unsigned lane_ends(const std::uint8_t* ends, std::int64_t warp, int lane) {
  static_assert(K == 4 || K == 8);
  const std::int64_t number = warp * simt::warp_size + lane;
  if (K == 8) return simt::cached_load(ends + number);
  return simt::cached_load(ends + number / 2) >> (number % 2 * 4) & 0xfu;
}

template <class V>
struct SegmentSums {
  int ended = 0;  // rows that end here; their sums are staged[0 .. ended)
  V open = 0;     // the sum since the last end, or of everything when no row ends
};

// ends: bit i is set when this lane's product i is the last of its row. `staged` is shared memory of the warp for
// 32 * K sums; sync_warp before reading it. All lanes must call.
template <int K, class V>
SIMT_DEVICE SegmentSums<V> sum_segments(const V (&product)[K], unsigned ends, V* staged) {
  const int lane = simt::lane();
  const unsigned lanes_below = (1u << lane) - 1;
  SegmentSums<V> sums;
  int order = 0;  // rows that end in lanes below
#pragma unroll
  for (int i = 0; i < K; ++i) {
    const unsigned lanes = simt::ballot((ends >> i & 1) != 0);
    order += simt::count_bits(lanes & lanes_below);
    sums.ended += simt::count_bits(lanes);
  }
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
  // The nearest lane, up to this one, in which a row ends: what lies before it is not ours.
  const unsigned starts = simt::ballot(seen > 0) & (lanes_below << 1 | 1u);
  const int start = starts == 0 ? 0 : 31 - simt::leading_zeros(starts);
#pragma unroll
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    const V other = simt::shuffle_up(running, distance);
    if (lane - distance >= start) running += other;
  }
  const V carried = simt::shuffle_up(running, 1);
  if (seen > 0) staged[order] = lane > 0 ? carried + first : first;
  sums.open = simt::shuffle(running, simt::warp_size - 1);
  return sums;
}

}  // namespace heddle
