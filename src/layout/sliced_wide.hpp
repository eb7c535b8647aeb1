// Places of a slice side by side on AVX-512, 16 columns at a time, sums in registers. Every place adds up in the order
// of the loops of sliced_cpu.cpp: the bits are the same.
#pragma once

#include <algorithm>

#include "layout/ahead.hpp"
#include "layout/sliced.hpp"
#include "layout/wide.hpp"

#if defined(__x86_64__)

namespace heddle {

HEDDLE_AVX512 inline __m512i load_columns_wide(Index32, __mmask16 kept, const Index* col, std::int64_t) {
  return _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), kept, col);
}
HEDDLE_AVX512 inline __m512i load_columns_wide(Column16, __mmask16 kept, const std::int16_t* col, std::int64_t row) {
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i rows = _mm512_add_epi32(_mm512_set1_epi32(static_cast<Index>(row)), lane);
  return _mm512_add_epi32(rows, _mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(kept, col)));
}

// `far`: the matrix is larger than the core's own cache, so that asking ahead pays. `counted`: rows end by their
// lengths, not by a mark.
template <class V, class Codec, bool far, bool counted>
struct WidePlaces : PlaceWalk {
  using Lanes = Wide<V>;
  static constexpr int columns = 16, halves = columns / Lanes::lanes;
  static constexpr int groups = 2, at_once = groups * columns;  // two or four registers of sums
  using Sums = typename Lanes::Type[halves];
  static constexpr __mmask16 every = 0xffff;

  const SlicedView<V, Codec>& A;
  const V* x;

  // How far ahead to ask: what follows in memory, or the next rows of the same column.
  int ahead() const { return spreads() ? 512 : 2048; }
  bool spreads() const { return stride * static_cast<std::int64_t>(sizeof(V)) > 4096; }
  template <class T>
  void ask(const T* at) const {
    if constexpr (far) __builtin_prefetch(reinterpret_cast<const char*>(at) + ahead());
  }

  using Stored = typename Codec::Stored;

  // Adds 16 places that all have entries, the first of them in row `first`.
  HEDDLE_AVX512 void add_whole(const Stored* col, const V* val, std::int64_t first, Sums& sum) const {
    ask(col);
#pragma GCC unroll 2
    for (int half = 0; half < halves; ++half, val += Lanes::lanes) {
      ask(val);
      sum[half] += Lanes::load(val) * fetch_whole(Codec{}, col, first, half);
    }
  }
  // From memory half by half, which spares a shuffle.
  HEDDLE_AVX512 typename Lanes::Type fetch_whole(Index32, const Index* col, std::int64_t, int half) const {
    return Lanes::fetch(x, col + half * Lanes::lanes);
  }
  HEDDLE_AVX512 typename Lanes::Type fetch_whole(Column16, const std::int16_t* col, std::int64_t first,
                                                 int half) const {
    return Lanes::fetch(x, load_columns_wide(Column16{}, every, col, first), half);
  }
  // Whether all places of a column have entries, where padding is marked.
  HEDDLE_AVX512 static bool are_whole(const Index* col) {
    __m512i all = _mm512_loadu_si512(col);
    for (int group = 1; group < groups; ++group) all = _mm512_or_si512(all, _mm512_loadu_si512(col + group * columns));
    return _mm512_movepi32_mask(all) == 0;
  }
  // The first columns, some at a time as long as all places from i on have entries there: no masks are needed, and one
  // look at the last of them is enough. Their number.
  HEDDLE_AVX512 Index add_whole_columns(std::int64_t i, Sums (&sum)[groups]) const {
    constexpr int once = 4 / halves;
    const Stored* col = A.col + place + i;
    const V* val = A.val + place + i;
    const Offset further = (once - 1) * stride, limit = std::min(end, place + whole_columns(i) * stride);
    Index done = 0;
    for (Offset at = place + further; at < limit; at += once * stride, done += once) {
      if constexpr (!counted)
        if (!are_whole(col + further)) return done;
#pragma GCC unroll 4
      for (int step = 0; step < once; ++step)
#pragma GCC unroll 2
        for (int group = 0; group < groups; ++group)
          add_whole(col + step * stride + group * columns, val + step * stride + group * columns,
                    row + i + group * columns, sum[group]);
      col += once * stride, val += once * stride;
    }
    return done;
  }
  // Columns where all places from i on have entries, as far as lengths say so.
  HEDDLE_AVX512 std::int64_t whole_columns(std::int64_t i) const {
    if constexpr (!counted) return INT32_MAX;
    const Index least = std::max(0, least_left(i)), lanes = A.shape.lanes;
    return lanes == 1 ? least : (least + lanes - 1) / lanes;
  }
  HEDDLE_AVX512 Index least_left(std::int64_t i) const {
    __m512i least = _mm512_loadu_si512(left + i);
    for (int group = 1; group < groups; ++group)
      least = _mm512_min_epi32(least, _mm512_loadu_si512(left + i + group * columns));
    return _mm512_reduce_min_epi32(least);
  }

