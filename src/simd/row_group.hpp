// Sums of rows of unforeseeable length, W rows at a time, W entries of a row at a time:
//
//   row 0   a0 a1 a2 a3 a4 a5 a6 a7 | a8 a9 .. .. .. .. .. ..     the last step is masked: no branch guesses its length
//   row 1   b0 b1 b2 .. .. .. .. ..
//   ...                                                           W vectors of W partial sums are then added crosswise,
//   row 7   h0 h1 h2 h3 h4 .. .. ..                               halves first, into one vector of W sums
//
// So entry k is added to partial sum k % W, and these in a fixed tree: a row's bits do not depend on its neighbours.
// Xeon with AVX-512, one core, 2026-11, against one loop over the entries of a row: 1.5 times as fast on R-MAT, 1.3 on
// rows of random length, 1.8 on road networks, 2.3 on circuits, 1.4 on 5-point stencils.
#pragma once

#include <algorithm>

#include <heddle/matrix.hpp>

#include "core/gather.hpp"
#include "core/isa.hpp"
#include "core/x86.hpp"
#include "simd/ahead.hpp"

#if defined(__x86_64__)

namespace heddle {

// Rows of 81 and 240 from the outer caches take a quarter to a half less time when their entries are asked for 2 KiB
// ahead (2026-11; 1 to 4 KiB are alike). Asking for the elements of x as well, 64 entries ahead, gained 20 % on random
// columns in 16 MB of x and lost as much on R-MAT.
template <class V>
inline void ask_for_entries(const Index* col, const V* val) {
  ask_ahead<2048>(col), ask_ahead<2048>(val);
}

// Four partial sums of a row.
HEDDLE_AVX2 inline double whole_of_half(const __m256d& s) {
  const __m128d pairs = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pairs, _mm_unpackhi_pd(pairs, pairs)));
}

// Vectors of W elements for one instruction set: `sum_up` makes the partial sums of a run of entries, `whole` the sum
// of one such vector, `store` the sums of W of them. (Vectors are handed on by reference: by value they would need the
// instruction set of the caller.)
template <Isa set, class V>
struct RowGroup;

// Eight rows of at most four entries each and 16 together are multiplied all at once, and their products then moved to
// the lanes of their rows: arrow matrices, with two entries a row, took 236 us instead of 323 in double, 155 instead of
// 282 in float. The sums are the same to the bit.
struct ShortRows {
  __m512i first, length;  // of each row: its first entry, counted from that of the group, and its entries
  __mmask16 entries;

  HEDDLE_AVX512 bool load(const Offset* ptr) {
    const Offset count = ptr[8] - ptr[0];
    if (count > 16) return false;
    const __m512i begin = _mm512_loadu_si512(ptr);
    length = _mm512_sub_epi64(_mm512_loadu_si512(ptr + 1), begin);
    if (_mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(4)) != 0) return false;
    first = _mm512_sub_epi64(begin, _mm512_set1_epi64(ptr[0]));
    entries = static_cast<__mmask16>((1u << count) - 1);
    return true;
  }
};

template <>
struct RowGroup<Isa::avx512, double> {
  static constexpr int rows = 8;
  using Sums = __m512d;

