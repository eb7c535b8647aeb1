// Blocked ELLPACK (BELLPACK): block rows of r x c blocks (layout/blocks.hpp), those with most blocks first, in slices
// of S block rows. Each slice is an ELLPACK of blocks as wide as its first block row (layout/sliced.hpp).
//
//   block rows a..d, S = 4          slot   0  1  2  3 | 4  5  6  7 | 8 ..      lane = block row of the slice
//                                   col    a0 b0 c0 d0| a1 b1 .. ..| a2 .. .. ..
//   the values of four neighbouring slots, 2 x 2:    a b c d | a b c d | a b c d | a b c d
//                                                     (0,0)     (0,1)     (1,0)     (1,1)
//
//   block k of stored block row i, with s = i / S and lane = i % S, is slot  q = start[s] + k*S + lane ;
//   its entry (m, j) is at   val[(q - lane)*r*c + (m*c + j)*S + lane] ,   k < length[i]
//
// (In the last slice, S is the number of block rows that are left.) So the threads of a warp, one per block row, read
// neighbouring addresses. Stored block row i is block row row_of[i]. Padding slots have column -1 and an empty mask;
// they are never read, since block rows end at their length.
#pragma once

#include "formats/format.hpp"
#include "layout/blocks.hpp"
#include "layout/blocks_build.hpp"
#include "layout/sliced.hpp"

namespace heddle {

struct BellSettings {
  int r = 4, c = 4, slice = 32;
  std::vector<Field> fields() {
    return {{.name = "r", .value = &r, .meaning = "rows of a block", .low = 1, .high = most_block_rows},
            {.name = "c", .value = &c, .meaning = "columns of a block", .low = 1, .high = most_block_rows},
            {.name = "slice", .value = &slice, .meaning = "block rows of a slice", .low = 1, .high = 1024}};
  }
};

// What the GPU kernel sees.
template <class V>
struct BellView {
  std::int64_t rows;
  BlockShape shape;
  Sliced slices;
  const Offset* start;
  const Index *length, *row_of, *col;
  const std::uint8_t* mask;
  const V* val;
};

template <class V>
struct BellFormat {
  using Settings = BellSettings;
  static constexpr bool uses_scratch = false;

  std::int64_t rows = 0, cols = 0;
  BlockShape shape;
  Sliced slices;  // of block rows
  Buffer<Offset> start;
  Buffer<Index> length, row_of;
  Buffer<Index> col;
  Buffer<std::uint8_t> mask;
  Buffer<V> val;

  static FormatInfo about();
  static void settle(Settings&, const PatternView&) {}
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static BellFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  std::int64_t block_row_of(std::int64_t i) const { return row_of[i]; }
  std::int64_t blocks_of(std::int64_t i) const { return length[i]; }
  StoredBlock<V> block(std::int64_t i, std::int64_t k) const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.start), f(self.length), f(self.row_of), f(self.col), f(self.mask), f(self.val);
  }
  BellView<V> view() const {
    return {rows, shape, slices, start.data(), length.data(), row_of.data(), col.data(), mask.data(), val.data()};
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
