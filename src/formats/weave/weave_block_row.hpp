// The blocks of a row of blocks, for kernels.
#pragma once

#include "layout/device_csr.hpp"

namespace heddle::weave {

// Walks the blocks of a row of blocks by ascending column: its B rows are merged.
template <int B>
class BlockRow {
 public:
  Index col = 0;  // of the block it stands on
  std::uint32_t mask = 0;

  SIMT_DEVICE BlockRow(const PatternArrays& A, std::int64_t block_row) : A_(A) {
#pragma unroll
    for (int line = 0; line < B; ++line) {
      const std::int64_t row = block_row * B + line;
      at_[line] = row < A.rows ? A.ptr[row] : 0;
      end_[line] = row < A.rows ? A.ptr[row + 1] : 0;
      load(line);
    }
  }
  // To the next block; false: there is none.
  SIMT_DEVICE bool advance() {
    Index lowest = none;
#pragma unroll
    for (int line = 0; line < B; ++line) lowest = next_[line] < lowest ? next_[line] : lowest;
    if (lowest == none) return false;
    col = lowest / B;
    mask = 0;
#pragma unroll
    for (int line = 0; line < B; ++line)
      while (next_[line] != none && next_[line] / B == col) {
        mask |= 1u << (line * B + next_[line] % B);
        ++at_[line];
        load(line);
      }
    return true;
  }

 private:
  static constexpr Index none = INT32_MAX;  // columns are below it
  SIMT_DEVICE void load(int line) {
    next_[line] = at_[line] < end_[line] ? simt::cached_load(A_.col + at_[line]) : none;
  }

  const PatternArrays& A_;
  Offset at_[B], end_[B];
  Index next_[B];
};

}  // namespace heddle::weave
