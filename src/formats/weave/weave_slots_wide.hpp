// Slots (weave_slots.hpp) on AVX-512, all their sums in registers. Every sum is added up in the order of the steps: the
// bits are those of the loops for other instruction sets.
#pragma once

#include "formats/weave/weave_slots.hpp"
#include "simd/ahead.hpp"
#include "simd/wide.hpp"

#if defined(__x86_64__)

namespace heddle::weave {

// The values of 16 slots, in the order of their columns. Four doubles of a lane lie in two pieces, 32 lanes apart.
template <int U>
HEDDLE_AVX512 inline void load_slots(const float* stored, int part, __m512 (&to)[1]) {
  to[0] = _mm512_loadu_ps(stored + part * 16);
}
template <int U>
HEDDLE_AVX512 inline void load_slots(const double* stored, int part, __m512d (&to)[2]) {
  if constexpr (U < 4) {
    to[0] = _mm512_loadu_pd(stored + part * 16);
    to[1] = _mm512_loadu_pd(stored + part * 16 + 8);
  } else {
    const __m512d a = _mm512_loadu_pd(stored + part * 8);
    const __m512d b = _mm512_loadu_pd(stored + simt::warp_size * 2 + part * 8);
    to[0] = _mm512_permutex2var_pd(a, _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), b);
    to[1] = _mm512_permutex2var_pd(a, _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4), b);
  }
}

// The sums over all steps. Values of the next step lie `stride` behind; columns(step, part) gives the 16 columns from
// slot 16 * part on, -1 for none.
template <int U, class V, class Columns>
HEDDLE_AVX512 inline void sum_slots(const V* stored, std::int64_t stride, std::int64_t steps, const V* x,
                                    const Columns& columns, SlotSums<V, U>& to) {
  using Lanes = Wide<V>;
  constexpr int slots = simt::warp_size * U, at_once = 16, parts = slots / at_once, halves = at_once / Lanes::lanes;
  typename Lanes::Type sum[parts][halves];
  __mmask16 present[parts] = {};
#pragma GCC unroll 8
  for (auto& part : sum)
#pragma GCC unroll 2
    for (auto& half : part) half = Lanes::zero();
  for (std::int64_t step = 0; step < steps; ++step, stored += stride) {
    ask_ahead(stored, slots);
#pragma GCC unroll 8
    for (int part = 0; part < parts; ++part) {
      const __m512i col = columns(step, part);
      const auto kept = static_cast<__mmask16>(~_mm512_movepi32_mask(col));
      typename Lanes::Type value[halves];
      load_slots<U>(stored, part, value);
#pragma GCC unroll 2
      for (int half = 0; half < halves; ++half) {
        const auto mask = static_cast<typename Lanes::Mask>(kept >> half * Lanes::lanes);
        sum[part][half] = Lanes::add(mask, sum[part][half], value[half] * Lanes::fetch(mask, x, col, half));
      }
      present[part] |= kept;
    }
  }
#pragma GCC unroll 8
  for (int part = 0; part < parts; ++part) {
#pragma GCC unroll 2
    for (int half = 0; half < halves; ++half)
      Lanes::store(to.sum + part * at_once + half * Lanes::lanes, sum[part][half]);
    _mm512_storeu_si512(to.absent + part * at_once, _mm512_movm_epi32(static_cast<__mmask16>(~present[part])));
  }
}

}  // namespace heddle::weave
#endif
