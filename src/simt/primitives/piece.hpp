// A number that one block of threads leaves for another in the same launch. It says itself that it is there: every 32
// bits of it travel in one word with a mark, so its store need not be ordered before another one.
//
//   half[0]  |low 32 bits |0 .. 0 1|      half[1] (double)  |high 32 bits|0 .. 0 1|       all zero: nothing here
//
// Who takes it waits for the mark. A release and a fence instead took 1 us more for rows in pieces (H200).
#pragma once

#include <cstring>

#include "simt/simt.hpp"

namespace heddle {

template <class V>
struct Piece {
  static constexpr int halves = sizeof(V) / 4;
  std::uint64_t half[halves];

  SIMT_DEVICE static void leave(Piece* at, V value) {
    std::uint32_t bits[halves];
    memcpy(bits, &value, sizeof(V));
    for (int i = 0; i < halves; ++i) simt::relaxed_store(&at->half[i], std::uint64_t{bits[i]} << 32 | 1);
  }
  // Once: what was here is gone. It must be sure to come, whatever order blocks run in.
  SIMT_DEVICE static V take(Piece* at) {
    std::uint32_t bits[halves];
    for (int i = 0; i < halves; ++i) {
      std::uint64_t word = simt::relaxed_load(&at->half[i]);
      while ((word & 1) == 0) word = simt::relaxed_load(&at->half[i]);
      bits[i] = static_cast<std::uint32_t>(word >> 32);
      at->half[i] = 0;
    }
    V value;
    memcpy(&value, bits, sizeof(V));
    return value;
  }
};

}  // namespace heddle
