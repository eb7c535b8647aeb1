// The sum of a part of a row aside (runs_aside.hpp) on the CPU, that is of its spans in order; to be called inside
// with_isa. Which of several sums an entry goes to is the same on every instruction set, and so is the order in which
// these are added, halves first: so are the bits.
#pragma once

#include <bit>

#include "formats/runs/runs_aside.hpp"
#include "simd/ahead.hpp"
#include "simd/row_group.hpp"
#include "simd/wide.hpp"

namespace heddle {

template <int N, class V>
inline V sum_of_halves(V (&sum)[N]) {
  for (int half = N / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
  return sum[0];
}

template <class V>
inline V sum_dense(const V* val, const V* end, const std::uint32_t* mask, const V* x) {
  V sum[columns_of_mask] = {};
  for (; val < end; ++mask, x += columns_of_mask) {
    if (*mask == ~0u) {
      for (int i = 0; i < columns_of_mask; ++i) sum[i] += val[i] * x[i];
      val += columns_of_mask;
    } else {
      for (std::uint32_t left = *mask; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        sum[i] += *val++ * x[i];
      }
    }
  }
  return sum_of_halves(sum);
}

// Entry k goes to sum k % 8, as in a group of rows (simd/row_group.hpp).
template <class V>
inline V sum_by_columns(const Index* col, const V* val, Offset length, const V* x) {
  V sum[8] = {};
  Offset k = 0;
  for (; k + 8 <= length; k += 8)
    for (int i = 0; i < 8; ++i) sum[i] += val[k + i] * x[col[k + i]];
  for (int i = 0; k + i < length; ++i) sum[i] += val[k + i] * x[col[k + i]];
  return sum_of_halves(sum);
}

#if defined(__x86_64__)
HEDDLE_AVX512 inline double whole_of(__m512d (&sum)[4]) {
  return RowGroup<Isa::avx512, double>::whole((sum[0] + sum[2]) + (sum[1] + sum[3]));
}
HEDDLE_AVX512 inline float whole_of(__m512 (&sum)[2]) {
  const __m512 both = sum[0] + sum[1];
  return RowGroup<Isa::avx512, float>::whole(_mm512_castps512_ps256(both) + _mm512_extractf32x8_ps(both, 1));
}

// The values of a mask lie side by side and are spread over its lanes.
template <class V>
HEDDLE_AVX512 inline V sum_dense_wide(const V* val, const V* end, const std::uint32_t* masks, const V* x) {
  using Lanes = Wide<V>;
  constexpr int W = Lanes::lanes, parts = columns_of_mask / W;
  typename Lanes::Type sum[parts];
  for (auto& part : sum) part = Lanes::zero();
  for (; val < end; ++masks, x += columns_of_mask) {
    const std::uint32_t all = *masks;
    for (int line = 0; line < columns_of_mask * static_cast<int>(sizeof(V)); line += 64)
      ask_ahead<2048>(reinterpret_cast<const char*>(val) + line);
#pragma GCC unroll 4
    for (int part = 0; part < parts; ++part) {
      const auto mask = static_cast<typename Lanes::Mask>(all >> part * W);
      const V* here = val + (part == 0 ? 0 : std::popcount(all << (columns_of_mask - part * W)));
      sum[part] = Lanes::add(mask, sum[part], Lanes::spread(mask, here) * Lanes::load(mask, x + part * W));
    }
    val += std::popcount(all);
  }
  return whole_of(sum);
}
#endif

template <Isa set, class V>
inline V sum_span(OnIsa<set>, const AsideView<V>& A, Offset s, const V* x) {
  const AsideSpan span = A.spans[s];
  const V *val = A.val + span.entry, *end = A.val + A.spans[s + 1].entry;
  const auto* mask = A.mask + span.at;
  const Index* col = A.col + span.at;
#if defined(__x86_64__)
  if constexpr (set == Isa::avx512)
    if (span.is_dense()) return sum_dense_wide(val, end, mask, x + span.first);
  if constexpr (set == Isa::avx512 || (set == Isa::avx2 && sizeof(V) == 4))
    if (!span.is_dense()) {
      typename RowGroup<set, V>::Sums sums;
      RowGroup<set, V>::sum_up(col, val, end - val, x, sums);
      return RowGroup<set, V>::whole(sums);
    }
#endif
  return span.is_dense() ? sum_dense(val, end, mask, x + span.first) : sum_by_columns(col, val, end - val, x);
}

template <Isa set, class V>
inline V sum_part(OnIsa<set> on, const AsideView<V>& A, Offset part, const V* x) {
  V sum = 0;
  for (Offset s = A.span[part]; s < A.span[part + 1]; ++s) sum += sum_span(on, A, s, x);
  return sum;
}

}  // namespace heddle
