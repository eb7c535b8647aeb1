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
//
// values=symmetric (r = c, 2 to 5) stores the blocks on and right of the diagonal alone. A block left of it is read,
// transposed, from where another row of blocks keeps it:
//
//   blocks:   D a .        ptr   0  2  5  7        all blocks of a row, those left of the diagonal first
//             a'E b        col   0 1 | 0 1 2 | 1 2
//             . b'F        own   0  2  4  5        stored ones: D a | E b | F
//                          at    1 | 3             where the others are: a' is block 1, b' block 3
//
//   block k of row R, with `left` = (ptr[R+1] - ptr[R]) - (own[R+1] - own[R]), is
//     k < left     block at[ptr[R] - own[R] + k], transposed           else    block own[R] + k - left
//
// Without masks where every block is full. Two full blocks of 3 x 3 doubles, a pair, take 84 bytes instead of 156.
#pragma once

#include "core/dispatch.hpp"
#include "formats/format.hpp"
#include "formats/symmetric.hpp"
#include "layout/blocks.hpp"
#include "layout/blocks_build.hpp"

namespace heddle {

struct BcsrSettings {
  int r = 4, c = 4, values = static_cast<int>(StoredValues::raw);

  bool symmetric() const { return values == static_cast<int>(StoredValues::symmetric); }
  std::vector<Field> fields() {
    return {{.name = "r", .value = &r, .meaning = "rows of a block", .low = 1, .high = most_block_rows},
            {.name = "c", .value = &c, .meaning = "columns of a block", .low = 1, .high = most_block_rows},
            stored_values_field(values)};
  }
};

// What follows from the pattern: where blocks begin and, with symmetric values, everything but the masks.
struct BcsrPattern {
  Buffer<Offset> ptr, own;
  Buffer<Index> col, at;
  const char* misfit = nullptr;  // why symmetric values do not fit
};

template <class V>
struct BcsrFormat {
  using Settings = BcsrSettings;
  using Found = BcsrPattern;
  static constexpr bool uses_scratch = false;

  std::int64_t rows = 0, cols = 0;
  BlockShape shape;
  Buffer<Offset> ptr;
  Buffer<Index> col;
  Buffer<std::uint8_t> mask;
  Buffer<V> val;
  Buffer<Index> task;  // first block row of each CPU task, and their number
  Buffer<Offset> own;  // these two with symmetric values alone
  Buffer<Index> at;

  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static Footprint at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& found);
  static BcsrFormat build(Source<V> source, const Settings& settings, Found found = {});
  Csr<V> restore() const;

  std::int64_t block_row_of(std::int64_t i) const { return i; }
  std::int64_t blocks_of(std::int64_t i) const { return ptr[i + 1] - ptr[i]; }
  bool symmetric() const { return !own.empty(); }
  std::int64_t left_of(std::int64_t i) const { return symmetric() ? blocks_of(i) - (own[i + 1] - own[i]) : 0; }
  StoredBlock<V> block(std::int64_t i, std::int64_t k) const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.ptr), f(self.col), f(self.mask), f(self.val), f(self.task), f(self.own), f(self.at);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  // With symmetric values: bcsr_symmetric_cpu.cpp, bcsr_symmetric_gpu.cu.
  void multiply_symmetric(OnCpu, const Product<V>& product) const;
  void multiply_symmetric(simt::Emulator, const Product<V>& product) const;
  void multiply_symmetric(simt::Cuda, const Product<V>& product) const;
};

// The sizes of blocks whose values may be stored by half: f of the size, a constant.
template <class F>
void dispatch_symmetric(int size, F f) {
  dispatch_int<2, 3, 4, 5>(size, f);
}

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
