// Windows of rows as ColumnsLook looks at them, a block of threads each: see columns.cpp for what is counted.
#pragma once

#include "analyze/device/survey_board.hpp"
#include "analyze/device/survey_entries.hpp"
#include "analyze/slice_diagonals.hpp"

namespace heddle {

// The row that has an entry, by a warp: 32 places are asked at a time.
template <class V>
SIMT_DEVICE std::int64_t row_of_entry(const Survey<V>& s, Offset entry) {
  std::int64_t low = 0, high = s.rows;  // ptr[low] <= entry < ptr[high]
  while (high - low > 1) {
    const std::int64_t step = (high - low + simt::warp_size) / (simt::warp_size + 1);
    const std::int64_t asked = low + (simt::lane() + 1) * step;
    const int below = simt::count_bits(simt::ballot(asked < high && s.ptr[asked] <= entry));
    high = std::min(high, low + (below + 1) * step);
    low += below * step;
  }
  return low;
}

// Finds window i and says where its rows start. False: there is nothing in it.
template <class V>
SIMT_DEVICE bool open_window(const Survey<V>& s, std::int64_t i, Board& board) {
  simt::sync_block();  // no thread looks at the window before
  if (simt::warp() == 0) {
    const std::int64_t first = s.windows.all ? s.windows.first_row(i) : row_of_entry(s, s.windows.entry(i));
    if (simt::lane() == 0) board.window.first = first;
  }
  simt::sync_block();
  const std::int64_t row = board.window.first;
  const std::int64_t base = row / WindowChoice::slice * WindowChoice::slice;
  const std::int64_t rows = std::min(s.rows - base, std::int64_t{WindowChoice::rows});
  for (std::int64_t r = simt::thread(); r <= rows; r += survey_threads) board.ptr[r] = s.ptr[base + r];
  simt::sync_block();
  if (simt::thread() == 0)
    board.window = s.windows.all
                       ? RowWindow{base, base + rows, board.ptr[0], board.ptr[rows]}
                       : s.windows.around(row, s.windows.entry(i), [&](std::int64_t r) { return board.ptr[r - base]; });
  simt::sync_block();
  const RowWindow& w = board.window;
  for (std::int64_t r = w.first + simt::thread(); r <= w.last; r += survey_threads)
    board.start[r - w.first] = static_cast<int>(std::clamp(board.ptr[r - base], w.begin, w.end) - w.begin);
  simt::sync_block();
  return w.begin < w.end;
}

// The row of an entry of the open window, both counted from its beginning.
SIMT_DEVICE int row_in_window(const Board& board, int entry) {
  int low = 0, high = static_cast<int>(board.window.last - board.window.first);
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    board.start[middle] <= entry ? low = middle : high = middle;
  }
  return low;
}

// How many different sectors the lanes with `active` touch; counted in one lane of each sector's. Lanes of different
// groups (0 .. 7) touch different ones.
SIMT_DEVICE bool leads_sector(std::uint32_t column, int sector, bool active, unsigned group = 0) {
  static_assert(f64_sector >= 2 && f32_sector >= 2);  // columns have 31 bits
  const unsigned there = simt::ballot(active);
  const unsigned same = simt::same_lanes(active ? column >> sector | group << 29 : ~0u) & there;
  return active && (same & ((1u << simt::lane()) - 1)) == 0;
}

// Sectors of 8 columns with a bit for either half: one set counts those of both precisions.
SIMT_DEVICE void insert_sector(SharedSet& set, std::uint32_t column, int& f32, int& f64) {
  const std::uint32_t key = (column >> f32_sector) + 1, half = 1u << (column >> f64_sector & 1);
  for (int at = set.place(key);; at = set.next(at)) {
    const std::uint32_t old = simt::atomic_claim(&set.slot[at], key << 2 | half);
    if (old == 0) {
      ++f32, ++f64;
      return;
    }
    if (old >> 2 != key) continue;
    f64 += (simt::atomic_or(&set.slot[at], half) & half) == 0;
    return;
  }
}

