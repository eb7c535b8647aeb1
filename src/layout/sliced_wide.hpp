// Places of a slice side by side on AVX-512, 16 columns at a time, sums in registers. Every place adds up in the order
// of the loops of sliced_cpu.cpp: the bits are the same.
#pragma once

#include <algorithm>

#include "layout/sliced.hpp"
#include "simd/ahead.hpp"
#include "simd/wide.hpp"

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

// `far`: the matrix is larger than the core's own cache, so that asking ahead pays. `singly`: elements of x are loaded
// one by one, by columns in memory.
template <class V, class Codec, bool far, bool singly>
struct WidePlaces : PlaceWalk {
  using Lanes = Wide<V>;
  static constexpr int columns = 16, halves = columns / Lanes::lanes;
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

  // Elements of x for places that all have entries, from `from` on; `col`: their columns.
  HEDDLE_AVX512 typename Lanes::Type fetch(__m512i col, Offset from, int half) const {
    if constexpr (singly && std::is_same_v<Codec, Index32>) return load_each_512(x, A.col + from + half * Lanes::lanes);
    return Lanes::fetch(x, col, half);
  }
  // Adds 16 places that all have entries.
  HEDDLE_AVX512 void add_whole(__m512i col, Offset from, Sums& sum) const {
    const V* val = A.val + from;
    ask(A.col + from);
#pragma GCC unroll 2
    for (int half = 0; half < halves; ++half, val += Lanes::lanes) {
      ask(val);
      sum[half] += Lanes::load(val) * fetch(col, from, half);
    }
  }
  // Columns of 32 places from i on as long as all of these have entries: no masks. `k` and `at` stand behind them then.
  HEDDLE_AVX512 void add_whole_columns(std::int64_t i, Index& k, Offset& at, Sums& low, Sums& high) const {
    const Index least = left ? _mm512_reduce_min_epi32(_mm512_min_epi32(_mm512_loadu_si512(left + i),
                                                                        _mm512_loadu_si512(left + i + columns)))
                             : INT32_MAX;
    for (; at < end && k < least; at += stride, k += A.shape.lanes) {
      const __m512i first = load_columns_wide(Codec{}, every, A.col + at + i, row + i);
      const __m512i second = load_columns_wide(Codec{}, every, A.col + at + i + columns, row + i + columns);
      if (!left && _mm512_movepi32_mask(_mm512_or_si512(first, second)) != 0) return;
      add_whole(first, at + i, low);
      add_whole(second, at + i + columns, high);
    }
  }

  // Adds column k of 16 places from i on, `count` of them there, to their sums; whether there were entries.
  HEDDLE_AVX512 bool add(std::int64_t i, int count, Index k, Offset at, Sums& sum) const {
    auto kept = static_cast<__mmask16>(count >= columns ? 0xffff : (1 << count) - 1);
    if (left) kept = _mm512_cmpgt_epi32_mask(_mm512_maskz_loadu_epi32(kept, left + i), _mm512_set1_epi32(k));
    const __m512i col = load_columns_wide(Codec{}, kept, A.col + at + i, row + i);
    if (!left) kept = static_cast<__mmask16>(~_mm512_movepi32_mask(col));
    if (kept == 0) return false;
    if (kept == every) {
      add_whole(col, at + i, sum);
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
  // 32 places, all columns: sums stay in registers.
  HEDDLE_AVX512 void sum_along_rows(std::int64_t i, int count, V* to) const {
    Sums low, high;
    for (auto& sum : low) sum = Lanes::zero();
    for (auto& sum : high) sum = Lanes::zero();
    Index k = 0;
    Offset at = place;
    if (count >= 2 * columns) add_whole_columns(i, k, at, low, high);
    for (; at < end; at += stride, k += A.shape.lanes) {
      const bool some = add(i, count, k, at, low),
                 more = count > columns && add(i + columns, count - columns, k, at, high);
      if (!some && !more) break;
    }
#pragma GCC unroll 2
    for (int half = 0; half < halves; ++half) {
      Lanes::store(to + i + half * Lanes::lanes, low[half]);
      Lanes::store(to + i + columns + half * Lanes::lanes, high[half]);
    }
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

template <bool far, bool singly, class V, class Codec>
HEDDLE_AVX512 inline void sum_places(const SlicedView<V, Codec>& A, const V* x, const PlaceWalk& walk,
                                     std::int64_t places, V* to) {
  const WidePlaces<V, Codec, far, singly> wide{walk, A, x};
  constexpr int at_once = 2 * wide.columns;
  if (far && wide.spreads()) return wide.sum_along_columns(places, to);
  for (std::int64_t i = 0; i < places; i += at_once)
    wide.sum_along_rows(i, static_cast<int>(std::min<std::int64_t>(places - i, at_once)), to);
}

template <class V, class Codec>
bool is_far(const SlicedView<V, Codec>& A) {
  return A.stored * static_cast<std::int64_t>(sizeof(V) + sizeof(typename Codec::Stored)) > own_cache_bytes;
}

// The sums of all places of a walk; `to` has room for 32 at a time.
template <class V, class Codec>
HEDDLE_AVX512 inline void sum_places(const SlicedView<V, Codec>& A, const V* x, const PlaceWalk& walk,
                                     std::int64_t places, V* to) {
  const bool far = is_far(A);
  if (std::is_same_v<Codec, Index32> && loads_singly<V>())
    far ? sum_places<true, true>(A, x, walk, places, to) : sum_places<false, true>(A, x, walk, places, to);
  else
    far ? sum_places<true, false>(A, x, walk, places, to) : sum_places<false, false>(A, x, walk, places, to);
}

// y = A x for slices first .. last-1 of 32 rows each that end at columns -1: what is most often asked for, in a
// function of its own, as the general one has so many cases that it keeps hardly anything in registers.
template <bool far, bool singly, class V>
HEDDLE_AVX512 __attribute__((noinline)) void multiply_whole_slices(const SlicedView<V, Index32>& A, const V* x, V* y,
                                                                   std::int64_t first, std::int64_t last) {
  using Places = WidePlaces<V, Index32, far, singly>;
  using Lanes = typename Places::Lanes;
  constexpr int columns = Places::columns, rows = 2 * columns;
  for (std::int64_t s = first; s < last; ++s) {
    const Places slice{{A.start[s], A.start[s + 1], rows, 0, nullptr}, A, x};
    typename Places::Sums low, high;
    for (auto& sum : low) sum = Lanes::zero();
    for (auto& sum : high) sum = Lanes::zero();
    Index k = 0;
    Offset at = slice.place;
    slice.add_whole_columns(0, k, at, low, high);
    for (; at < slice.end; at += rows) {
      slice.add(0, columns, 0, at, low);
      slice.add(columns, columns, 0, at, high);
    }
#pragma GCC unroll 2
    for (int half = 0; half < Places::halves; ++half) {
      const std::int64_t to = s * rows + half * Lanes::lanes;
      Lanes::store(y, A.row_of, to, low[half]);
      Lanes::store(y, A.row_of, to + columns, high[half]);
    }
  }
}
template <class V>
HEDDLE_AVX512 inline void multiply_whole_slices(const SlicedView<V, Index32>& A, const V* x, V* y, std::int64_t first,
                                                std::int64_t last) {
  const bool far = is_far(A);
  if (loads_singly<V>())
    far ? multiply_whole_slices<true, true>(A, x, y, first, last)
        : multiply_whole_slices<false, true>(A, x, y, first, last);
  else
    far ? multiply_whole_slices<true, false>(A, x, y, first, last)
        : multiply_whole_slices<false, false>(A, x, y, first, last);
}

}  // namespace heddle
#endif