  HEDDLE_AVX512 static void sum_up(const Index* col, const double* val, Offset length, const double* x, Sums& result) {
    Sums sum = _mm512_setzero_pd();
    for (; length > 8; length -= 8, col += 8, val += 8) {
      ask_for_entries(col, val);
      sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_loadu_pd(val), gather_512(x, col)));
    }
    const auto mask = static_cast<__mmask8>((1u << length) - 1);
    const __m512d fetched = gather_512(mask, x, _mm256_maskz_loadu_epi32(mask, col));
    result = _mm512_add_pd(sum, _mm512_maskz_mul_pd(mask, _mm512_maskz_loadu_pd(mask, val), fetched));
  }
  HEDDLE_AVX512 static void multiply(const Index* col, const double* val, const double* x, double* to) {
    ask_for_entries(col, val);
    _mm512_storeu_pd(to, _mm512_mul_pd(_mm512_loadu_pd(val), gather_512(x, col)));
  }
  HEDDLE_AVX512 static void add_up(const double* product, Offset length, Sums& result) {
    Sums sum = _mm512_setzero_pd();
    for (; length > 8; length -= 8, product += 8) sum = _mm512_add_pd(sum, _mm512_loadu_pd(product));
    result = _mm512_add_pd(sum, _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << length) - 1), product));
  }
  HEDDLE_AVX512 static void store(const Sums (&s)[rows], double* to) {
    const Sums all = pairs(quarters(halves(s[0], s[1]), halves(s[2], s[3])),  // sums of rows 0 4 1 5 2 6 3 7
                           quarters(halves(s[4], s[5]), halves(s[6], s[7])));
    _mm512_storeu_pd(to, _mm512_permutexvar_pd(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), all));
  }
  HEDDLE_AVX512 static double whole(const Sums& s) {
    const __m256d h = _mm256_add_pd(_mm512_castpd512_pd256(s), _mm512_extractf64x4_pd(s, 1));
    return whole_of_half(h);
  }
  HEDDLE_AVX512 static bool store_short(const Offset* ptr, const Index* col, const double* val, const double* x,
                                        double* to) {
    ShortRows rows_of_group;
    if (!rows_of_group.load(ptr)) return false;
    const auto [first, length, mask] = rows_of_group;
    col += ptr[0], val += ptr[0];
    const auto low = static_cast<__mmask8>(mask), high = static_cast<__mmask8>(mask >> 8);
    const __m512i columns = _mm512_maskz_loadu_epi32(mask, col);
    const __m512d zero = _mm512_setzero_pd();
    const __m512d x_low = gather_512(low, x, _mm512_castsi512_si256(columns));
    const __m512d x_high = gather_512(high, x, _mm512_extracti64x4_epi64(columns, 1));
    const __m512d a = _mm512_maskz_mul_pd(low, _mm512_maskz_loadu_pd(low, val), x_low);
    const __m512d b = _mm512_maskz_mul_pd(high, _mm512_maskz_loadu_pd(high, val + 8), x_high);
    __m512d product[4];
    for (int k = 0; k < 4; ++k) {
      const __mmask8 present = _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(k));
      product[k] = _mm512_maskz_permutex2var_pd(present, a, _mm512_add_epi64(first, _mm512_set1_epi64(k)), b);
    }
    const __m512d even = _mm512_add_pd(product[0], product[2]), odd = _mm512_add_pd(product[1], product[3]);
    _mm512_storeu_pd(to, _mm512_add_pd(_mm512_add_pd(even, odd), zero));  // 0: as if the sum had begun with it
    return true;
  }

 private:
  HEDDLE_AVX512 static Sums halves(Sums a, Sums b) {
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
  }
  HEDDLE_AVX512 static Sums quarters(Sums a, Sums b) {
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
  }
  HEDDLE_AVX512 static Sums pairs(Sums a, Sums b) {
    return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
  }
};

// Lane i is on while i < count.
HEDDLE_AVX2 inline __m256i first_lanes(Offset count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

template <>
struct RowGroup<Isa::avx2, double> {
  static constexpr int rows = 4;
  using Sums = __m256d;

  HEDDLE_AVX2 static void sum_up(const Index* col, const double* val, Offset length, const double* x, Sums& result) {
    Sums sum = _mm256_setzero_pd();
    for (; length > 4; length -= 4, col += 4, val += 4) {
      ask_for_entries(col, val);
      sum = _mm256_add_pd(sum, _mm256_mul_pd(_mm256_loadu_pd(val), gather_256(x, col)));
    }
    const __m128i narrow = _mm256_castsi256_si128(first_lanes(length));
    const __m256i mask = _mm256_cvtepi32_epi64(narrow);
    const __m256d lanes = _mm256_castsi256_pd(mask);
    const __m256d fetched = gather_256(mask, x, _mm_maskload_epi32(col, narrow));
    const __m256d product = _mm256_mul_pd(_mm256_maskload_pd(val, mask), fetched);
    result = _mm256_add_pd(sum, _mm256_and_pd(product, lanes));
  }
  HEDDLE_AVX2 static void multiply(const Index* col, const double* val, const double* x, double* to) {
    ask_for_entries(col, val);
    _mm256_storeu_pd(to, _mm256_mul_pd(_mm256_loadu_pd(val), gather_256(x, col)));
  }
  HEDDLE_AVX2 static void add_up(const double* product, Offset length, Sums& result) {
    Sums sum = _mm256_setzero_pd();
    for (; length > 4; length -= 4, product += 4) sum = _mm256_add_pd(sum, _mm256_loadu_pd(product));
    const __m256i mask = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(first_lanes(length)));
    result = _mm256_add_pd(sum, _mm256_maskload_pd(product, mask));
  }
  HEDDLE_AVX2 static double whole(const Sums& s) { return whole_of_half(s); }
  HEDDLE_AVX2 static void store(const Sums (&s)[rows], double* to) {
    _mm256_storeu_pd(to, pairs(halves(s[0], s[2]), halves(s[1], s[3])));
  }

 private:
  HEDDLE_AVX2 static Sums halves(Sums a, Sums b) {
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
  }
  HEDDLE_AVX2 static Sums pairs(Sums a, Sums b) {
    return _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
  }
};

