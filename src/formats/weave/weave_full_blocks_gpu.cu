#include <algorithm>

#include "formats/weave/weave_full_blocks.hpp"
#include "layout/device_csr.hpp"

namespace heddle::weave {

namespace {

// A warp looks at twelve rows, which are whole blocks of every size: each column is read once for all sizes. So many
// entries of each row are under way together, runs of every size.
constexpr int look_threads = 128, look_warps = look_threads / simt::warp_size;
constexpr int lines = 12, at_once = 3, chunk = at_once * simt::warp_size;

// Whether rows with these entries of a chunk may be of full blocks; col[line][u]: entry u * 32 + lane, -1 behind the
// end.
template <int B>
SIMT_DEVICE bool suits_blocks(const Index (&col)[lines][at_once], const Index (&before)[lines][at_once]) {
  bool right = true;
#pragma unroll
  for (int line = 0; line < lines; ++line) {
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const Index column = col[line][u];
      if (line % B != 0) {
        right &= column == col[line - line % B][u];
      } else {
        const int of_run = (u * simt::warp_size + simt::lane()) % B;
        right &= column < 0 || (column % B == of_run && (of_run == 0 || before[line][u] == column - 1));
      }
    }
  }
  return right;
}

// Sizes of which the rows have a block that is not full, or that nobody asks for. By a warp.
SIMT_DEVICE std::uint32_t holes_of_rows(const PatternArrays& A, Offset nnz, std::int64_t first_row,
                                        std::uint32_t asked) {
  constexpr std::uint32_t every = 1u << 2 | 1u << 3 | 1u << 4;
  const std::int64_t row = first_row + simt::lane();
  const bool mine = simt::lane() < lines && row < A.rows;
  const Offset begin = mine ? A.ptr[row] : 0, end = mine ? A.ptr[row + 1] : 0, length = end - begin;
  if (simt::any(begin < 0 || length < 0 || end > nnz || length > longest_in_blocks)) return every;
  std::uint32_t holes = every & ~asked;
  Offset longest = 0;
#pragma unroll
  for (int B = 2; B <= 4; ++B) {
    const Offset of_first = simt::shuffle(length, simt::lane() - simt::lane() % B);
    if (simt::any(simt::lane() < lines && (length != of_first || length % B != 0))) holes |= 1u << B;
  }
  Offset line_begin[lines];
  int line_length[lines];
#pragma unroll
  for (int line = 0; line < lines; ++line) {
    line_begin[line] = simt::shuffle(begin, line);
    const Offset entries = simt::shuffle(length, line);
    line_length[line] = static_cast<int>(entries);
    longest = entries > longest ? entries : longest;
  }
  for (int k = simt::lane(); k - simt::lane() < longest && holes != every; k += chunk) {
    Index col[lines][at_once], before[lines][at_once];
#pragma unroll
    for (int line = 0; line < lines; ++line) {
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        const int i = k + u * simt::warp_size;
        col[line][u] = i < line_length[line] ? A.col[line_begin[line] + i] : -1;
      }
    }
#pragma unroll
    for (int line = 0; line < lines; ++line) {
#pragma unroll
      for (int u = 0; u < at_once; ++u) {
        // The last lane hands its entry to the first one's next, whose own first begins a run.
        const Index left = u > 0 && simt::lane() == simt::warp_size - 1 ? col[line][u > 0 ? u - 1 : 0] : col[line][u];
        before[line][u] = simt::shuffle(left, (simt::lane() + simt::warp_size - 1) % simt::warp_size);
      }
    }
    if (simt::any(!suits_blocks<2>(col, before))) holes |= 1u << 2;
    if (simt::any(!suits_blocks<3>(col, before))) holes |= 1u << 3;
    if (simt::any(!suits_blocks<4>(col, before))) holes |= 1u << 4;
  }
  return holes;
}

SIMT_KERNEL look_for_holes_warp_per_rows(PatternArrays A, Offset nnz, std::uint32_t asked, BlockSizes* holes) {
  simt::let_next_start();
  const std::int64_t stride = simt::grid_blocks() * look_warps * lines;
  std::uint32_t found = 0;
  std::int64_t row = simt::global_thread() / simt::warp_size * lines;
  for (; row < A.rows && (asked & ~found) != 0; row += stride) found |= holes_of_rows(A, nnz, row, asked & ~found);
  auto* of_warps = simt::shared<std::uint32_t>();
  if (simt::lane() == 0) of_warps[simt::warp()] = found;
  simt::sync_block();
  if (simt::thread() != 0) return;
  BlockSizes all;
  for (int w = 0; w < look_warps; ++w) all.add({of_warps[w]});
  holes[simt::block()] = all;
  if (simt::block() == 0) simt::wait_for_earlier();  // so that this grid ends behind it
}

}  // namespace

void FullBlocksQuestion::ask(simt::Here here, const PatternView& A, BlockSizes sizes, Device device, bool overlaps) {
  sizes_ = sizes;
  constexpr std::int64_t most_blocks = 132 * 8;  // the host reads what each has found
  simt::Launch shape{std::min(most_blocks, simt::blocks_for(simt::blocks_for(A.rows, lines), look_warps)), look_threads,
                     look_warps * sizeof(std::uint32_t)};
  shape.overlaps = overlaps;
  simt::launch(here, shape, look_for_holes_warp_per_rows, PatternArrays(A), A.nnz(), sizes.bits,
               holes_.ask(shape.blocks, device, {}));
}

}  // namespace heddle::weave