// Neighbours in a row, the distance from the diagonal, sectors along the entries and in the whole window.
template <class V>
SIMT_DEVICE void walk_entries(const Survey<V>& s, Board& board, WindowCounts* counts) {
  const RowWindow w = board.window;
  const int n = static_cast<int>(w.end - w.begin);
  const Index* col = s.col + w.begin;
  const int first = simt::warp() * simt::warp_size;
  if (first >= n) return;
  WindowCounts mine;
  const auto column_at = [&](int k) { return k < n ? col[k] : 0; };
  Index next = column_at(first + simt::lane());
  for (int base = first; base < n; base += survey_threads) {
    const int k = base + simt::lane();
    const bool active = k < n;
    const Index column = next;
    next = column_at(k + survey_threads);  // on the way while this one is looked at
    const bool leads = leads_sector(static_cast<std::uint32_t>(column), f64_sector, active);
    mine.gather_f32[1] += leads_sector(static_cast<std::uint32_t>(column), f32_sector, active);
    mine.gather_f64[1] += leads;
    if (!active) continue;
    if (leads) insert_sector(board.set, static_cast<std::uint32_t>(column), mine.gather_f32[2], mine.gather_f64[2]);
    const int row = row_in_window(board, k);
    const std::int64_t distance = column - (w.first + row);
    mine.near16 += distance >= INT16_MIN && distance <= INT16_MAX;
    const bool begins = k == board.start[row];
    const Index before = begins ? -1 : col[k - 1], delta = column - before;
    mine.runs += begins || delta != 1;
    mine.tile_rows += begins || column >> tile_bits != before >> tile_bits;
    mine.deltas += !begins;
    mine.delta4 += !begins && delta < 1 << 4;
    mine.delta8 += !begins && delta < 1 << 8;
    mine.delta16 += !begins && delta < 1 << 16;
  }
  if (simt::thread() == 0) mine.entries = n;
  add_warp(&counts->entries, mine.entries);
  add_warp(&counts->deltas, mine.deltas);
  add_warp(&counts->runs, mine.runs);
  add_warp(&counts->delta4, mine.delta4);
  add_warp(&counts->delta8, mine.delta8);
  add_warp(&counts->delta16, mine.delta16);
  add_warp(&counts->near16, mine.near16);
  add_warp(&counts->tile_rows, mine.tile_rows);
  for (int i = 1; i < 3; ++i) {
    add_warp(&counts->gather_f32[i], mine.gather_f32[i]);
    add_warp(&counts->gather_f64[i], mine.gather_f64[i]);
  }
}

struct LaneRow {
  int begin = 0, length = 0;
};
SIMT_DEVICE LaneRow row_of_slice(const Board& board, int slice, int row_in_slice) {
  const int row = slice * simt::warp_size + row_in_slice;
  if (row >= board.window.last - board.window.first) return {};
  return {board.start[row], board.start[row + 1] - board.start[row]};
}

// Entries of slices whose columns span less than 2^16: a slice a warp.
template <class V>
SIMT_DEVICE void walk_spans(const Survey<V>& s, const Board& board, int slices, WindowCounts* counts) {
  if (simt::warp() >= slices) return;
  const LaneRow mine = row_of_slice(board, simt::warp(), simt::lane());
  const Index* col = s.col + board.window.begin + mine.begin;
  const Index high = simt::max_lanes(mine.length > 0 ? col[mine.length - 1] : -1);
  const Index low = INT32_MAX - simt::max_lanes(mine.length > 0 ? INT32_MAX - col[0] : 0);
  add_warp(&counts->slices16, high - low < 1 << 16 ? mine.length : 0);
}

// The lanes of a warp for a slice of so many rows: one to a row, as many steps at a time as there are lanes for.
// (same_lanes takes the longer the more different lanes there are: with four rows of 4000 entries and a step at a time
// 28 lanes of each warp had nothing to do but to differ.)
struct StepLanes {
  int rows, steps;  // powers of two: 32 lanes in all, at most 8 steps

  SIMT_DEVICE explicit StepLanes(int rows_of_slice) : rows(4) {
    while (rows < rows_of_slice && rows < simt::warp_size) rows *= 2;
    steps = simt::warp_size / rows;
  }
  SIMT_DEVICE int row() const { return simt::lane() % rows; }
  SIMT_DEVICE int step() const { return simt::lane() / rows; }
};