// Eight floats also where there is room for sixteen: a fetch of sixteen takes twice as long, and rows of 81 took 331 us
// with sixteen, 282 with eight.
template <>
struct RowGroup<Isa::avx2, float> {
  static constexpr int rows = 8;
  using Sums = __m256;

  HEDDLE_AVX2 static void sum_up(const Index* col, const float* val, Offset length, const float* x, Sums& result) {
    Sums sum = _mm256_setzero_ps();
    const Offset left = add_full(col, val, length, x, sum);
    col += length - left, val += length - left;
    const __m256i mask = first_lanes(left);
    const __m256 lanes = _mm256_castsi256_ps(mask);
    const __m256 fetched = gather_256(mask, x, _mm256_maskload_epi32(col, mask));
    const __m256 product = _mm256_mul_ps(_mm256_maskload_ps(val, mask), fetched);
    result = _mm256_add_ps(sum, _mm256_and_ps(product, lanes));
  }
  HEDDLE_AVX2 static void multiply(const Index* col, const float* val, const float* x, float* to) {
    ask_for_entries(col, val);
    _mm256_storeu_ps(to, _mm256_mul_ps(_mm256_loadu_ps(val), gather_256(x, col)));
  }
  HEDDLE_AVX2 static void add_up(const float* product, Offset length, Sums& result) {
    Sums sum = _mm256_setzero_ps();
    for (; length > 8; length -= 8, product += 8) sum = _mm256_add_ps(sum, _mm256_loadu_ps(product));
    result = _mm256_add_ps(sum, _mm256_maskload_ps(product, first_lanes(length)));
  }
  HEDDLE_AVX2 static void store(const Sums (&s)[rows], float* to) {
    const Sums all = pairs(quarters(halves(s[0], s[1]), halves(s[2], s[3])),  // sums of rows 0 2 4 6 1 3 5 7
                           quarters(halves(s[4], s[5]), halves(s[6], s[7])));
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(all, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0)));
  }
  HEDDLE_AVX2 static float whole(const Sums& s) {
    const __m128 h = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    const __m128 q = _mm_add_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_add_ss(q, _mm_shuffle_ps(q, q, 1)));
  }
  // Adds whole steps of eight; returns how many entries, 1 to 8, are left.
  HEDDLE_AVX2 static Offset add_full(const Index* col, const float* val, Offset length, const float* x, Sums& sum) {
    for (; length > 8; length -= 8, col += 8, val += 8) {
      ask_for_entries(col, val);
      sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_loadu_ps(val), gather_256(x, col)));
    }
    return length;
  }

 private:
  HEDDLE_AVX2 static Sums halves(Sums a, Sums b) {
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
  }
  HEDDLE_AVX2 static Sums quarters(Sums a, Sums b) {
    return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xee));
  }
  HEDDLE_AVX2 static Sums pairs(Sums a, Sums b) {
    return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd));
  }
};

template <>
struct RowGroup<Isa::avx512, float> : RowGroup<Isa::avx2, float> {
  HEDDLE_AVX512 static void sum_up(const Index* col, const float* val, Offset length, const float* x, Sums& result) {
    Sums sum = _mm256_setzero_ps();
    const Offset left = add_full(col, val, length, x, sum);
    col += length - left, val += length - left;
    const auto mask = static_cast<__mmask8>((1u << left) - 1);
    const __m256 fetched = gather_256(mask, x, _mm256_maskz_loadu_epi32(mask, col));
    result = _mm256_add_ps(sum, _mm256_maskz_mul_ps(mask, _mm256_maskz_loadu_ps(mask, val), fetched));
  }
  HEDDLE_AVX512 static bool store_short(const Offset* ptr, const Index* col, const float* val, const float* x,
                                        float* to) {
    ShortRows rows_of_group;
    if (!rows_of_group.load(ptr)) return false;
    const auto [first, length, mask] = rows_of_group;
    col += ptr[0], val += ptr[0];
    const __m512 fetched = gather_512(mask, x, _mm512_maskz_loadu_epi32(mask, col));
    const __m512 all = _mm512_maskz_mul_ps(mask, _mm512_maskz_loadu_ps(mask, val), fetched);
    __m256 product[4];
    for (int k = 0; k < 4; ++k) {
      const __mmask8 present = _mm512_cmpgt_epi64_mask(length, _mm512_set1_epi64(k));
      const __m256i place = _mm512_cvtepi64_epi32(_mm512_add_epi64(first, _mm512_set1_epi64(k)));
      const __m512 moved = _mm512_permutexvar_ps(_mm512_castsi256_si512(place), all);
      product[k] = _mm256_maskz_mov_ps(present, _mm512_castps512_ps256(moved));
    }
    const __m256 even = _mm256_add_ps(product[0], product[2]), odd = _mm256_add_ps(product[1], product[3]);
    _mm256_storeu_ps(to, _mm256_add_ps(_mm256_add_ps(even, odd), _mm256_setzero_ps()));
    return true;
  }
};

