// The rows of a slice on AVX-512, the sums of all slots in registers. Every sum is added up in the order of the loops
// of weave_rows_cpu.cpp: the bits are the same.
#pragma once

#include "formats/weave/weave_rows.hpp"
#include "layout/ahead.hpp"
#include "layout/wide.hpp"

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

// The sums of all slots into sums, U for each lane; absent is -1 where a slot had no entry in any step.
template <int U, class V>
HEDDLE_AVX512 inline void sum_slice(const Rows<V>& A, const ColumnSlice& slice, const V* x,
                                    V (&sums)[simt::warp_size * U], Index (&absent)[simt::warp_size * U]) {
  using Lanes = Wide<V>;
  constexpr int slots = simt::warp_size * U, columns = 16, parts = slots / columns, halves = columns / Lanes::lanes;
  const std::uint16_t* narrow = A.columns.codes.data() + slice.columns;
  const auto* wide = reinterpret_cast<const Index*>(narrow);
  const V* stored = A.values.raw.data() + slice.first * slots;
  typename Lanes::Type sum[parts][halves];
  __mmask16 present[parts] = {};
#pragma GCC unroll 8
  for (auto& part : sum)
#pragma GCC unroll 2
    for (auto& half : part) half = Lanes::zero();
  for (Index step = 0; step < slice.width; ++step, stored += slots, narrow += slots, wide += slots) {
    ask_ahead(stored, slots);
#pragma GCC unroll 8
    for (int part = 0; part < parts; ++part) {
      const __m512i col = slice.wide ? _mm512_loadu_si512(wide + part * columns)
                                     : decode_columns_wide(slice.windows, narrow + part * columns);
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
      Lanes::store(sums + part * columns + half * Lanes::lanes, sum[part][half]);
    _mm512_storeu_si512(absent + part * columns, _mm512_movm_epi32(static_cast<__mmask16>(~present[part])));
  }
}

}  // namespace heddle::weave
#endif