// Sectors that the rows of a slice touch when each reads its k-th entry: a step k, or a few, a warp. Where one row
// alone goes on, each of its entries is a sector.
template <class V>
SIMT_DEVICE void walk_steps(const Survey<V>& s, const Board& board, int slices, WindowCounts* counts) {
  int f32 = 0, f64 = 0;
  for (int slice = 0; slice < slices; ++slice) {
    const StepLanes lanes(static_cast<int>(board.window.last - board.window.first) - slice * simt::warp_size);
    const LaneRow mine = row_of_slice(board, slice, lanes.row());
    const Index* col = s.col + board.window.begin + mine.begin;
    const int length = lanes.step() == 0 ? mine.length : 0;
    const int longest = simt::max_lanes(length);
    const unsigned with_longest = simt::ballot(length == longest);
    const bool leads = with_longest >> simt::lane() == 1;
    const int together = simt::max_lanes(leads ? 0 : length);
    constexpr int at_once = 4;  // loads on the way: a few long rows are many steps, and every one of them waits
    const int stride = survey_warps * lanes.steps;
    for (int first = simt::warp() * lanes.steps; first < together; first += at_once * stride) {
      Index column[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int k = first + i * stride + lanes.step();
        column[i] = k < mine.length && k < together ? col[k] : -1;
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (first + i * stride >= together) break;
        const auto touched = static_cast<std::uint32_t>(column[i]);
        const auto group = static_cast<unsigned>(lanes.step());
        f32 += leads_sector(touched, f32_sector, column[i] >= 0, group);
        f64 += leads_sector(touched, f64_sector, column[i] >= 0, group);
      }
    }
    if (simt::thread() == 0) {
      f32 += longest - together;
      f64 += longest - together;
    }
  }
  add_warp(&counts->gather_f32[0], f32);
  add_warp(&counts->gather_f64[0], f64);
}

// The diagonal in the table of all blocks; null when it is not there.
template <class V>
SIMT_DEVICE SurveyDiagonal* find_diagonal(const Survey<V>& s, std::uint32_t key, bool insert) {
  constexpr std::uint32_t slots = SurveyDiagonal::slots;
  std::uint32_t at = key * 0x9E3779B9u >> (32 - 14);
  for (std::uint32_t tries = 0; tries < slots; ++tries, at = (at + 1) % slots) {
    SurveyDiagonal& slot = s.diagonals[at];
    std::uint32_t there = simt::uncached_load(&slot.key);
    if (there == 0) {
      if (!insert) return nullptr;
      if (simt::uncached_load(&s.totals->diagonals) > DiagonalCounts::most) return nullptr;
      there = simt::atomic_claim(&slot.key, key);
      if (there == 0) simt::atomic_add(&s.totals->diagonals, std::uint64_t{1});
      if (there == 0) return &slot;
    }
    if (there == key) return &slot;
  }
  return nullptr;
}

// 2^31 is the distance of no entry.
SIMT_DEVICE std::uint32_t diagonal_key(std::int64_t distance) {
  return static_cast<std::uint32_t>(distance) ^ 0x80000000u;
}

// A bit that is already known costs a look, not an atomic operation: constants have only such bits.
template <class V>
SIMT_DEVICE void note_value(SurveyDiagonal& diagonal, V value) {
  const std::uint64_t ones = device_bits(value), all = sizeof(V) == 8 ? ~std::uint64_t{0} : UINT32_MAX;
  const std::uint64_t zeros = ~ones & all;
  if ((simt::uncached_load(&diagonal.ones) & ones) != ones) simt::atomic_or(&diagonal.ones, ones);
  if ((simt::uncached_load(&diagonal.zeros) & zeros) != zeros) simt::atomic_or(&diagonal.zeros, zeros);
}

// The pattern of a slice into the table of all blocks, while that has room.
template <class V>
SIMT_DEVICE void hand_in_pattern(const Survey<V>& s, std::uint64_t pattern) {
  constexpr std::uint64_t slots = Survey<V>::pattern_slots;
  const std::uint64_t key = pattern == 0 ? 1 : pattern;
  for (std::uint64_t at = key * 0x9E3779B97F4A7C15u >> 52;; at = (at + 1) % slots) {
    if (simt::uncached_load(&s.totals->patterns) >= DiagonalCounts::most_patterns) return;
    const std::uint64_t there = simt::atomic_claim(s.patterns + at, key);
    if (there == 0) simt::atomic_add(&s.totals->patterns, std::uint64_t{1});
    if (there == 0 || there == key) return;
  }
}

