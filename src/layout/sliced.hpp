// Slices of rows, each an ELLPACK of its own: the layout that ell, ellr, sell, rgcsr, hyb and ell16 share.
//
//   rows a..f, C = 4 rows a slice, T = 1 lane a row         T = 2: neighbours of a row sit side by side
//
//   slice 0   a0 b0 c0 d0 | a1 b1 c1 .. | a2 .. .. ..        a0 a1 b0 b1 c0 c1 d0 .. | a2 .. .. .. .. .. .. ..
//   slice 1   e0 f0 .. .. | e1 .. .. ..                      e0 e1 f0 .. .. .. .. ..
//
//   entry k of row r, with s = r / C and p = r % C, is at    start[s] + ((k / T) * height(s) + p) * T + k % T
//
//   height(s) = C; with `cut`, the last slice has its real height (rows % C). One slice of all rows is ELLPACK: then
//   there is no `start`. The width of a slice is that of its longest row, rounded up to T. A row ends at its `length`;
//   where there is no `length`, at the first column -1.
//   Stored row i is row row_of[i] of the matrix; without `row_of`, row i.
#pragma once

#include <heddle/matrix.hpp>

#include "codec/index_codec.hpp"
#include "core/update.hpp"
#include "layout/scale.hpp"
#include "simt/simt.hpp"

namespace heddle {

// The index arithmetic, without any array. Stored entries never exceed 2^62 + 2^37: widths and rows are below 2^31.
struct Sliced {
  std::int64_t rows = 0;   // of the matrix
  std::int64_t slice = 1;  // C, at most 2^31
  int lanes = 1;           // T
  bool cut = false;

  SIMT_BOTH std::int64_t slices() const { return (rows + slice - 1) / slice; }
  SIMT_BOTH std::int64_t slice_of(std::int64_t row) const {
    return static_cast<std::uint32_t>(row) / static_cast<std::uint32_t>(slice);  // rows fit 32 bits: a short division
  }
  SIMT_BOTH std::int64_t height(std::int64_t s) const {
    const std::int64_t left = rows - s * slice;
    return cut && left < slice ? left : slice;
  }
  // Distance from an entry to the one T places further in the same row.
  SIMT_BOTH std::int64_t stride(std::int64_t s) const { return height(s) * lanes; }
  // Where the first entry of `row` is, inside its slice.
  SIMT_BOTH std::int64_t begin(std::int64_t row) const { return (row - slice_of(row) * slice) * lanes; }
};

// One slice of all rows: ELLPACK with its leading dimension rounded up to whole warps.
inline Sliced one_slice(std::int64_t rows, int lanes = 1) {
  return {.rows = rows, .slice = rows > 0 ? (rows + 31) / 32 * 32 : 32, .lanes = lanes};
}

template <class V, class Codec = Index32>
struct SlicedView {
  Sliced shape;
  const Offset* start = nullptr;  // null: one slice
  const Index* length = nullptr;  // null: rows end at column -1
  const Index* row_of = nullptr;  // null: rows are in their places
  const typename Codec::Stored* col = nullptr;
  const V* val = nullptr;
  Offset stored = 0;

  SIMT_BOTH Offset slice_begin(std::int64_t s) const { return start ? start[s] : 0; }
  SIMT_BOTH Offset slice_end(std::int64_t s) const { return start ? start[s + 1] : stored; }
};

// Places side by side on the CPU, from `place` on; those of one column lie `stride` behind those of the column before,
// and the first belongs to `row`. Place i has an entry in column k while k T < left[i], or, where there is no `left`,
// up to a column -1.
struct PlaceWalk {
  Offset place, end;
  std::int64_t stride, row;
  const Index* left;
};

// The arrays themselves. Those a format has no use for stay empty.
template <class V, class Codec = Index32>
struct SlicedStore {
  Sliced shape;
  Buffer<Offset> start;
  Buffer<Index> length, row_of;
  Buffer<typename Codec::Stored> col;
  Buffer<V> val;

  SlicedView<V, Codec> view() const {
    return {shape, start.data(), length.data(), row_of.data(), col.data(), val.data(), val.size()};
  }
  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.start), f(self.length), f(self.row_of), f(self.col), f(self.val);
  }
};

// What may stay in the L1: x alone (the matrix streams past it), everything, or nothing. Only `x` is for use; the
// others are there to measure what it gains (papers 3 and 5), for rows with lengths and 32-bit columns.
enum class Caching { x, all, none };

// y = alpha A x + beta y over all rows of A, which need not be whole rows of a matrix: what is missing may be added to
// y afterwards. On a GPU T lanes share a row and `threads` make a block: a multiple of 32.
template <class V, class Codec>
void multiply_sliced(OnCpu, const SlicedView<V, Codec>& A, const Product<V>& product);
template <class V, class Codec>
void multiply_sliced(simt::Emulator, const SlicedView<V, Codec>& A, const Product<V>& product, int threads,
                     Caching caching = Caching::x);
template <class V, class Codec>
void multiply_sliced(simt::Cuda, const SlicedView<V, Codec>& A, const Product<V>& product, int threads,
                     Caching caching = Caching::x);

}  // namespace heddle
