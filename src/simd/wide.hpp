// 64 bytes of elements in one register, for loops that the compiler does not vectorise well by itself. All functions
// are for AVX-512: to be called inside with_isa, from functions that carry HEDDLE_AVX512 themselves.
#pragma once

#include "codec/column_windows.hpp"
#include "codec/lane_pieces.hpp"
#include "core/gather.hpp"
#include "core/isa.hpp"
#include "core/x86.hpp"

#if defined(__x86_64__)

namespace heddle {

// Lane i of a mask is bit i.
template <class V>
struct Wide;

template <>
struct Wide<double> {
  using Type = __m512d;
  using Mask = __mmask8;
  static constexpr int lanes = 8;

  HEDDLE_AVX512 static Type zero() { return _mm512_setzero_pd(); }
  HEDDLE_AVX512 static Type all(double value) { return _mm512_set1_pd(value); }
  HEDDLE_AVX512 static Type load(const double* from) { return _mm512_loadu_pd(from); }
  HEDDLE_AVX512 static Type load(Mask mask, const double* from) { return _mm512_maskz_loadu_pd(mask, from); }
  // The elements from `from` on, one after another, to the lanes that are on.
  HEDDLE_AVX512 static Type spread(Mask mask, const double* from) { return _mm512_maskz_expandloadu_pd(mask, from); }
  HEDDLE_AVX512 static void store(double* to, Type a) { _mm512_storeu_pd(to, a); }
  // Elements first .. of an order, or, without one, of `to` itself.
  HEDDLE_AVX512 static void store(double* to, const Index* order, std::int64_t first, Type a) {
    if (!order) return _mm512_storeu_pd(to + first, a);
    _mm512_i32scatter_pd(to, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(order + first)), a, 8);
  }
  HEDDLE_AVX512 static Type add(Mask mask, Type to, Type a) { return _mm512_mask_add_pd(to, mask, to, a); }
  HEDDLE_AVX512 static Mask load_mask(const std::uint32_t* words, int part) {
    return reinterpret_cast<const Mask*>(words)[part];
  }
  // Elements of x by columns, of which 8 are the half `half` of a register.
  HEDDLE_AVX512 static Type fetch(const double* x, __m512i columns, int half) {
    return gather_512(x, half_of(columns, half));
  }
  HEDDLE_AVX512 static Type fetch(Mask mask, const double* x, __m512i columns, int half) {
    return gather_512(mask, x, half_of(columns, half));
  }
  HEDDLE_AVX512 static Type fetch(const double* x, const Index* columns) { return gather_512(x, columns); }
  HEDDLE_AVX512 static Type fetch(Mask mask, const double* x, const Index* columns) {
    return gather_512(mask, x, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns)));
  }
  HEDDLE_AVX512 static __m256i half_of(__m512i a, int half) {
    return half == 0 ? _mm512_castsi512_si256(a) : _mm512_extracti64x4_epi64(a, 1);
  }
  // Elements of a table; each lane of `packed` has four codes of a byte, and `place` says which.
  HEDDLE_AVX512 static Type look_up(const double* table, const std::uint8_t* packed, int place) {
    const __m256i codes = _mm256_srli_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(packed)), 8 * place);
    return gather_512(table, _mm256_and_si256(codes, _mm256_set1_epi32(255)));
  }
};

template <>
struct Wide<float> {
  using Type = __m512;
  using Mask = __mmask16;
  static constexpr int lanes = 16;

