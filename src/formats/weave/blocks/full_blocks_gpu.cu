#include <algorithm>

#include "formats/weave/blocks/full_blocks.hpp"
#include "simt/csr/device_csr.hpp"

namespace heddle::weave {

namespace {

// A warp looks at rows that are whole blocks of several sizes: each column is read once for all of them, 32 entries of
// all rows together. (With 96 of each a multiprocessor had room for 16 warps: a lattice of 3 M entries took 12 us
// longer than the look beside it; H200.)
constexpr int look_threads = full_blocks_threads, look_warps = look_threads / simt::warp_size;

template <int lines_, int... size>
struct SizesTogether {
  static constexpr int lines = lines_;  // rows of a warp
  static constexpr std::uint32_t bits = ((1u << size) | ...);
  static_assert(((lines % size == 0) && ...));
};

// Whether these entries may be of full blocks; col: entry k of each row, -1 behind the end; before: the one before it.
template <int B, int lines>
SIMT_DEVICE bool suits_blocks(const Index (&col)[lines], const Index (&before)[lines], int k) {
  const int of_run = k % B;
  bool right = true;
#pragma unroll
  for (int line = 0; line < lines; ++line) {
    if (line % B != 0)
      right &= col[line] == col[line - line % B];
    else
      right &= col[line] < 0 || (col[line] % B == of_run && (of_run == 0 || before[line] == col[line] - 1));
  }
  return right;
}

// Of these sizes, those of which the rows have a block that is not full, or that nobody asks for. By a warp.
template <int lines, int... size>
SIMT_DEVICE std::uint32_t holes_of_rows(SizesTogether<lines, size...> sizes, const PatternArrays& A, Offset nnz,
                                        std::int64_t first_row, std::uint32_t asked) {
  constexpr std::uint32_t every = sizes.bits;
  const std::int64_t row = first_row + simt::lane();
  const bool mine = simt::lane() < lines && row < A.rows;
  const Offset begin = mine ? A.ptr[row] : 0, end = mine ? A.ptr[row + 1] : 0;
  const bool inside = begin >= 0 && begin <= end && end <= nnz && end - begin <= longest_in_blocks;
  if (simt::any(!inside)) return every;
  const auto length = static_cast<int>(end - begin);
  std::uint32_t holes = every & ~asked;
  const auto differ = [&](int B) {
    const int of_first = simt::shuffle(length, simt::lane() - simt::lane() % B);
    return simt::any(simt::lane() < lines && (length != of_first || length % B != 0));
  };
  ((holes |= differ(size) ? 1u << size : 0), ...);
  Offset line_begin[lines];
  int line_length[lines];
  Index last[lines];  // of the entries before
#pragma unroll
  for (int line = 0; line < lines; ++line) {
    line_begin[line] = simt::shuffle(begin, line);
    line_length[line] = simt::shuffle(length, line);
    last[line] = -1;
  }
  const auto longest = static_cast<int>(simt::max_lanes(static_cast<std::uint32_t>(length)));
  for (int k = simt::lane(); k - simt::lane() < longest && holes != every; k += simt::warp_size) {
    Index col[lines], before[lines];
#pragma unroll
    for (int line = 0; line < lines; ++line) col[line] = k < line_length[line] ? A.col[line_begin[line] + k] : -1;
#pragma unroll
    for (int line = 0; line < lines; ++line) {
      const Index below = simt::shuffle_up(col[line], 1);
      before[line] = simt::lane() == 0 ? last[line] : below;
      last[line] = simt::shuffle(col[line], simt::warp_size - 1);
    }
    ((holes |= simt::any(!suits_blocks<size>(col, before, k)) ? 1u << size : 0), ...);
  }
  return holes;
}

// Of all rows, by the warps of the grid.
template <class Sizes>
SIMT_DEVICE std::uint32_t holes_of_warp(Sizes sizes, const PatternArrays& A, Offset nnz, std::uint32_t asked) {
  asked &= sizes.bits;
  const std::int64_t stride = simt::grid_blocks() * look_warps * sizes.lines;
  std::uint32_t found = 0;
  std::int64_t row = simt::global_thread() / simt::warp_size * sizes.lines;
  for (; row < A.rows && (asked & ~found) != 0; row += stride)
    found |= holes_of_rows(sizes, A, nnz, row, asked & ~found);
  return found;
}

// told: the host; there: kernels that come later, or null.
SIMT_KERNEL look_for_holes_warp_per_rows(PatternArrays A, Offset nnz, std::uint32_t asked, BlockSizes* told,
                                         BlockSizes* there) {
  simt::let_next_start();
  const std::uint32_t found =
      holes_of_warp(SizesTogether<12, 2, 3, 4>(), A, nnz, asked) | holes_of_warp(SizesTogether<10, 5>(), A, nnz, asked);
  auto* of_warps = simt::shared<std::uint32_t>();
  if (simt::lane() == 0) of_warps[simt::warp()] = found;
  simt::sync_block();
  if (simt::thread() != 0) return;
  BlockSizes all;
  for (int w = 0; w < look_warps; ++w) all.add({of_warps[w]});
  told[simt::block()] = all;
  if (there != nullptr) there[simt::block()] = all;
  if (simt::block() == 0) simt::wait_for_earlier();  // so that this grid ends behind it
}

}  // namespace

void FullBlocksQuestion::ask(simt::Here here, const PatternView& A, BlockSizes sizes, Device device, bool overlaps,
                             BlockSizes* holes) {
  sizes_ = sizes;
  simt::Launch shape{parts(A), look_threads, look_warps * sizeof(std::uint32_t)};
  shape.overlaps = overlaps;
  simt::launch(here, shape, look_for_holes_warp_per_rows, PatternArrays(A), A.nnz(), sizes.bits,
               holes_.ask(shape.blocks, device, {}), holes);
}

}  // namespace heddle::weave
