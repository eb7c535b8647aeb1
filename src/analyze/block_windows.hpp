// Which rows and columns are sampled to find out how full blocks would be, on every device.
//
//   windows of 24 rows, one out of each `stride` at a scattered place; those of blocks of five, which alone do not
//   divide them, begin and end at the next multiple of five
//
//   |a a a a|a . . . . . . .       A window ends, for all of its rows, before the column where its longest row has had
//   |. b . .|. b . . . . . .       512 entries, at a multiple of the block width: a giant row is neither walked to
//   |c c . .|. . c c . . . .       end nor left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <heddle/analyze.hpp>

#include "simt/annotations.hpp"

namespace heddle {

inline constexpr int block_shapes = 9;
inline constexpr int block_shape[block_shapes][2] = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6},
                                                     {8, 8}, {1, 3}, {2, 4}, {4, 2}};
inline constexpr int shape_of_fives = 3;  // the one that does not divide a window
static_assert(block_shape[shape_of_fives][0] == 5 && block_shape[shape_of_fives][1] == 5);

struct BlockWindows {
  static constexpr int rows = 24, width_unit = 24;
  static constexpr std::int64_t row_entries = 512;
  static constexpr Index no_limit = INT32_MAX;

  std::int64_t windows = 0, stride = 1, count = 0;  // in all, distance, sampled

  BlockWindows(std::int64_t matrix_rows, std::int64_t nnz, std::int64_t sample)
      : windows((matrix_rows + rows - 1) / rows),
        stride(std::max<std::int64_t>(1, nnz / sample)),
        count((windows + stride - 1) / stride) {}

  // A fixed distance could keep step with the lines of a grid.
  SIMT_BOTH std::int64_t first_row(std::int64_t i) const {
    const std::uint64_t scattered = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u >> 33;
    return std::min(i * stride + static_cast<std::int64_t>(scattered) % stride, windows - 1) * rows;
  }
  // Where a row of that many entries lets its window end.
  SIMT_BOTH static Index limit(const Index* col, Offset length) {
    return length > row_entries ? col[row_entries] / width_unit * width_unit : no_limit;
  }
  // Windows begin and end, and end before a column, at multiples of it.
  SIMT_BOTH static constexpr int unit(int shape) { return shape == shape_of_fives ? 5 : 1; }
  SIMT_BOTH static constexpr std::int64_t border(std::int64_t row, int unit, std::int64_t matrix_rows) {
    return std::min((row + unit - 1) / unit * unit, matrix_rows);
  }
  SIMT_BOTH static constexpr Index limit_of(Index limit, int unit) {
    return limit == no_limit ? limit : limit / unit * unit;
  }
};

struct BlockCounts {
  std::int64_t entries = 0, entries_of_fives = 0;  // of the windows; of those of blocks of five
  std::int64_t blocks[block_shapes] = {};
};
// For planning, the first shape alone where it is too empty for any other to be full.
std::vector<BlockFill> block_fills(const BlockCounts& counts, Detail detail);
// Full blocks of any shape with two rows or more leave 2x2 blocks at most 16/9 times as empty: where 2x2 blocks hold
// little, no other shape is worth a look.
inline constexpr double hopeless_fill = 2.7;

std::int64_t block_sample(std::int64_t nnz, Detail detail);  // all of a small matrix, a sixty-fourth of a large one
inline bool are_blocks_sampled(std::int64_t nnz, Detail detail) { return nnz >= 2 * block_sample(nnz, detail); }

}  // namespace heddle
