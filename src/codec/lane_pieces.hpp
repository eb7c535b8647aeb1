// N values of each of 32 lanes, laid out so that a warp reads them in loads of up to 16 bytes a lane, every load
// contiguous over the warp:
//
//   N = 4 doubles, pieces of P = 2       lane   0     1     2          31    0     1
//                                        value  a0 a1 b0 b1 c0 c1 ... z0 z1  a2 a3 b2 b3 ...
//
//   value i of a lane is at   (i / P * 32 + lane) * P + i % P
#pragma once

#include <type_traits>

#include "simt/simt.hpp"

namespace heddle {

// The most values of type T that one load brings and N is a multiple of.
template <class T, int N>
constexpr int piece_size() {
  int size = 1;
  while (2 * size * sizeof(T) <= 16 && N % (2 * size) == 0) size *= 2;
  return size;
}

template <class T, int N>
SIMT_BOTH constexpr int place_in_pieces(int lane, int i) {
  constexpr int P = piece_size<T, N>();
  return (i / P * simt::warp_size + lane) * P + i % P;
}

// Whether the matrix shall be kept by the L1: it pays when matrix and vectors stay in the L2 between multiplications
// (H200: 10 to 27 % below 40 MB), and costs up to 20 % when they do not.
enum class Keep { nothing, matrix };

// The N values of this lane; `step` is where lane 0 has its first one. What has no bytes is not loaded.
template <Keep keep, int N, class T>
SIMT_DEVICE void load_pieces(const T* step, T (&to)[N]) {
  if constexpr (!std::is_empty_v<T>) {
    constexpr int P = piece_size<T, N>();
    const T* from = step + simt::lane() * P;
#pragma unroll
    for (int piece = 0; piece < N / P; ++piece) {
      const T* at = from + piece * simt::warp_size * P;
      const simt::Pack<T, P> pack = keep == Keep::matrix ? simt::cached_pack<P>(at) : simt::stream_pack<P>(at);
#pragma unroll
      for (int i = 0; i < P; ++i) to[piece * P + i] = pack.at[i];
    }
  }
}

// The other way round.
template <int N, class T>
SIMT_DEVICE void store_pieces(T* step, const T (&from)[N]) {
  if constexpr (!std::is_empty_v<T>) {
    constexpr int P = piece_size<T, N>();
    T* to = step + simt::lane() * P;
#pragma unroll
    for (int piece = 0; piece < N / P; ++piece) {
      simt::Pack<T, P> pack;
#pragma unroll
      for (int i = 0; i < P; ++i) pack.at[i] = from[piece * P + i];
      *reinterpret_cast<simt::Pack<T, P>*>(to + piece * simt::warp_size * P) = pack;
    }
  }
}

}  // namespace heddle