  HEDDLE_AVX512 static Type zero() { return _mm512_setzero_ps(); }
  HEDDLE_AVX512 static Type all(float value) { return _mm512_set1_ps(value); }
  HEDDLE_AVX512 static Type load(const float* from) { return _mm512_loadu_ps(from); }
  HEDDLE_AVX512 static Type load(Mask mask, const float* from) { return _mm512_maskz_loadu_ps(mask, from); }
  HEDDLE_AVX512 static Type spread(Mask mask, const float* from) { return _mm512_maskz_expandloadu_ps(mask, from); }
  HEDDLE_AVX512 static void store(float* to, Type a) { _mm512_storeu_ps(to, a); }
  HEDDLE_AVX512 static void store(float* to, const Index* order, std::int64_t first, Type a) {
    if (!order) return _mm512_storeu_ps(to + first, a);
    _mm512_i32scatter_ps(to, _mm512_loadu_si512(order + first), a, 4);
  }
  HEDDLE_AVX512 static Type add(Mask mask, Type to, Type a) { return _mm512_mask_add_ps(to, mask, to, a); }
  HEDDLE_AVX512 static Mask load_mask(const std::uint32_t* words, int part) {
    Mask mask;
    __builtin_memcpy(&mask, reinterpret_cast<const char*>(words) + part * 2, sizeof mask);
    return mask;
  }
  HEDDLE_AVX512 static Type fetch(const float* x, __m512i columns, int) { return gather_512(x, columns); }
  HEDDLE_AVX512 static Type fetch(Mask mask, const float* x, __m512i columns, int) {
    return gather_512(mask, x, columns);
  }
  HEDDLE_AVX512 static Type fetch(const float* x, const Index* columns) { return gather_512(x, columns); }
  HEDDLE_AVX512 static Type fetch(Mask mask, const float* x, const Index* columns) {
    return gather_512(mask, x, _mm512_loadu_si512(columns));
  }
  HEDDLE_AVX512 static Type look_up(const float* table, const std::uint8_t* packed, int place) {
    const __m512i codes = _mm512_srli_epi32(_mm512_loadu_si512(packed), static_cast<unsigned>(8 * place));
    return gather_512(table, _mm512_and_si512(codes, _mm512_set1_epi32(255)));
  }
};

// Whether elements of x are loaded one by one. Loops that ask for each register of them have both ways in them and are
// short of registers (29 instead of 18 us for sell on gemat12), so they are better asked for once and made for either.
template <class V>
bool loads_singly() {
  return !(Wide<V>::lanes == 8 ? gathers_pay.of_8 : gathers_pay.of_16);
}

// Pieces of 16 bytes (codec/lane_pieces.hpp) of as many lanes as a register has, one register for each place:
//
//   a0 a1 b0 b1 c0 c1 ...   ->   a0 b0 c0 ...,  a1 b1 c1 ...
HEDDLE_AVX512 inline void load_pieces_wide(const double* from, __m512d (&to)[2]) {
  const __m512d a = _mm512_loadu_pd(from), b = _mm512_loadu_pd(from + 8);
  to[0] = _mm512_permutex2var_pd(a, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), b);
  to[1] = _mm512_permutex2var_pd(a, _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1), b);
}
HEDDLE_AVX512 inline void load_pieces_wide(const float* from, __m512 (&to)[4]) {
  const __m512i low = _mm512_set_epi32(29, 25, 21, 17, 13, 9, 5, 1, 28, 24, 20, 16, 12, 8, 4, 0);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(2));
  const __m512 a = _mm512_loadu_ps(from), b = _mm512_loadu_ps(from + 16), c = _mm512_loadu_ps(from + 32),
               d = _mm512_loadu_ps(from + 48);
  const __m512 ab01 = _mm512_permutex2var_ps(a, low, b), ab23 = _mm512_permutex2var_ps(a, high, b);
  const __m512 cd01 = _mm512_permutex2var_ps(c, low, d), cd23 = _mm512_permutex2var_ps(c, high, d);
  to[0] = _mm512_shuffle_f32x4(ab01, cd01, 0x44);
  to[1] = _mm512_shuffle_f32x4(ab01, cd01, 0xee);
  to[2] = _mm512_shuffle_f32x4(ab23, cd23, 0x44);
  to[3] = _mm512_shuffle_f32x4(ab23, cd23, 0xee);
}

// 16 columns of codes (codec/column_windows.hpp); -1 for none.
HEDDLE_AVX512 inline __m512i decode_columns_wide(const ColumnWindows& windows, const std::uint16_t* codes) {
  const __m512i code = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes)));
  const __m512i bases =
      _mm512_castsi128_si512(_mm_load_si128(reinterpret_cast<const __m128i*>(static_cast<const Index*>(windows.base))));
  const __m512i base = _mm512_permutexvar_epi32(_mm512_srli_epi32(code, ColumnWindows::width_bits), bases);
  const __m512i column = _mm512_add_epi32(base, _mm512_and_si512(code, _mm512_set1_epi32(ColumnWindows::width - 1)));
  const __mmask16 absent = _mm512_cmpeq_epi32_mask(code, _mm512_set1_epi32(ColumnWindows::none));
  return _mm512_mask_mov_epi32(column, absent, _mm512_set1_epi32(-1));
}

}  // namespace heddle
#endif
