// How many blocks the rows of a window touch. Without a merge: each entry asks whether it is the first of its block,
// in the order of rows.
//
//    row 0   0  1 | 4 5       2x2 blocks: 0 and 4 open one each (1 and 5 follow in it),
//    row 1   1  7             7 opens one, 1 finds row 0 in its block
#pragma once

#include <utility>

#include "analyze/device/survey_board.hpp"

namespace heddle {

struct BlockLooker {
  const Offset* ptr;  // of the window's rows
  const Index* col;
  int rows, width;  // width: the longest row, as far as it is looked at
  Index limit;

  SIMT_DEVICE int length(int row) const {
    return static_cast<int>(std::min(ptr[row + 1] - ptr[row], Offset{BlockWindows::row_entries}));
  }
  // Whether a row has a column in low .. high-1.
  SIMT_DEVICE bool touches(int row, Index low, Index high) const {
    const Index* columns = col + ptr[row];
    int from = 0, to = length(row);
    while (from < to) {
      const int middle = (from + to) / 2;
      columns[middle] < low ? from = middle + 1 : to = middle;
    }
    return from < length(row) && columns[from] < high;
  }
  template <int R, int C>
  SIMT_DEVICE bool opens(int row, int k, Index column) const {
    const Index low = column / C * C;
    if (k > 0 && col[ptr[row] + k - 1] >= low) return false;
    for (int before = row / R * R; before < row; ++before)
      if (touches(before, low, low + C)) return false;
    return true;
  }
};

// By every warp for itself: lane i has row i.
template <class V>
SIMT_DEVICE BlockLooker look_at_blocks(const Survey<V>& s, std::int64_t window, int shape) {
  const int unit = BlockWindows::unit(shape);
  const std::int64_t first = BlockWindows::border(s.blocks.first_row(window), unit, s.rows),
                     last = BlockWindows::border(s.blocks.first_row(window) + BlockWindows::rows, unit, s.rows);
  const int rows = static_cast<int>(last - first);
  BlockLooker looker{s.ptr + first, s.col, rows, 0, BlockWindows::no_limit};
  const bool has_row = simt::lane() < rows;
  const Offset begin = has_row ? s.ptr[first + simt::lane()] : 0;
  const Offset length = has_row ? s.ptr[first + simt::lane() + 1] - begin : 0;
  const Index limit = BlockWindows::limit(s.col + begin, length);
  looker.limit = BlockWindows::limit_of(INT32_MAX - simt::max_lanes(INT32_MAX - limit), unit);
  looker.width = simt::max_lanes(static_cast<int>(std::min(length, Offset{BlockWindows::row_entries})));
  return looker;
}

// f(row, k, column) for the entries of the window, by a team of threads.
template <class F>
SIMT_DEVICE void each_entry(const BlockLooker& w, int member, int team, F f) {
  for (int i = member; i < w.rows * w.width; i += team) {
    const int row = i / w.width, k = i % w.width;
    if (k >= w.length(row)) continue;
    const Index column = w.col[w.ptr[row] + k];
    if (column < w.limit) f(row, k, column);
  }
}

// Threads that look at a window: a quarter of a block where rows are short.
template <class V>
SIMT_BOTH int block_team(const Survey<V>& s) {
  return BlockWindows::rows * s.nnz <= 256 * s.rows ? survey_threads / 4 : survey_threads;
}

// 2x2 blocks, and the entries for all shapes.
template <class V>
SIMT_DEVICE void survey_blocks(const Survey<V>& s, std::int64_t task, Board& board) {
  const int team = block_team(s);
  const std::int64_t i = task * (survey_threads / team) + simt::thread() / team;
  if (i >= s.blocks.count) return;
  const BlockLooker looker = look_at_blocks(s, i, 0);
  std::uint32_t entries = 0, blocks = 0;
  each_entry(looker, simt::thread() % team, team, [&](int row, int k, Index column) {
    ++entries;
    blocks += looker.opens<block_shape[0][0], block_shape[0][1]>(row, k, column);
  });
  add_warp(&board.totals.block_entries, entries);
  add_warp(&board.totals.blocks[0], blocks);
}

// Whether block_fills may ask for the other shapes; at its border, yes.
template <class V>
SIMT_DEVICE bool blocks_leave_hope(const Survey<V>& s) {
  const double fill = 4 * static_cast<double>(s.totals->blocks[0]) / static_cast<double>(s.totals->block_entries);
  return fill < hopeless_fill + 0.1;
}

// One of the other shapes in one window or a part of it: small tasks, so that many multiprocessors have some.
inline constexpr int other_shapes = block_shapes - 1;

template <int Shape, class V>
SIMT_DEVICE void look_at_shape(const Survey<V>& s, const BlockLooker& looker, int member, int team) {
  std::uint32_t entries = 0, opened = 0;
  each_entry(looker, member, team, [&](int row, int k, Index column) {
    ++entries;
    opened += looker.opens<block_shape[Shape][0], block_shape[Shape][1]>(row, k, column);
  });
  add_warp(&s.totals->blocks[Shape], opened);
  if (Shape == shape_of_fives) add_warp(&s.totals->entries_of_fives, entries);
}
template <class V, int... other>
SIMT_DEVICE void look_at_shape(const Survey<V>& s, std::int64_t window, int shape, int member, int team,
                               std::integer_sequence<int, other...>) {
  const BlockLooker looker = look_at_blocks(s, window, shape);
  if (member / simt::warp_size * simt::warp_size >= looker.rows * looker.width) return;
  ((shape == other + 1 ? look_at_shape<other + 1>(s, looker, member, team) : void()), ...);
}

// By the whole grid. Long rows have few windows, and large ones: four blocks of threads share one.
inline constexpr int block_pieces = 4;

template <class V>
SIMT_DEVICE void conclude_blocks(const Survey<V>& s) {
  const int team = block_team(s), teams = survey_threads / team, pieces = team == survey_threads ? block_pieces : 1;
  const std::int64_t of_window = other_shapes * pieces;
  for (std::int64_t task = simt::block() * teams + simt::thread() / team; task < s.blocks.count * of_window;
       task += simt::grid_blocks() * teams) {
    const int part = static_cast<int>(task % of_window), piece = part % pieces;
    look_at_shape(s, task / of_window, 1 + part / pieces, piece * team + simt::thread() % team, pieces * team,
                  std::make_integer_sequence<int, other_shapes>());
  }
}

}  // namespace heddle