// As many rows as a group has, from `first` on.
template <Isa set, class V>
inline void sum_group(const CsrView<V>& A, const V* x, std::int64_t first, V* to) {
  using Group = RowGroup<set, V>;
  const Offset* ptr = A.ptr.data() + first;
  typename Group::Sums sums[Group::rows];
#pragma GCC unroll 8
  for (int i = 0; i < Group::rows; ++i)
    Group::sum_up(A.col.data() + ptr[i], A.val.data() + ptr[i], ptr[i + 1] - ptr[i], x, sums[i]);
  Group::store(sums, to);
}

// Fewer.
template <Isa set, class V>
inline void sum_last_rows(const CsrView<V>& A, const V* x, std::int64_t first, std::int64_t last, V* to) {
  using Group = RowGroup<set, V>;
  const Offset* ptr = A.ptr.data();
  typename Group::Sums sums[Group::rows] = {};
  V padded[Group::rows];
  for (int i = 0; i < last - first; ++i) {
    const Offset begin = ptr[first + i];
    Group::sum_up(A.col.data() + begin, A.val.data() + begin, ptr[first + i + 1] - begin, x, sums[i]);
  }
  Group::store(sums, padded);
  std::copy(padded, padded + (last - first), to);
}

// Where elements of x are loaded one by one, masked lanes cost as much as others. So first all products of as many rows
// as the first cache holds easily are made, whatever row they belong to, and then added up: no lane is idle while x is
// loaded, and no branch guesses how long a row is. The sums are the same to the bit.
template <Isa set, class V>
inline void sum_rows_of_products(OnIsa<set>, const CsrView<V>& A, const V* x, std::int64_t first, std::int64_t last,
                                 V* to) {
  using Group = RowGroup<set, V>;
  constexpr Offset room = 1024;
  constexpr std::int64_t W = Group::rows;
  const Offset* ptr = A.ptr.data();
  alignas(64) V product[room];
  while (first + W <= last) {
    const Offset begin = ptr[first];
    const Index* col = A.col.data() + begin;
    const V* val = A.val.data() + begin;
    std::int64_t end = first + W;
    if (ptr[end] - begin > room) {
      sum_group<set>(A, x, first, to);
      first = end, to += W;
      continue;
    }
    while (end + W <= last && ptr[end + W] - begin <= room) end += W;
    const Offset count = ptr[end] - begin;
    Offset k = 0;
    for (; k + W <= count; k += W) Group::multiply(col + k, val + k, x, product + k);
    for (; k < count; ++k) product[k] = val[k] * x[col[k]];
    for (; first < end; first += W, to += W) {
      typename Group::Sums sums[W];
#pragma GCC unroll 8
      for (int i = 0; i < W; ++i)
        Group::add_up(product + (ptr[first + i] - begin), ptr[first + i + 1] - ptr[first + i], sums[i]);
      Group::store(sums, to);
    }
  }
  if (first < last) sum_last_rows<set>(A, x, first, last, to);
}

// Where gathers are fast that pays for rows of so few entries that a gather for each is half idle, but not few enough
// for `store_short`. With five entries a row and more it depended on the matrix. Sixteen cores, 2026-11, even with
// single loads, us:
//
//                        float         double
//   road networks   212 -> 149     232 -> 163
//   web             711 -> 580     736 -> 687
inline bool are_short(Offset entries, std::int64_t rows) { return 2 * rows < entries && entries < 4 * rows; }

// The sums of rows first .. last-1 into to[0 ..]; to be called by with_isa.
template <Isa set, class V>
inline void sum_rows(OnIsa<set> on, const CsrView<V>& A, const V* x, std::int64_t first, std::int64_t last, V* to) {
  using Group = RowGroup<set, V>;
  const bool gathers = Group::rows == 8 ? gathers_pay.of_8 : gathers_pay.of_4;
  if (!gathers || are_short(A.ptr[last] - A.ptr[first], last - first))
    return sum_rows_of_products(on, A, x, first, last, to);
  for (; first + Group::rows <= last; first += Group::rows, to += Group::rows) {
    if constexpr (set == Isa::avx512)
      if (Group::store_short(A.ptr.data() + first, A.col.data(), A.val.data(), x, to)) continue;
    sum_group<set>(A, x, first, to);
  }
  if (first < last) sum_last_rows<set>(A, x, first, last, to);
}

}  // namespace heddle
#endif
