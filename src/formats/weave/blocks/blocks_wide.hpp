// The blocks of a slice on AVX-512, the sums of its 32 lanes in registers. Every sum is added up in the order of the
// loops of blocks_cpu.cpp: the bits are the same.
#pragma once

#include "formats/weave/blocks/blocks.hpp"
#include "simd/ahead.hpp"
#include "simd/wide.hpp"

#if defined(__x86_64__)

namespace heddle::weave {

template <class V, int B>
struct WideBlocks {
  using Lanes = Wide<V>;
  using Vector = typename Lanes::Type;
  static constexpr int lanes = simt::warp_size, places = B * B, columns = 16;
  static constexpr int groups = lanes / Lanes::lanes, groups_of_columns = columns / Lanes::lanes;
  static constexpr int full = (1 << places) - 1;

  Vector sum[groups][B];
  __m512i present[lanes / columns];  // which places of the blocks of a lane were entries

  HEDDLE_AVX512 void clear() {
#pragma GCC unroll 4
    for (auto& of_group : sum)
#pragma GCC unroll 5
      for (Vector& line : of_group) line = Lanes::zero();
    for (__m512i& of_lanes : present) of_lanes = _mm512_setzero_si512();
  }

  // add(place, value) for all places of the blocks of a group, in their order.
  template <class F>
  HEDDLE_AVX512 static void each_value(const V* stored, int group, F add) {
    constexpr int P = piece_size<V, places>();
#pragma GCC unroll 25
    for (int piece = 0; piece < places / P; ++piece) {
      const V* at = stored + (piece * lanes + group * Lanes::lanes) * P;
      if constexpr (P == 1) {
        add(piece, Lanes::load(at));
      } else {
        Vector value[P];
        load_pieces_wide(at, value);
#pragma GCC unroll 4
        for (int i = 0; i < P; ++i) add(piece * P + i, value[i]);
      }
    }
  }
  HEDDLE_AVX512 void add_full(const V* stored, int group, const V* x, __m512i first, int half) {
    Vector fetched[B];
#pragma GCC unroll 5
    for (int j = 0; j < B; ++j) fetched[j] = Lanes::fetch(x + j, first, half);
    each_value(stored, group,
               [&](int e, const Vector& value) HEDDLE_AVX512 { sum[group][e / B] += value * fetched[e % B]; });
  }
  // `mask` has a bit for each place; columns of a block without an entry are not read.
  HEDDLE_AVX512 void add_masked(const V* stored, int group, const V* x, __m512i first, int half, __m512i mask) {
    const auto lanes_with = [&](int bits) HEDDLE_AVX512 {
      const __mmask16 all = _mm512_test_epi32_mask(mask, _mm512_set1_epi32(bits));
      return static_cast<typename Lanes::Mask>(all >> half * Lanes::lanes);
    };
    constexpr int column = (1 << places) / ((1 << B) - 1);  // every B-th place: 1 + 2^B + 4^B ...
    Vector fetched[B];
#pragma GCC unroll 5
    for (int j = 0; j < B; ++j) fetched[j] = Lanes::fetch(lanes_with(column << j), x + j, first, half);
    each_value(stored, group, [&](int e, const Vector& value) HEDDLE_AVX512 {
      sum[group][e / B] = Lanes::add(lanes_with(1 << e), sum[group][e / B], value * fetched[e % B]);
    });
  }
  // One step of 32 lanes; columns(part) are those of 16, -1 for none.
  template <class F>
  HEDDLE_AVX512 void add_step(const V* stored, const std::uint32_t* masks, const V* x, F columns_of) {
#pragma GCC unroll 2
    for (int part = 0; part < lanes / columns; ++part) {
      const __m512i col = columns_of(part), first = _mm512_mullo_epi32(col, _mm512_set1_epi32(B));
      const __mmask16 absent = _mm512_movepi32_mask(col);
      if (absent == 0 && !masks) {
        present[part] = _mm512_set1_epi32(full);
#pragma GCC unroll 2
        for (int half = 0; half < groups_of_columns; ++half)
          add_full(stored, part * groups_of_columns + half, x, first, half);
      } else {
        __m512i mask = masks ? _mm512_loadu_si512(masks + part * columns) : _mm512_set1_epi32(full);
        mask = _mm512_maskz_mov_epi32(static_cast<__mmask16>(~absent), mask);
        present[part] = _mm512_or_si512(present[part], mask);
#pragma GCC unroll 2
        for (int half = 0; half < groups_of_columns; ++half)
          add_masked(stored, part * groups_of_columns + half, x, first, half, mask);
      }
    }
  }
};

// The sums of B lines of each lane into sums[lane * B ...], and which places were entries.
template <int B, class V>
HEDDLE_AVX512 inline void sum_slice(const Blocks<V>& A, const ColumnSlice& slice, const V* x,
                                    V (&sums)[B][simt::warp_size], std::uint32_t (&present)[simt::warp_size]) {
  using Slice = WideBlocks<V, B>;
  constexpr int lanes = Slice::lanes, columns = Slice::columns;
  const std::uint16_t* narrow = A.columns.codes.data() + slice.columns;
  const auto* wide = reinterpret_cast<const Index*>(narrow);
  const V* stored = A.values.raw.data() + slice.first * lanes * Slice::places;
  const std::uint32_t* masks = A.masks.empty() ? nullptr : A.masks.data() + slice.first * lanes;
  Slice sum;
  sum.clear();
  for (Index step = 0; step < slice.width; ++step, stored += lanes * Slice::places) {
    ask_ahead(stored, lanes * Slice::places);
    const std::uint32_t* step_masks = masks ? masks + std::int64_t{step} * lanes : nullptr;
    const auto columns_of = [&](int part) HEDDLE_AVX512 {
      const std::int64_t at = std::int64_t{step} * lanes + part * columns;
      return slice.wide ? _mm512_loadu_si512(wide + at) : decode_columns_wide(slice.windows, narrow + at);
    };
    sum.add_step(stored, step_masks, x, columns_of);
  }
#pragma GCC unroll 4
  for (int group = 0; group < Slice::groups; ++group)
#pragma GCC unroll 5
    for (int line = 0; line < B; ++line) Wide<V>::store(sums[line] + group * Wide<V>::lanes, sum.sum[group][line]);
  for (int part = 0; part < lanes / columns; ++part) _mm512_storeu_si512(present + part * columns, sum.present[part]);
}

}  // namespace heddle::weave
#endif
