// All row lengths: how many rows of each, and the places that slices store, as RowsLook counts
// them. A thread has a row of each of four windows of 1024.
#pragma once

#include "analyze/device/survey_board.hpp"
#include "analyze/pattern_hash.hpp"

namespace heddle {

static_assert(padding_window == survey_threads);
inline constexpr std::int64_t rows_of_task = RowBoard::windows * padding_window;

SIMT_DEVICE void clear_rows(RowBoard& rows) {
  for (int w = 0; w < RowBoard::windows; ++w) {
    rows.bins[w][simt::thread() / RowBoard::quarter][simt::thread() % RowBoard::quarter] = 0;
    rows.long_length[w][simt::thread()] = 0;
    if (simt::thread() < 4) rows.long_rows[w][simt::thread()] = 0;
  }
}

// By a whole warp, for those of its lanes that have one.
SIMT_DEVICE void count_long_rows(Board& board, int w, int length) {
  const bool is_long = length >= short_row;
  const unsigned with = simt::ballot(is_long);
  if (with == 0) return;
  const std::uint64_t square = is_long ? static_cast<std::uint64_t>(length) * static_cast<std::uint64_t>(length) : 0;
  add_own(board.mine().squares_low, square & UINT32_MAX);
  add_own(board.mine().squares_high, square >> 32);
  const int bits = is_long ? 32 - simt::leading_zeros(static_cast<unsigned>(length)) : 0;
  const unsigned alike = simt::same_lanes(static_cast<unsigned>(bits));
  if (simt::lane() == 0)
    simt::atomic_add(&board.rows.long_rows[w][simt::thread() / RowBoard::quarter],
                     static_cast<std::uint32_t>(simt::count_bits(with)));
  if (!is_long) return;
  board.rows.long_length[w][simt::thread()] = static_cast<std::uint32_t>(length);
  if ((alike & ((1u << simt::lane()) - 1)) == 0)
    simt::atomic_add(&board.totals.long_rows[bits], static_cast<std::uint64_t>(simt::count_bits(alike)));
}

// Neighbours are mostly of one length: one of them counts all. A thread beyond the last row has length -1.
SIMT_DEVICE void count_row(Board& board, int w, int length) {
  const unsigned alike = simt::same_lanes(static_cast<unsigned>(length));
  const int quarter = simt::thread() / RowBoard::quarter;
  if (length >= 0 && length < short_row && (alike & ((1u << simt::lane()) - 1)) == 0)
    simt::atomic_add(&board.rows.bins[w][quarter][length], static_cast<std::uint32_t>(simt::count_bits(alike)));
  count_long_rows(board, w, length);
  const int widest = simt::max_lanes(length);
  if (simt::lane() == 0) board.rows.widest[w][simt::warp()] = static_cast<std::uint32_t>(std::max(0, widest));
}

// Places of slices of 32 and of 128 rows as they come: a window a warp.
SIMT_DEVICE void count_unsorted(Board& board) {
  if (simt::warp() >= RowBoard::windows) return;
  const std::uint32_t width = board.rows.widest[simt::warp()][simt::lane()];
  std::uint32_t of_four = width;
  for (int step = 1; step < 4; step *= 2) of_four = std::max(of_four, simt::shuffle_xor(of_four, step));
  const auto add = [](SurveyTotals::Word* sum, std::uint32_t rows, std::uint32_t mine) {
    const std::uint64_t low = simt::sum_lanes(mine & 0xffffu), high = simt::sum_lanes(mine >> 16);
    if (simt::lane() == 0) simt::atomic_add(sum, rows * (low + (high << 16)));
  };
  add(&board.totals.stored[0], 32, width);
  add(&board.totals.stored[3], 128, simt::lane() % 4 == 0 ? of_four : 0);
}

//  Sorted by falling length, every 32nd row gives a width. With n(l) rows of l entries or more, ceil(n(l) / 32) slices
//  are l wide or wider: their sum over l is that of the widths. `longer` rows come first and are counted elsewhere.
SIMT_DEVICE std::uint32_t places_of_width(std::uint32_t rows, std::uint32_t longer) {
  return 32 * ((rows + 31) / 32 - (longer + 31) / 32);
}

// From the rows of each length to those as long or longer, quarter by quarter; thread t of one has length 255 - t.
SIMT_DEVICE void count_sorted_quarters(Board& board) {
  RowBoard& all = board.rows;
  const int quarter = simt::thread() / RowBoard::quarter,
            length = RowBoard::quarter - 1 - simt::thread() % RowBoard::quarter;
  std::uint32_t rows[RowBoard::windows], alike = 0, places = 0;
#pragma unroll
  for (int w = 0; w < RowBoard::windows; ++w) {
    rows[w] = all.bins[w][quarter][length];
    alike += rows[w];
    for (int step = 1; step < simt::warp_size; step *= 2) {
      const std::uint32_t before = simt::shuffle_up(rows[w], step);
      if (simt::lane() >= step) rows[w] += before;
    }
    if (simt::lane() == simt::warp_size - 1) all.counted[w][simt::warp()] = rows[w];
  }
  if (alike > 0) simt::atomic_add(&board.totals.lengths[length], std::uint64_t{alike});
  simt::sync_block();
#pragma unroll
  for (int w = 0; w < RowBoard::windows; ++w) {
    rows[w] += all.long_rows[w][quarter];
    for (int before = quarter * (survey_warps / 4); before < simt::warp(); ++before) rows[w] += all.counted[w][before];
    all.bins[w][quarter][length] = rows[w];
    if (length > 0) places += places_of_width(rows[w], all.long_rows[w][quarter]);
  }
  add_own(board.mine().quarters, places);
}

// The same for whole windows, a window a quarter of the threads.
SIMT_DEVICE void count_sorted_windows(Board& board) {
  const int w = simt::thread() / RowBoard::quarter, length = simt::thread() % RowBoard::quarter;
  std::uint32_t rows = 0, longer = 0;
  for (int q = 0; q < 4; ++q) {
    rows += board.rows.bins[w][q][length];
    longer += board.rows.long_rows[w][q];
  }
  add_own(board.mine().windows, length > 0 ? places_of_width(rows, longer) : 0);
}

// The long rows, in a bitonic sort: thread t ends with the t-th longest. On the way, quarters are sorted, every other
// one the other way round.
SIMT_DEVICE void count_sorted_long(Board& board, int w) {
  const int mine = simt::thread();
  std::uint32_t length = board.rows.long_length[w][mine];
  for (int size = 2; size <= survey_threads; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      std::uint32_t other = 0;
      if (distance < simt::warp_size)
        other = simt::shuffle_xor(length, distance);
      else {
        simt::sync_block();
        board.rows.exchange[mine] = length;
        simt::sync_block();
        other = board.rows.exchange[mine ^ distance];
      }
      const bool keeps_longer = ((mine & size) == 0) == ((mine & distance) == 0);
      length = keeps_longer ? std::max(length, other) : std::min(length, other);
    }
    const int place = (mine & size) == 0 ? mine % size : size - 1 - mine % size;
    if (size == RowBoard::quarter) add_own(board.mine().quarters, place % 32 == 0 ? std::uint64_t{32} * length : 0);
  }
  add_own(board.mine().windows, mine % 32 == 0 ? std::uint64_t{32} * length : 0);
}