  // Adds column k of 16 places from i on, `count` of them there, to their sums; whether there were entries.
  HEDDLE_AVX512 bool add(std::int64_t i, int count, Index k, Offset at, Sums& sum) const {
    auto kept = static_cast<__mmask16>(count >= columns ? 0xffff : (1 << count) - 1);
    if constexpr (counted)
      kept = _mm512_cmpgt_epi32_mask(_mm512_maskz_loadu_epi32(kept, left + i), _mm512_set1_epi32(k));
    const __m512i col = load_columns_wide(Codec{}, kept, A.col + at + i, row + i);
    if constexpr (!counted) kept = static_cast<__mmask16>(~_mm512_movepi32_mask(col));
    if (kept == 0) return false;
    if (kept == every) {
      const V* val = A.val + at + i;
      ask(A.col + at + i);
#pragma GCC unroll 2
      for (int half = 0; half < halves; ++half, val += Lanes::lanes) {
        ask(val);
        sum[half] += Lanes::load(val) * Lanes::fetch(x, col, half);
      }
      return true;
    }
    const V* val = A.val + at + i;
    ask(A.col + at + i);
#pragma GCC unroll 2
    for (int half = 0; half < halves; ++half, val += Lanes::lanes) {
      ask(val);
      const auto mask = static_cast<typename Lanes::Mask>(kept >> half * Lanes::lanes);
      sum[half] = Lanes::add(mask, sum[half], Lanes::load(mask, val) * Lanes::fetch(mask, x, col, half));
    }
    return true;
  }
  // Places from i on, all columns: sums stay in registers.
  HEDDLE_AVX512 void sum_along_rows(std::int64_t i, int count, V* to) const {
    Sums sum[groups];
    for (auto& group : sum)
      for (auto& half : group) half = Lanes::zero();
    const Index whole = count >= at_once ? add_whole_columns(i, sum) : 0;
    Index k = whole * A.shape.lanes;
    Offset at = place + whole * stride;
    for (bool some = true; some && at < end; at += stride, k += A.shape.lanes) {
      some = false;
#pragma GCC unroll 2
      for (int group = 0; group < groups; ++group)
        if (count > group * columns) some |= add(i + group * columns, count - group * columns, k, at, sum[group]);
    }
#pragma GCC unroll 2
    for (int group = 0; group < groups; ++group)
#pragma GCC unroll 2
      for (int half = 0; half < halves; ++half)
        Lanes::store(to + i + group * columns + half * Lanes::lanes, sum[group][half]);
  }
  // A column after the other, as they lie far apart: few streams from memory at a time.
  HEDDLE_AVX512 void sum_along_columns(std::int64_t places, V* to) const {
    std::fill_n(to, (places + columns - 1) / columns * columns, V(0));
    bool some = true;
    Index k = 0;
    for (Offset at = place; at < end && some; at += stride, k += A.shape.lanes) {
      some = false;
      for (std::int64_t i = 0; i < places; i += columns) {
        Sums sum;
        for (int half = 0; half < halves; ++half) sum[half] = Lanes::load(to + i + half * Lanes::lanes);
        some |= add(i, static_cast<int>(std::min<std::int64_t>(places - i, columns)), k, at, sum);
        for (int half = 0; half < halves; ++half) Lanes::store(to + i + half * Lanes::lanes, sum[half]);
      }
    }
  }
};

// Never inlined: what its loops need stays in registers then.
template <bool far, bool counted, class V, class Codec>
HEDDLE_AVX512 __attribute__((noinline)) void sum_places(const SlicedView<V, Codec>& A, const V* x,
                                                        const PlaceWalk& walk, std::int64_t places, V* to) {
  const WidePlaces<V, Codec, far, counted> wide{walk, A, x};
  if (far && wide.spreads()) return wide.sum_along_columns(places, to);
  for (std::int64_t i = 0; i < places; i += wide.at_once)
    wide.sum_along_rows(i, static_cast<int>(std::min<std::int64_t>(places - i, wide.at_once)), to);
}

// The sums of all places of a walk; `to` has room for 32 at a time.
template <class V, class Codec>
HEDDLE_AVX512 inline void sum_places(const SlicedView<V, Codec>& A, const V* x, const PlaceWalk& walk,
                                     std::int64_t places, V* to) {
  const std::int64_t bytes = A.stored * static_cast<std::int64_t>(sizeof(V) + sizeof(typename Codec::Stored));
  const bool far = bytes > own_cache_bytes;
  if constexpr (Codec::marks_padding)
    if (!walk.left)
      return far ? sum_places<true, false>(A, x, walk, places, to) : sum_places<false, false>(A, x, walk, places, to);
  far ? sum_places<true, true>(A, x, walk, places, to) : sum_places<false, true>(A, x, walk, places, to);
}

}  // namespace heddle
#endif
