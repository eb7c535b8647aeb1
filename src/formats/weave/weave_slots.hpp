// Slots on the CPU: U places of each of 32 lanes, side by side, with a sum each. A step adds one product to every slot
// that has an entry, in the order of the columns; values lie in pieces (codec/lane_pieces.hpp).
#pragma once

#include <algorithm>

#include "codec/lane_pieces.hpp"
#include "simd/fetch.hpp"

namespace heddle::weave {

template <class V, int U>
struct SlotSums {
  static constexpr int lanes = simt::warp_size, slots = lanes * U;
  V sum[slots];
  Index absent[slots];  // -1 where a slot had no entry in any step

  void clear() {
    std::fill_n(sum, slots, V(0));
    std::fill_n(absent, slots, -1);
  }
};

// One step; col is -1 where there is no entry. To be called inside with_isa.
template <int U, class V, class S, class On>
inline void add_step(On on, const CodedValues<V, S>& values, const S* stored, const V* x,
                     const Index (&col)[SlotSums<V, U>::slots], SlotSums<V, U>& sums) {
  constexpr int slots = SlotSums<V, U>::slots, P = piece_size<S, U>();
  Index from[slots], some = 0;
  for (int i = 0; i < slots; ++i) some |= col[i];
  for (int i = 0; i < slots; ++i) from[i] = std::max(col[i], 0);
  V fetched[slots], value[slots];
  fetch(on, x, from, fetched);
  load_values(on, values, stored, value);
  for (int piece = 0; piece < U; piece += P)
    for (int lane = 0; lane < simt::warp_size; ++lane)
      for (int u = piece; u < piece + P; ++u) {
        const int i = lane * U + u;
        const V product = value[place_in_pieces<S, U>(lane, u)] * fetched[i];
        sums.sum[i] += some < 0 ? kept(product, ~(col[i] >> 31)) : product;
      }
  for (int i = 0; i < slots; ++i) sums.absent[i] &= col[i] >> 31;
}

// The sum over `count` slots, a power of two: halved down to eight, which are added in order. They are overwritten.
template <class V>
inline V add_slots(V* sum, int count) {
  for (; count > 8; count /= 2)
    for (int i = 0; i < count / 2; ++i) sum[i] += sum[i + count / 2];
  V whole = 0;
  for (int i = 0; i < count; ++i) whole += sum[i];
  return whole;
}

}  // namespace heddle::weave
