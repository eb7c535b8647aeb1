// Blocked compressed rows: the matrix in aligned r x c blocks (layout/blocks.hpp), block rows compressed like rows.
//
//   2 x 2 blocks:   a b | . .        ptr   0  2  3           block row R owns blocks ptr[R] .. ptr[R+1]-1
//                   c . | d .        col   0  1  1           one column number per block
//                   ---------        mask  1110 0010 1111    which places are entries, row by row
//                   . . | e f        val   a b c 0 | 0 0 d 0 | e f g h
//                   . . | g h
//
//   entry (i, j) of block b is at   val[b*r*c + i*c + j] ;   it is row R*r + i, column col[b]*c + j
//
// Bytes per block: r*c values, 4 for the column, and the mask (1 to 8).
#pragma once

#include "formats/format.hpp"
#include "layout/blocks.hpp"
#include "layout/blocks_build.hpp"

namespace heddle {

struct BcsrSettings {
  int r = 4, c = 4;
  std::vector<Field> fields() {
    return {{.name = "r", .value = &r, .meaning = "rows of a block", .low = 1, .high = most_block_rows},
            {.name = "c", .value = &c, .meaning = "columns of a block", .low = 1, .high = most_block_rows}};
  }
};

template <class V>
struct BcsrFormat {
  using Settings = BcsrSettings;
  using Found = Buffer<Offset>;  // where block rows begin
  static constexpr bool uses_scratch = false;

  std::int64_t rows = 0, cols = 0;
  BlockShape shape;
  Buffer<Offset> ptr;
  Buffer<Index> col;
  Buffer<std::uint8_t> mask;
  Buffer<V> val;
  Buffer<Index> task;  // first block row of each CPU task, and their number

  static FormatInfo about();
  static void settle(Settings&, const PatternView&) {}
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static Footprint at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& found);
  static BcsrFormat build(Source<V> source, const Settings& settings, Found found = {});
  Csr<V> restore() const;

  std::int64_t block_row_of(std::int64_t i) const { return i; }
  std::int64_t blocks_of(std::int64_t i) const { return ptr[i + 1] - ptr[i]; }
  StoredBlock<V> block(std::int64_t i, std::int64_t k) const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.ptr), f(self.col), f(self.mask), f(self.val), f(self.task);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

// What the GPU kernel sees.
template <class V>
struct BcsrView {
  std::int64_t rows;
  int r, mask_bytes;
  int slots;  // blocks of a block row that a team takes at once
  const Offset* ptr;
  const Index* col;
  const std::uint8_t* mask;
  const V* val;
};

}  // namespace heddle