SIMT_DEVICE void count_extremes(WarpSums& sums, const int* length) {
  int longest = 0, shortest = INT32_MAX;
#pragma unroll
  for (int w = 0; w < RowBoard::windows; ++w) {
    longest = std::max(longest, length[w]);
    if (length[w] >= 0) shortest = std::min(shortest, length[w]);
  }
  longest = simt::max_lanes(longest);
  const int shorter = simt::max_lanes(INT32_MAX - shortest);
  if (simt::lane() != 0) return;
  sums.longest = std::max(sums.longest, static_cast<std::uint64_t>(longest));
  sums.shorter = std::max(sums.shorter, static_cast<std::uint64_t>(shorter));
}

template <class V>
SIMT_DEVICE void survey_rows(const Survey<V>& s, std::int64_t task, Board& board) {
  int length[RowBoard::windows];
  std::uint64_t hash = 0;
  clear_rows(board.rows);
#pragma unroll
  for (int w = 0; w < RowBoard::windows; ++w) {
    const std::int64_t row = task * rows_of_task + w * padding_window + simt::thread();
    length[w] = -1;
    if (row >= s.rows) continue;
    const Offset end = s.ptr[row + 1];
    length[w] = static_cast<int>(end - s.ptr[row]);
    hash += PatternHash::row_end(row, end);
  }
  simt::sync_block();
#pragma unroll
  for (int w = 0; w < RowBoard::windows; ++w) count_row(board, w, length[w]);
  add_own(board.mine().hash, hash);
  count_extremes(board.mine(), length);
  simt::sync_block();
  count_unsorted(board);
  count_sorted_quarters(board);
  simt::sync_block();
  count_sorted_windows(board);
  for (int w = 0; w < RowBoard::windows; ++w) {
    const std::uint32_t* rows = board.rows.long_rows[w];
    if (rows[0] + rows[1] + rows[2] + rows[3] > 0) count_sorted_long(board, w);
  }
}

}  // namespace heddle
