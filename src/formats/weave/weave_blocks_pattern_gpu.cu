// The matrix of blocks of a matrix on the device.
#include <algorithm>

#include "core/dispatch.hpp"
#include "formats/weave/weave_block_row.hpp"
#include "formats/weave/weave_blocks.hpp"
#include "layout/device_scan.hpp"

namespace heddle::weave {

namespace {

constexpr int pattern_threads = 256, pattern_warps = pattern_threads / simt::warp_size;

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

// Whether the B rows have the same columns, in runs of B that begin with multiples of B: then all blocks are full, and
// where they lie is known without counting. A warp looks at a row of blocks, and leaves its part of the pattern; of
// others something that is no pattern of this matrix, but one that kernels can read.
template <int B>
SIMT_DEVICE bool try_full_row(const PatternArrays& A, std::int64_t row, Offset* ptr, Index* col) {
  const std::int64_t first_row = row * B;
  const Offset first = A.ptr[first_row], length = A.length(first_row), begin = first / (B * B);
  const Offset end = A.ptr[first_row + B] / (B * B);
  if (simt::lane() == 0) ptr[row] = begin;
  if (simt::lane() == 0 && first_row + B == A.rows) ptr[row + 1] = end;
  bool full = first % (B * B) == 0 && length % B == 0;
  for (int line = 1; full && line < B; ++line) full = A.length(first_row + line) == length;
  if (!full) {
    for (Offset k = begin + simt::lane(); k < end; k += simt::warp_size) col[k] = 0;
    return false;
  }
  bool right = true;
  constexpr int at_once = 4;
  for (Offset k = simt::lane(); k < length; k += at_once * simt::warp_size) {  // loads behind the end: the last ones
    Index column[at_once][B], before[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const Offset i = k + u * simt::warp_size < length ? k + u * simt::warp_size : length - 1;
#pragma unroll
      for (int line = 0; line < B; ++line) column[u][line] = A.col[first + line * length + i];
      before[u] = i > 0 ? A.col[first + i - 1] : 0;
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const Offset i = k + u * simt::warp_size;
      if (i >= length) continue;
      right &= column[u][0] % B == i % B && (i % B == 0 || before[u] == column[u][0] - 1);
#pragma unroll
      for (int line = 1; line < B; ++line) right &= column[u][line] == column[u][0];
      if (i % B == 0) col[begin + i / B] = column[u][0] / B;
    }
  }
  return !simt::any(!right);
}

// Every block of threads says whether there are others.
template <int B>
SIMT_KERNEL try_full_warp_per_block_row(PatternArrays A, std::int64_t block_rows, Offset* ptr, Index* col,
                                        std::int32_t* holes) {
  const std::int64_t row = simt::global_thread() / simt::warp_size;
  const bool full = row >= block_rows || try_full_row<B>(A, row, ptr, col);
  auto* of_warps = simt::shared<std::int32_t>();
  if (simt::lane() == 0) of_warps[simt::warp()] = full ? 0 : 1;
  simt::sync_block();
  if (simt::thread() != 0) return;
  std::int32_t any = 0;
  for (int w = 0; w < pattern_warps; ++w) any |= of_warps[w];
  holes[simt::block()] = any;
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

template <int B>
bool try_full(simt::Here here, simt::Launch launch, const PatternView& A, const BesideBlocks& beside,
              BlockPattern& made, Device device) {
  if (A.rows == 0 || A.rows % B != 0 || A.nnz() % (B * B) != 0) return false;
  made.col = Buffer<Index>(A.nnz() / (B * B), device);
  device::Answers<std::int32_t> holes(launch.blocks, device);
  launch.shared_bytes = pattern_warps * sizeof(std::int32_t);
  simt::launch(here, launch, try_full_warp_per_block_row<B>, PatternArrays(A), made.rows, made.ptr.data(),
               made.col.data(), holes.there());
  if (beside) beside(made);
  const auto found = holes.here();
  return made.full = std::all_of(found.begin(), found.end(), [](std::int32_t any) { return any == 0; });
}

}  // namespace

BlockPattern block_pattern(simt::Here here, const PatternView& A, int size, Device device, const BesideBlocks& beside) {
  const std::int64_t block_rows = simt::blocks_for(A.rows, size);
  BlockPattern made{block_rows, (A.cols + size - 1) / size, Buffer<Offset>(block_rows + 1, device), {}, {}};
  const simt::Launch launch{simt::blocks_for(block_rows * simt::warp_size, pattern_threads), pattern_threads};
  dispatch_int<2, 3, 4>(size, [&](auto B) {
    if (try_full<B.value>(here, launch, A, beside, made, device)) return;
    made.guessed = false;
    simt::launch(here, launch, count_warp_per_block_row<B.value>, PatternArrays(A), block_rows, made.ptr.data());
    const BlockCounts counts{block_rows, made.ptr.data()};
    const Offset blocks = device::scan(here, counts, block_rows + 1, device).blocks;
    made.col = Buffer<Index>(blocks, device);
    made.mask = Buffer<std::uint32_t>(blocks, device);
    simt::launch(here, launch, store_warp_per_block_row<B.value>, PatternArrays(A), block_rows, made.ptr.data(),
                 made.col.data(), made.mask.data());
    made.full = blocks * B.value * B.value == A.nnz();  // the last rows, too few for a block, have no entries
    if (made.full) made.mask = {};
  });
  return made;
}

}  // namespace heddle::weave
