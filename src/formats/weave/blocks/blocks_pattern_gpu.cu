// The matrix of blocks of a matrix on the device.
#include "formats/weave/blocks/block_row.hpp"
#include "formats/weave/blocks/blocks.hpp"
#include "simt/primitives/scan.hpp"

namespace heddle::weave {

namespace {

constexpr int pattern_threads = 256;

template <int B>
SIMT_KERNEL count_warp_per_block_row(PatternArrays A, std::int64_t block_rows, Offset* count) {
  const std::int64_t row = simt::global_thread() / simt::warp_size;
  if (row >= block_rows) return;
  const Offset found = BlockLeaders<B>(A, row).count();
  if (simt::lane() == 0) count[row] = found;
}

// Mostly every block has an entry in its first row, and their order is that of the entries. Where some have not, one
// lane walks.
template <int B>
SIMT_KERNEL store_warp_per_block_row(PatternArrays A, std::int64_t block_rows, const Offset* ptr, Index* col,
                                     std::uint32_t* mask) {
  const std::int64_t row = simt::global_thread() / simt::warp_size;
  if (row >= block_rows) return;
  const Offset begin = ptr[row], count = ptr[row + 1] - begin;
  const Offset led = BlockLeaders<B>(A, row).of_first_row([&](Offset k, Index block, std::uint32_t bits) {
    col[begin + k] = block;
    mask[begin + k] = bits;
  });
  simt::sync_warp();
  if (led == count || simt::lane() != 0) return;
  BlockRow<B> blocks(A, row);
  for (Offset k = begin; blocks.advance(); ++k) {
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

}  // namespace

BlockPattern block_pattern(simt::Here here, const PatternView& A, int size, Device device) {
  const std::int64_t block_rows = simt::blocks_for(A.rows, size);
  BlockPattern made{block_rows, (A.cols + size - 1) / size, Buffer<Offset>(block_rows + 1, device), {}, {}};
  const simt::Launch launch{simt::blocks_for(block_rows * simt::warp_size, pattern_threads), pattern_threads};
  dispatch_block(size, [&](auto B) {
    simt::launch(here, launch, count_warp_per_block_row<B.value>, PatternArrays(A), block_rows, made.ptr.data());
    const BlockCounts counts{block_rows, made.ptr.data()};
    const Offset blocks = device::scan(here, counts, block_rows + 1, device).blocks;
    made.col = Buffer<Index>(blocks, device);
    made.mask = Buffer<std::uint32_t>(blocks, device);
    simt::launch(here, launch, store_warp_per_block_row<B.value>, PatternArrays(A), block_rows, made.ptr.data(),
                 made.col.data(), made.mask.data());
    made.full = blocks * B.value * B.value == A.nnz();  // the last rows, too few for a block, have no entries
  });
  return made;
}

}  // namespace heddle::weave
