// A line of a small block on the CPU: C neighbouring elements in one vector, where the instruction set can leave out
// the lanes beyond them, or else in C variables. Element j of a sum only ever meets element j of what is added to it,
// so every set gives the same bits.
#pragma once

#include <cstring>

#include <heddle/matrix.hpp>

#include "simd/fetch.hpp"

namespace heddle {

template <Isa set, class V, int C>
struct BlockLine {
  V element[C] = {};

  void load(const V* from) {
    for (int j = 0; j < C; ++j) element[j] = from[j];
  }
  // Zero where the mask has no bit; nothing is read there.
  void load_kept(unsigned mask, const V* from) {
    for (int j = 0; j < C; ++j) element[j] = mask >> j & 1 ? from[j] : V(0);
  }
  void add_product(const V* a, const BlockLine& x) {
    for (int j = 0; j < C; ++j) element[j] += a[j] * x.element[j];
  }
  // ... and +0, which changes no sum that began with it, where the mask has no bit.
  void add_kept_product(unsigned mask, const V* a, const BlockLine& x) {
    for (int j = 0; j < C; ++j) element[j] += kept(a[j] * x.element[j], -static_cast<Index>(mask >> j & 1));
  }
  void store(V* to) const { std::memcpy(to, element, sizeof element); }
  V total() const {
    V all = 0;
    for (int j = 0; j < C; ++j) all += element[j];
    return all;
  }
};

#if defined(__x86_64__)

// The narrowest vector of at least `bytes`.
template <class V, int bytes>
struct LineVector;
template <>
struct LineVector<double, 16> {
  using Type = __m128d;
  HEDDLE_AVX512 static void load(__mmask8 mask, const double* from, Type& to) { to = _mm_maskz_loadu_pd(mask, from); }
  HEDDLE_AVX512 static void add(__mmask8 mask, const Type& a, Type& to) { to = _mm_mask_add_pd(to, mask, to, a); }
};
template <>
struct LineVector<double, 32> {
  using Type = __m256d;
  HEDDLE_AVX512 static void load(__mmask8 mask, const double* from, Type& to) {
    to = _mm256_maskz_loadu_pd(mask, from);
  }
  HEDDLE_AVX512 static void add(__mmask8 mask, const Type& a, Type& to) { to = _mm256_mask_add_pd(to, mask, to, a); }
};
template <>
struct LineVector<double, 64> {
  using Type = __m512d;
  HEDDLE_AVX512 static void load(__mmask8 mask, const double* from, Type& to) {
    to = _mm512_maskz_loadu_pd(mask, from);
  }
  HEDDLE_AVX512 static void add(__mmask8 mask, const Type& a, Type& to) { to = _mm512_mask_add_pd(to, mask, to, a); }
};
template <>
struct LineVector<float, 16> {
  using Type = __m128;
  HEDDLE_AVX512 static void load(__mmask8 mask, const float* from, Type& to) { to = _mm_maskz_loadu_ps(mask, from); }
  HEDDLE_AVX512 static void add(__mmask8 mask, const Type& a, Type& to) { to = _mm_mask_add_ps(to, mask, to, a); }
};
template <>
struct LineVector<float, 32> {
  using Type = __m256;
  HEDDLE_AVX512 static void load(__mmask8 mask, const float* from, Type& to) { to = _mm256_maskz_loadu_ps(mask, from); }
  HEDDLE_AVX512 static void add(__mmask8 mask, const Type& a, Type& to) { to = _mm256_mask_add_ps(to, mask, to, a); }
};

template <class V, int C>
struct BlockLine<Isa::avx512, V, C> {
  static constexpr int bytes = C * sizeof(V) <= 16 ? 16 : C * sizeof(V) <= 32 ? 32 : 64;
  static constexpr __mmask8 all = (1u << C) - 1;
  using Lanes = LineVector<V, bytes>;
  typename Lanes::Type vector = {};

  HEDDLE_AVX512 void load(const V* from) { Lanes::load(all, from, vector); }
  HEDDLE_AVX512 void load_kept(unsigned mask, const V* from) { Lanes::load(static_cast<__mmask8>(mask), from, vector); }
  HEDDLE_AVX512 void add_product(const V* a, const BlockLine& x) {
    BlockLine line;
    line.load(a);
    vector += line.vector * x.vector;
  }
  HEDDLE_AVX512 void add_kept_product(unsigned mask, const V* a, const BlockLine& x) {
    BlockLine line;
    line.load(a);
    Lanes::add(static_cast<__mmask8>(mask), line.vector * x.vector, vector);
  }
  HEDDLE_AVX512 void store(V* to) const { std::memcpy(to, &vector, C * sizeof(V)); }
  HEDDLE_AVX512 V total() const {
    V element[bytes / sizeof(V)], sum = 0;
    std::memcpy(element, &vector, bytes);
    for (int j = 0; j < C; ++j) sum += element[j];
    return sum;
  }
};

#endif

}  // namespace heddle
