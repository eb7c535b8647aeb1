// All row lengths: how many rows of each, and the places that slices store, as measure_pattern and measure_padding
// count them. A thread has a row of a window of 1024.
#pragma once

#include "analyze/pattern_hash.hpp"
#include "analyze/survey_board.hpp"

namespace heddle {

// Windows of a task: their reads of ptr are on the way at the same time.
inline constexpr int row_windows = 4;
static_assert(padding_window == survey_threads);

// Places of slices of 32 and of 128 rows as they come; board.warp_word has the longest row of each warp.
SIMT_DEVICE void count_unsorted(Board& board) {
  if (simt::warp() != 0) return;
  const std::uint32_t width = board.warp_word[simt::lane()];
  std::uint32_t of_four = width;
  for (int step = 1; step < 4; step *= 2) of_four = std::max(of_four, simt::shuffle_xor(of_four, step));
  const std::uint64_t narrow = simt::warp_sum(std::uint64_t{width});
  const std::uint64_t wide = simt::warp_sum(std::uint64_t{simt::lane() % 4 == 0 ? of_four : 0});
  if (simt::lane() == 0) {
    board.totals.stored[0] += 32 * narrow;
    board.totals.stored[3] += 128 * wide;
  }
}

// Sorted by falling length, every 32nd row gives a width: here those of them that are long. A row's place is the number
// of longer ones; of equal ones any order does.
SIMT_DEVICE void count_sorted_long(Board& board) {
  const int quarter = simt::thread() / Board::quarter, mine = simt::thread() % Board::quarter;
  if (mine >= static_cast<int>(board.long_rows[quarter])) return;
  const std::uint32_t length = board.long_length[quarter][mine];
  int in_quarter = 0, in_window = 0;
  for (int q = 0; q < 4; ++q) {
    int before = 0;
    for (int i = 0; i < static_cast<int>(board.long_rows[q]); ++i) {
      const std::uint32_t other = board.long_length[q][i];
      before += other > length || (other == length && (q < quarter || (q == quarter && i < mine)));
    }
    in_window += before;
    if (q == quarter) in_quarter = before;
  }
  if (in_quarter % 32 == 0) simt::atomic_add(&board.totals.stored[1], std::uint64_t{32} * length);
  if (in_window % 32 == 0) simt::atomic_add(&board.totals.stored[2], std::uint64_t{32} * length);
}

//  The widths of the other slices, each as many ones as it is wide: with n(l) rows of l entries or more, ceil(n(l) /
//  32) slices are l wide or wider. `longer` rows come first and have been counted.
SIMT_DEVICE std::uint32_t places_of_width(std::uint32_t rows, std::uint32_t longer) {
  return 32 * ((rows + 31) / 32 - (longer + 31) / 32);
}

// board.at_least[q][l]: the rows of a quarter with l entries or more; thread t of a quarter has l = 255 - t.
SIMT_DEVICE void count_at_least(Board& board) {
  const int quarter = simt::thread() / Board::quarter, length = Board::quarter - 1 - simt::thread() % Board::quarter;
  std::uint32_t rows = board.bins[quarter][length];
  for (int step = 1; step < simt::warp_size; step *= 2) {
    const std::uint32_t before = simt::shuffle_up(rows, step);
    if (simt::lane() >= step) rows += before;
  }
  simt::sync_block();  // warp_word has been read
  if (simt::lane() == simt::warp_size - 1) board.warp_word[simt::warp()] = rows;
  simt::sync_block();
  rows += board.long_rows[quarter];
  for (int w = quarter * (survey_warps / 4); w < simt::warp(); ++w) rows += board.warp_word[w];
  board.at_least[quarter][length] = rows;
  add_warp(&board.totals.stored[1], length > 0 ? places_of_width(rows, board.long_rows[quarter]) : 0);
  simt::sync_block();
}

SIMT_DEVICE void count_sorted_window(Board& board) {
  const int length = simt::thread();
  if (length >= Board::quarter) return;
  std::uint32_t rows = 0, longer = 0, alike = 0;
  for (int q = 0; q < 4; ++q) {
    rows += board.at_least[q][length];
    longer += board.long_rows[q];
    alike += board.bins[q][length];
  }
  board.totals.lengths[length] += alike;
  add_warp(&board.totals.stored[2], length > 0 ? places_of_width(rows, longer) : 0);
}

SIMT_DEVICE void count_long_row(Board& board, std::uint32_t length) {
  const int quarter = simt::thread() / Board::quarter;
  board.long_length[quarter][simt::atomic_add(&board.long_rows[quarter], 1u)] = length;
  const std::uint64_t square = std::uint64_t{length} * length;
  simt::atomic_add(&board.totals.squares_low, square & UINT32_MAX);
  simt::atomic_add(&board.totals.squares_high, square >> 32);
  simt::atomic_add(&board.totals.long_rows[32 - simt::leading_zeros(length)], std::uint64_t{1});
}

// One window; a thread beyond the last row has length -1.
SIMT_DEVICE void count_row_window(Board& board, int length) {
  const int quarter = simt::thread() / Board::quarter;
  board.bins[quarter][simt::thread() % Board::quarter] = 0;
  if (simt::thread() < 4) board.long_rows[simt::thread()] = 0;
  simt::sync_block();
  if (length >= short_row)
    count_long_row(board, static_cast<std::uint32_t>(length));
  else if (length >= 0)
    simt::atomic_add(&board.bins[quarter][length], 1u);
  const int widest = simt::max_lanes(length);
  if (simt::lane() == 0) board.warp_word[simt::warp()] = static_cast<std::uint32_t>(std::max(0, widest));
  simt::sync_block();
  count_unsorted(board);
  count_sorted_long(board);
  count_at_least(board);
  count_sorted_window(board);
  simt::sync_block();
}

template <class V>
SIMT_DEVICE void survey_rows(const Survey<V>& s, std::int64_t task, Board& board) {
  const std::int64_t first = task * row_windows * padding_window;
  int length[row_windows];
  std::uint64_t hash = 0;
#pragma unroll
  for (int i = 0; i < row_windows; ++i) {
    const std::int64_t row = first + i * padding_window + simt::thread();
    length[i] = -1;
    if (row >= s.rows) continue;
    const Offset end = s.ptr[row + 1];
    length[i] = static_cast<int>(end - s.ptr[row]);
    hash += PatternHash::row_end(row, end);
  }
  int longest = 0, shortest = INT32_MAX;
#pragma unroll
  for (int i = 0; i < row_windows; ++i) {
    longest = std::max(longest, length[i]);
    if (length[i] >= 0) shortest = std::min(shortest, length[i]);
  }
  add_hash(&board.totals.hash, hash);
  longest = simt::max_lanes(longest);
  const int shorter = simt::max_lanes(INT32_MAX - shortest);
  if (simt::lane() == 0) {
    simt::atomic_max(&board.totals.longest, static_cast<std::uint64_t>(longest));
    simt::atomic_max(&board.totals.shorter, static_cast<std::uint64_t>(shorter));
  }
  for (int i = 0; i < row_windows && first + i * padding_window < s.rows; ++i) count_row_window(board, length[i]);
}

}  // namespace heddle
