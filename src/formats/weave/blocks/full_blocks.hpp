// Whether all blocks of a matrix are full, whose rows are cut in B and whose columns too: then where they lie is known
// without counting, and nobody needs a pattern of blocks.
//
//   B = 3     3 4 5  9 10 11        the B rows have the same columns, in runs of B that begin with multiples of B
//             3 4 5  9 10 11
//             3 4 5  9 10 11
#pragma once

#include <cstdint>
#include <utility>

#include "core/dispatch.hpp"
#include "formats/weave/weave_layout.hpp"
#include "simt/primitives/reduce.hpp"

namespace heddle::weave {

// A warp at most walks a row of blocks: 8 rows of 200,000 took a hundred times the time of segments. So longer rows are
// not looked at, and count as not full.
inline constexpr std::int64_t longest_in_blocks = 8192;

// Unknowns of a node: of a plane, of space, with a pressure, of compressible flow. Whatever is compiled for each is
// dispatched here.
inline constexpr int least_block = 2, largest_block = 5;
inline constexpr int block_sizes[] = {5, 4, 3, 2};
template <class F>
void dispatch_block(int size, F&& f) {
  dispatch_int<2, 3, 4, 5>(size, std::forward<F>(f));
}

// Sizes as bits: 1 << B.
struct BlockSizes {
  std::uint32_t bits = 0;

  SIMT_BOTH bool has(int size) const { return (bits >> size & 1) != 0; }
  SIMT_BOTH void add(const BlockSizes& other) { bits |= other.bits; }
  SIMT_BOTH int largest() const {
    for (int size = largest_block; size >= least_block; --size)
      if (has(size)) return size;
    return 0;
  }
};

// Lanes that share a row of full blocks: enough warps for a large GPU, none of them without a block, and, the nearer
// the matrix comes to the size of the L2, few places behind the end of a row (27 blocks a row, five unknowns, 4.2 M
// doubles: 6.9 us with 4 lanes, 9.9 with 16; 2.0 M: 5.7 and 5.3; H200).
int lanes_of_block_rows(std::int64_t rows, std::int64_t entries, int size, int value_bytes);

// Whose blocks may all be full, as far as the number of rows and entries tells.
BlockSizes possible_full_blocks(const MatrixShape& A);

// Which of these have none but full blocks.
BlockSizes full_blocks(const PatternView& A, BlockSizes sizes);

inline constexpr int full_blocks_threads = 128;

// The same of arrays on a device: queued, and asked for later. The arrays need not be a matrix: every read stays inside
// them. `overlaps`: with the kernel that was queued last, which lets the next start (simt::Launch).
class FullBlocksQuestion {
 public:
  // holes: where kernels find it too, parts() of them, or null.
  void ask(simt::Emulator, const PatternView& there, BlockSizes sizes, Device device, bool overlaps, BlockSizes* holes);
  void ask(simt::Cuda, const PatternView& there, BlockSizes sizes, Device device, bool overlaps, BlockSizes* holes);
  static std::int64_t parts(const PatternView& A);
  bool asked(BlockSizes sizes) const { return (sizes.bits & ~sizes_.bits) == 0; }
  // Waits.
  BlockSizes heard() { return sizes_.bits != 0 ? BlockSizes{sizes_.bits & ~holes_.heard().bits} : BlockSizes{}; }

 private:
  BlockSizes sizes_;
  device::PendingSum<BlockSizes> holes_;  // sizes of which some are not full
};

}  // namespace heddle::weave
