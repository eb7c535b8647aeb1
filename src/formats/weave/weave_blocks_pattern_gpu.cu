// The matrix of blocks of a matrix on the device.
#include "core/dispatch.hpp"
#include "formats/weave/weave_blocks.hpp"
#include "layout/device_csr.hpp"
#include "layout/device_reduce.hpp"
#include "layout/device_scan.hpp"

namespace heddle::weave {

namespace {

constexpr int pattern_threads = 128;

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

template <int B>
SIMT_KERNEL count_thread_per_block_row(PatternArrays A, std::int64_t block_rows, Offset* count) {
  const std::int64_t row = simt::global_thread();
  if (row >= block_rows) return;
  BlockRow<B> blocks(A, row);
  Offset found = 0;
  while (blocks.advance()) ++found;
  count[row] = found;
}

template <int B>
SIMT_KERNEL store_thread_per_block_row(PatternArrays A, std::int64_t block_rows, const Offset* ptr, Index* col,
                                       std::uint32_t* mask) {
  const std::int64_t row = simt::global_thread();
  if (row >= block_rows) return;
  BlockRow<B> blocks(A, row);
  for (Offset k = ptr[row]; blocks.advance(); ++k) {
    col[k] = blocks.col;
    mask[k] = blocks.mask;
  }
}

struct BlockCount {
  Offset blocks = 0;
  SIMT_BOTH void add(const BlockCount& other) { blocks += other.blocks; }
};

// Counts become beginnings, in place; the item behind the last one has nothing to count.
struct BlockCounts {
  using Sum = BlockCount;
  std::int64_t block_rows;
  Offset* ptr;

  SIMT_DEVICE BlockCount item(std::int64_t row) const { return {row < block_rows ? ptr[row] : 0}; }
  SIMT_DEVICE void place(std::int64_t row, const BlockCount& before) const { ptr[row] = before.blocks; }
};

struct Holes {
  std::int32_t any = 0;
  SIMT_BOTH void add(const Holes& other) { any |= other.any; }
};
struct BlocksWithHoles {
  using Result = Holes;
  const std::uint32_t* mask;
  std::uint32_t full;

  SIMT_DEVICE void add(std::int64_t i, Holes& to) const { to.any |= mask[i] != full; }
};

}  // namespace

BlockPattern block_pattern(simt::Here here, const PatternView& A, int size, Device device) {
  const std::int64_t block_rows = simt::blocks_for(A.rows, size);
  BlockPattern made{block_rows, (A.cols + size - 1) / size, Buffer<Offset>(block_rows + 1, device), {}, {}};
  const simt::Launch launch{simt::blocks_for(block_rows, pattern_threads), pattern_threads};
  dispatch_int<2, 3, 4>(size, [&](auto B) {
    simt::launch(here, launch, count_thread_per_block_row<B.value>, PatternArrays(A), block_rows, made.ptr.data());
    const BlockCounts counts{block_rows, made.ptr.data()};
    const Offset blocks = device::scan(here, counts, block_rows + 1, device).blocks;
    made.col = Buffer<Index>(blocks, device);
    made.mask = Buffer<std::uint32_t>(blocks, device);
    simt::launch(here, launch, store_thread_per_block_row<B.value>, PatternArrays(A), block_rows, made.ptr.data(),
                 made.col.data(), made.mask.data());
    const std::uint32_t full = (1u << B.value * B.value) - 1;
    made.full = device::reduce(here, BlocksWithHoles{made.mask.data(), full}, blocks, device).any == 0;
  });
  return made;
}

}  // namespace heddle::weave
