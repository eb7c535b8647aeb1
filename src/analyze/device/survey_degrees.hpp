// Columns in the order of degrees, as columns.cpp finds it: counted in a table of all blocks, then asked for.
#pragma once

#include "analyze/column_degrees.hpp"
#include "analyze/device/survey_windows.hpp"

namespace heddle {

static_assert(ColumnDegrees::run == simt::warp_size);

// A slot of the table of columns; one that is new when it is to be inserted.
template <class V>
SIMT_DEVICE SurveyColumn& find_column(const Survey<V>& s, Index column, bool insert) {
  constexpr std::uint32_t slots = ColumnDegrees::slots;
  const auto key = static_cast<std::uint32_t>(column) + 1;
  for (std::uint32_t at = key * 0x9E3779B9u >> (32 - 18);; at = (at + 1) % slots) {
    SurveyColumn& slot = s.columns[at];
    std::uint32_t there = simt::uncached_load(&slot.column_plus_1);
    if (there == 0 && insert) there = simt::atomic_claim(&slot.column_plus_1, key);
    if (there == key || there == 0) return slot;
  }
}

// Runs of entries a task. Most columns are new: one addition of a warp for all of those.
inline constexpr std::int64_t runs_of_task = 64;

template <class V>
SIMT_DEVICE void survey_degrees(const Survey<V>& s, std::int64_t task, Board& board) {
  const std::int64_t end = std::min(s.runs, (task + 1) * runs_of_task);
  std::uint32_t fresh = 0;
  for (std::int64_t run = task * runs_of_task + simt::warp(); run < end; run += survey_warps) {
    const Index column = s.col[ColumnDegrees::run_begin(run, s.runs, s.nnz) + simt::lane()];
    const std::uint32_t before = simt::atomic_add(&find_column(s, column, true).count, 1u);
    if (before == 0)
      ++fresh;
    else if (before < ColumnDegrees::most_entries)
      simt::atomic_add(&board.columns_at_least[before + 1], 1u);
  }
  add_warp(&board.columns_at_least[1], fresh);
}

// Whether ColumnDegrees::matter may say yes: a mean is above its limit only where some window is. At the limit, yes.
// By every warp for itself.
template <class V>
SIMT_DEVICE bool degrees_may_matter(const Survey<V>& s) {
  bool scattered = false;
  for (std::int64_t i = simt::lane(); i < s.window_counts(); i += simt::warp_size)
    scattered |= s.window[i].gather_f32[1] > (ColumnDegrees::scattered - 0.01) * s.window[i].entries;
  return simt::any(scattered);
}

// Pairs of a row and a tile, the columns in the order of degrees.
template <class V>
SIMT_DEVICE void conclude_window(const Survey<V>& s, std::int64_t i, Board& board) {
  if (!open_window(s, i, board)) return;
  const RowWindow w = board.window;
  const int n = static_cast<int>(w.end - w.begin);
  board.set.clear(n);
  simt::sync_block();
  int pairs = 0;
  for (int k = simt::thread(); k < n; k += survey_threads) {
    const Index column = s.col[w.begin + k];
    const std::uint32_t count = find_column(s, column, false).count;
    const std::int64_t tile = ColumnDegrees::tile(column, std::min<std::uint32_t>(count, ColumnDegrees::most_entries),
                                                  s.totals->columns_at_least, s.cols);
    const auto row = static_cast<std::uint32_t>(row_in_window(board, k));
    pairs += board.set.insert((row << 20 | static_cast<std::uint32_t>(tile)) + 1).fresh;
  }
  add_warp(&s.window[i].degree_rows, pairs);
}

}  // namespace heddle
