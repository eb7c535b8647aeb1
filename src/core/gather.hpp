// Elements of x by columns, a register of them at a time: by the instruction made for it, or, where that is slower than
// a load for each element, by those. The bits are the same either way, so a measurement may decide (core/isa.hpp):
// processors protected against gather data sampling need some 10 ns for each gather, whatever its width, and not every
// virtual machine says that its processor is. (A Xeon of 2.5 GHz: 0.6 ns an element in gathers of 16 and 2.3 in those
// of 4, loaded one by one 0.4 to 0.6.) A masked lane reads nothing that is not there: it is zero.
#pragma once

#include <cstdint>
#include <cstring>

#include <heddle/matrix.hpp>

#include "core/isa.hpp"
#include "core/x86.hpp"

#if defined(__x86_64__)

namespace heddle {

// Two columns by one load: loads are what these are short of (products with 8 elements of x that the first cache holds
// took 0.69 instead of 0.83 ns each; 2026-11, a Xeon whose gathers are slow). Columns are not negative.
struct ColumnPair {
  std::uint64_t both;

  explicit ColumnPair(const Index* col) { std::memcpy(&both, col, sizeof both); }
  std::uint64_t first() const { return both & 0xffffffffu; }
  std::uint64_t second() const { return both >> 32; }
};
HEDDLE_AVX2 inline __m128d load_each_128(const double* x, const Index* col) {
  const ColumnPair at(col);
  return _mm_loadh_pd(_mm_load_sd(x + at.first()), x + at.second());
}
HEDDLE_AVX2 inline __m256d load_each_256(const double* x, const Index* col) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(load_each_128(x, col)), load_each_128(x, col + 2), 1);
}
HEDDLE_AVX2 inline __m256 load_each_256(const float* x, const Index* col) {
  const ColumnPair a(col), b(col + 2), c(col + 4), d(col + 6);
  return _mm256_setr_ps(x[a.first()], x[a.second()], x[b.first()], x[b.second()],  //
                        x[c.first()], x[c.second()], x[d.first()], x[d.second()]);
}
HEDDLE_AVX512 inline __m512d load_each_512(const double* x, const Index* col) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(load_each_256(x, col)), load_each_256(x, col + 4), 1);
}
HEDDLE_AVX512 inline __m512 load_each_512(const float* x, const Index* col) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(load_each_256(x, col)), load_each_256(x, col + 8), 1);
}

// The instructions themselves. From zero: a gather into a register with nothing in particular would wait for what was
// there.
HEDDLE_AVX2 inline __m256d gather_at_once(const double* x, __m128i columns) {
  return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, columns, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)), 8);
}
HEDDLE_AVX2 inline __m256 gather_at_once(const float* x, __m256i columns) {
  return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, columns, _mm256_castsi256_ps(_mm256_set1_epi32(-1)), 4);
}
HEDDLE_AVX512 inline __m512d gather_at_once(const double* x, __m256i columns, __mmask8 mask) {
  return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, columns, x, 8);
}
HEDDLE_AVX512 inline __m512 gather_at_once(const float* x, __m512i columns, __mmask16 mask) {
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, columns, x, 4);
}
HEDDLE_AVX512 inline __m256 gather_at_once(const float* x, __m256i columns, __mmask8 mask) {
  return _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), mask, columns, x, 4);
}

// Columns in a register, to be read one by one; those of masked lanes are 0, which x has where any lane is on.
template <int N>
struct ColumnsOf {
  alignas(64) Index col[N];

  HEDDLE_AVX2 explicit ColumnsOf(__m128i columns) { _mm_store_si128(reinterpret_cast<__m128i*>(col), columns); }
  HEDDLE_AVX2 explicit ColumnsOf(__m256i columns) { _mm256_store_si256(reinterpret_cast<__m256i*>(col), columns); }
  HEDDLE_AVX512 explicit ColumnsOf(__m512i columns) { _mm512_store_si512(col, columns); }
};

HEDDLE_AVX2 inline __m256d gather_256(const double* x, const Index* col) {
  if (!gathers_pay.of_4) return load_each_256(x, col);
  return gather_at_once(x, _mm_loadu_si128(reinterpret_cast<const __m128i*>(col)));
}
HEDDLE_AVX2 inline __m256 gather_256(const float* x, const Index* col) {
  if (!gathers_pay.of_8) return load_each_256(x, col);
  return gather_at_once(x, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(col)));
}
HEDDLE_AVX512 inline __m512d gather_512(const double* x, const Index* col) {
  if (!gathers_pay.of_8) return load_each_512(x, col);
  return gather_at_once(x, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(col)), 0xff);
}
HEDDLE_AVX512 inline __m512 gather_512(const float* x, const Index* col) {
  if (!gathers_pay.of_16) return load_each_512(x, col);
  return gather_at_once(x, _mm512_loadu_si512(col), 0xffff);
}
HEDDLE_AVX512 inline __m512d gather_512(const double* x, __m256i columns) {
  if (!gathers_pay.of_8) return load_each_512(x, ColumnsOf<8>(columns).col);
  return gather_at_once(x, columns, 0xff);
}
HEDDLE_AVX512 inline __m512 gather_512(const float* x, __m512i columns) {
  if (!gathers_pay.of_16) return load_each_512(x, ColumnsOf<16>(columns).col);
  return gather_at_once(x, columns, 0xffff);
}

HEDDLE_AVX512 inline __m512d gather_512(__mmask8 mask, const double* x, __m256i columns) {
  if (gathers_pay.of_8) return gather_at_once(x, columns, mask);
  if (mask == 0) return _mm512_setzero_pd();
  const ColumnsOf<8> each(_mm256_maskz_mov_epi32(mask, columns));
  return _mm512_maskz_mov_pd(mask, load_each_512(x, each.col));
}
HEDDLE_AVX512 inline __m512 gather_512(__mmask16 mask, const float* x, __m512i columns) {
  if (gathers_pay.of_16) return gather_at_once(x, columns, mask);
  if (mask == 0) return _mm512_setzero_ps();
  const ColumnsOf<16> each(_mm512_maskz_mov_epi32(mask, columns));
  return _mm512_maskz_mov_ps(mask, load_each_512(x, each.col));
}
HEDDLE_AVX512 inline __m256 gather_256(__mmask8 mask, const float* x, __m256i columns) {
  if (gathers_pay.of_8) return gather_at_once(x, columns, mask);
  if (mask == 0) return _mm256_setzero_ps();
  const ColumnsOf<8> each(_mm256_maskz_mov_epi32(mask, columns));
  return _mm256_maskz_mov_ps(mask, load_each_256(x, each.col));
}
// Lanes whose element of `mask` is all ones; the others' columns are 0.
HEDDLE_AVX2 inline __m256d gather_256(__m256i mask, const double* x, __m128i columns) {
  const __m256d lanes = _mm256_castsi256_pd(mask);
  if (gathers_pay.of_4) return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, columns, lanes, 8);
  if (_mm256_movemask_pd(lanes) == 0) return _mm256_setzero_pd();
  return _mm256_and_pd(lanes, load_each_256(x, ColumnsOf<4>(columns).col));
}
HEDDLE_AVX2 inline __m256 gather_256(__m256i mask, const float* x, __m256i columns) {
  const __m256 lanes = _mm256_castsi256_ps(mask);
  if (gathers_pay.of_8) return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, columns, lanes, 4);
  if (_mm256_movemask_ps(lanes) == 0) return _mm256_setzero_ps();
  return _mm256_and_ps(lanes, load_each_256(x, ColumnsOf<8>(columns).col));
}

}  // namespace heddle
#endif
