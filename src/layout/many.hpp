// What kernels for several right-hand sides share. K vectors at a time have their sums in registers; the next K come in
// a second pass over the same slice, which the caches still hold: memory is read once for all of them. (16 sums of 8
// bytes for each of several rows a lane would leave room for few warps, and from 8 vectors on it is the L1 that
// decides, not the bytes of the matrix: 64 bytes of x for each entry of 6 to 12.)
#pragma once

#include "core/update_many.hpp"
#include "simt/simt.hpp"

namespace heddle {

// Rows a lane works on at once -> vectors at once.
template <int rows>
inline constexpr int vectors_at_once = rows >= 3 ? 4 : 8;

template <class V>
inline constexpr int many_pack = 16 / sizeof(V);

// Elements i of vectors first .. first + K - 1; zeros for vectors that are not there. Vectors side by side come in
// loads of 16 bytes.
template <int K, class V>
SIMT_DEVICE void load_elements(const VectorsView<V>& x, std::int64_t i, int first, V (&to)[K]) {
  constexpr int P = many_pack<V>;
  const V* from = x.at(i, first);
  if (x.packed) {
#pragma unroll
    for (int q = 0; q < K / P; ++q) {
      simt::Pack<V, P> pack = {};
      if (first + q * P < x.count) pack = simt::cached_pack<P>(from + q * P);
#pragma unroll
      for (int j = 0; j < P; ++j) to[q * P + j] = pack.at[j];
    }
  } else {
#pragma unroll
    for (int j = 0; j < K; ++j) to[j] = first + j < x.count ? simt::cached_load(from + j * x.vector) : V(0);
  }
}

// Row i of vectors first .. first + K - 1.
template <int K, class V>
SIMT_DEVICE void update_row(const UpdateMany<V>& y, std::int64_t i, int first, const V (&sum)[K], bool has_entries) {
  constexpr int P = many_pack<V>;
  if (y.packed) {
#pragma unroll
    for (int q = 0; q < K / P; ++q)
      if (first + q * P < y.count) {
        auto* target = reinterpret_cast<simt::Pack<V, P>*>(y.at(i, first + q * P));
        simt::Pack<V, P> pack = {};
        if (y.beta != V(0)) pack = *target;
#pragma unroll
        for (int j = 0; j < P; ++j) pack.at[j] = y.updated(sum[q * P + j], pack.at[j], has_entries);
        *target = pack;
      }
  } else {
#pragma unroll
    for (int j = 0; j < K; ++j)
      if (first + j < y.count) y.row(i, first + j, sum[j], has_entries);
  }
}

// Sums over teams of `lanes` neighbouring lanes, the same in all of them. All lanes must call.
template <int K, class V>
SIMT_DEVICE void team_sums(V (&sum)[K], int lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
#pragma unroll
    for (int j = 0; j < K; ++j) sum[j] += simt::shuffle_xor(sum[j], distance);
}

}  // namespace heddle
