// Entries that each say where they are, sorted by row: all of `coo`, and the part of other formats (hyb, ell16, dia)
// that their regular layout does not take.
//
//   row  0 0 2 2 2 3        entry k is val[k] at (row[k], col[k])
//   col  0 2 0 1 5 3
//   val  a b c d e f
//
// Work is cut into shares of 256 entries, whatever the rows are: a warp (or a CPU task) adds up the rows inside its
// share by a segmented sum, and rows that cross shares are put together afterwards (layout/crossing.hpp), always in
// the same order. `add_product` only adds: rows without entries here are not visited, so y holds its first part before.
#pragma once

#include "layout/crossing.hpp"
#include "layout/scale.hpp"

namespace heddle {

template <class V>
struct Coordinates {
  static constexpr std::int64_t share = 256;

  Buffer<Index> row, col;
  Buffer<V> val;
  Buffer<Crossing> crossing;
  Buffer<V> head, tail;  // scratch of `add_product`

  std::int64_t nnz() const { return row.size(); }
  // Only rows that cross shares are put together from pieces.
  bool uses_scratch() const { return !crossing.empty(); }
  CrossingView<V> pieces() const {
    return {crossing.data(), crossing.size(), const_cast<V*>(head.data()), const_cast<V*>(tail.data())};
  }

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.row), f(self.col), f(self.val), f(self.crossing), f(self.head), f(self.tail);
  }
};

// For rows that own entries ptr[r] .. ptr[r+1]-1 (rows + 1 numbers, the first is 0): everything but col and val.
template <class V>
Coordinates<V> coordinates_of(std::span<const Offset> ptr);
// What such entries take: known from the row starts alone.
std::int64_t coordinate_bytes(std::span<const Offset> ptr, int value_bytes);
// The row starts again.
template <class V>
Buffer<Offset> row_starts(const Coordinates<V>& A, std::int64_t rows);

// y += alpha A x: beta of the update is ignored.
template <class V>
void add_product(OnCpu, const Coordinates<V>& A, const Product<V>& product);
template <class V>
void add_product(simt::Emulator, const Coordinates<V>& A, const Product<V>& product);
template <class V>
void add_product(simt::Cuda, const Coordinates<V>& A, const Product<V>& product);

}  // namespace heddle
