// Columns and elements of x, N at once. To be called inside with_isa.
#pragma once

#include <bit>

#include <heddle/matrix.hpp>

#include "codec/column_windows.hpp"
#include "codec/value_codec.hpp"
#include "core/gather.hpp"
#include "core/isa.hpp"

namespace heddle {

#if defined(__x86_64__)
HEDDLE_AVX512 inline void fetch_vector(OnIsa<Isa::avx512>, const double* x, const Index* col, double* to) {
  _mm512_storeu_pd(to, gather_512(x, col));
}
HEDDLE_AVX512 inline void fetch_vector(OnIsa<Isa::avx512>, const float* x, const Index* col, float* to) {
  _mm512_storeu_ps(to, gather_512(x, col));
}
HEDDLE_AVX2 inline void fetch_vector(OnIsa<Isa::avx2>, const double* x, const Index* col, double* to) {
  _mm256_storeu_pd(to, gather_256(x, col));
}
HEDDLE_AVX2 inline void fetch_vector(OnIsa<Isa::avx2>, const float* x, const Index* col, float* to) {
  _mm256_storeu_ps(to, gather_256(x, col));
}
#endif

// N elements are a multiple of 64 bytes.
template <Isa set, int N, class V>
inline void fetch(OnIsa<set> on, const V* x, const Index (&col)[N], V (&to)[N]) {
  if constexpr (set == Isa::baseline || set == Isa::sve) {  // compilers have instructions of SVE for this loop
    for (int i = 0; i < N; ++i) to[i] = x[col[i]];
  } else {
    constexpr int width = (set == Isa::avx512 ? 64 : 32) / sizeof(V);
    for (int i = 0; i < N; i += width) fetch_vector(on, x, col + i, to + i);
  }
}

// Columns of codes; -1 for none.
template <int N, class Windows>
inline void decode_columns(const Windows& windows, const typename Windows::Code* codes, Index (&col)[N]) {
  constexpr Index odd = Windows::width, upper = 2 * odd;
  const Index b0 = windows.base[0], b1 = windows.base[1], b2 = windows.base[2], b3 = windows.base[3];
  for (int i = 0; i < N; ++i) {
    const Index code = codes[i], low = code & odd ? b1 : b0, high = code & odd ? b3 : b2;
    const Index column = (code & upper ? high : low) + (code & (odd - 1));
    col[i] = code == Windows::none ? -1 : column;
  }
}

// N values in the order they are stored; those of a dictionary are fetched from its table.
template <Isa set, int N, class V, class S>
inline void load_values(OnIsa<set> on, const CodedValues<V, S>& values, const S* stored, V (&to)[N]) {
  if constexpr (std::is_empty_v<S>) {
    for (int i = 0; i < N; ++i) to[i] = *values.table;
  } else if constexpr (std::is_integral_v<S>) {
    Index place[N];
    for (int i = 0; i < N; ++i) place[i] = stored[i];
    fetch(on, values.table, place, to);
  } else {
    for (int i = 0; i < N; ++i) to[i] = static_cast<V>(stored[i]);
  }
}

// value where `keep` is -1, +0 where it is 0.
template <class V>
inline V kept(V value, Index keep) {
  using Bits = std::conditional_t<sizeof(V) == 8, std::int64_t, std::int32_t>;
  return std::bit_cast<V>(std::bit_cast<Bits>(value) & static_cast<Bits>(keep));
}

}  // namespace heddle