// Rows first .. last-1 of the open window: their diagonals are counted one by one, and those in a quarter of the rows
// handed in.
template <class V>
SIMT_DEVICE void walk_diagonals(const Survey<V>& s, Board& board, int first, int last) {
  const RowWindow w = board.window;
  const int begin = board.start[first], end = board.start[last], height = last - first;
  simt::sync_block();
  board.set.clear(end - begin);
  if (simt::thread() == 0) board.pattern = 0;
  simt::sync_block();
  const auto key_of = [&](int k) { return diagonal_key(s.col[w.begin + k] - (w.first + row_in_window(board, k))); };
  std::uint32_t fresh = 0;
  std::uint64_t pattern = 0;
  for (int k = begin + simt::thread(); k < end; k += survey_threads) {
    const int row = row_in_window(board, k);
    const std::int64_t distance = s.col[w.begin + k] - (w.first + row);
    const SharedSet::Place place = board.set.insert(diagonal_key(distance));
    board.set.count_one(place.at);
    fresh += place.fresh;
    pattern += slice_pattern(distance, row - first);
  }
  const std::uint64_t of_warp = simt::warp_sum(pattern);
  if (simt::lane() == 0 && of_warp != 0) simt::atomic_add(&board.pattern, of_warp);
  const bool whole = height == 128 || w.first + last == s.rows;
  if (whole) add_warp(&board.totals.slice_places, fresh * height);
  if (simt::thread() == 0) {
    board.totals.diagonal_rows += height;
    board.totals.diagonal_entries += end - begin;
    if (whole) board.totals.slice_entries += end - begin;
  }
  simt::sync_block();
  if (simt::thread() == 0 && whole && begin < end) {
    ++board.totals.slices;
    hand_in_pattern(s, board.pattern);
  }
  for (int at = simt::thread(); at < board.set.slots; at += survey_threads) {
    if (board.set.slot[at] == 0 || 4 * board.set.counted(at) < height) continue;
    SurveyDiagonal* diagonal = find_diagonal(s, board.set.slot[at], true);
    if (diagonal) simt::atomic_add(&diagonal->entries, static_cast<std::uint32_t>(board.set.counted(at)));
  }
  simt::sync_block();
  for (int k = begin + simt::thread(); k < end; k += survey_threads) {
    const std::uint32_t key = key_of(k);
    if (4 * board.set.counted(board.set.find(key)) < height) continue;
    SurveyDiagonal* diagonal = find_diagonal(s, key, false);
    if (diagonal) note_value(*diagonal, s.val[w.begin + k]);
  }
}

// Of rows that show no diagonals: each entry counts as if it were alone on its own.
SIMT_DEVICE void count_lonely_entries(SurveyTotals& totals, Offset entries) {
  if (simt::thread() != 0) return;
  const auto count = static_cast<std::uint64_t>(entries);
  totals.diagonal_entries += count;
  totals.slice_entries += count;
  totals.slice_places += count * 128;
}

// What is counted in a window comes in parts that need nothing of each other: few large windows are looked at by four
// times as many blocks.
enum WindowPart : unsigned { entry_part = 1, step_part = 2, slice_part = 4, second_slice_part = 8, all_parts = 15 };
inline constexpr int window_parts = 4;

template <class V>
SIMT_DEVICE void survey_window(const Survey<V>& s, std::int64_t i, unsigned parts, Board& board) {
  if (!open_window(s, i, board)) return;
  const RowWindow w = board.window;
  WindowCounts* counts = s.window + (s.windows.all ? 0 : i);
  const int rows = static_cast<int>(w.last - w.first), slices = (rows + 31) / 32;
  if (parts & entry_part) {
    board.set.clear(w.end - w.begin);
    simt::sync_block();
    walk_entries(s, board, counts);
    walk_spans(s, board, slices, counts);
  }
  if (parts & step_part) walk_steps(s, board, slices, counts);
  const bool diagonals = w.shows_diagonals();
  if ((parts & slice_part) && diagonals) walk_diagonals(s, board, 0, std::min(128, rows));
  if ((parts & slice_part) && !diagonals) count_lonely_entries(board.totals, w.end - w.begin);
  if ((parts & second_slice_part) && diagonals && rows > 128) walk_diagonals(s, board, 128, rows);
}

}  // namespace heddle
