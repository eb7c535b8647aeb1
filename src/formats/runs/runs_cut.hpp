// How the entries of 16 rows are cut into steps of at most one entry a row. Entries on a common diagonal (column - row)
// make a run; what is alone on its diagonal, or nearly, is gathered, the k-th such entry of every row in one step. Rows
// far longer than the others of their slice stay aside: alone in most of its steps, they would take them for nothing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/system.hpp"
#include "formats/runs/runs.hpp"

namespace heddle {

struct StepCut {
  int least = 1;                // rows that a diagonal must have to be a run
  Index full = 0, runs = 0;     // steps of them: those with all 16 rows, and all
  Index whole = 0, partly = 0;  // gathered steps with entries of all 16 rows, and of some

  Index entries_in_runs = 0;
  std::uint16_t aside = 0;  // rows that are not cut into steps
  Offset entries_aside = 0;

  Index gathered() const { return whole + partly; }
  Index steps() const { return runs + gathered(); }
};

// The rows that cost less along the row than in steps, where a gathered step costs `gather` tenths of a run: an entry
// then a twelfth of such a step, and ten runs the row, whose end is mispredicted. Without the k longest rows all steps
// are gone in which only they had an entry, each of which was gathered, or so many runs of one row.
inline std::uint16_t rows_aside(const PatternView& A, std::int64_t first_row, int gather) {
  constexpr Offset run = 10, begin = 10 * run;
  Index length[rows_of_run], most_of_row = 0, least_of_row = INT32_MAX;
  for (int i = 0; i < rows_of_run; ++i) {
    const std::int64_t row = std::min(first_row + i, A.rows);
    length[i] = static_cast<Index>(A.ptr[std::min(row + 1, A.rows)] - A.ptr[row]);
    most_of_row = std::max(most_of_row, length[i]);
    least_of_row = std::min(least_of_row, length[i]);
  }
  // Nothing saves more than this: some rows, or all of them.
  const Offset some = gather * (Offset{most_of_row} - least_of_row) - (begin + gather * Offset{most_of_row} / 12),
               all = gather * Offset{most_of_row} - rows_of_run * (begin + gather * Offset{least_of_row} / 12);
  if (some <= 0 && all <= 0) return 0;

  // By length, and of the same length the first row first.
  Index before[rows_of_run] = {};
  for (int j = 0; j < rows_of_run; ++j)
    for (int i = 0; i < rows_of_run; ++i)
      before[i] += length[j] > length[i] || (length[j] == length[i] && j < i) ? 1 : 0;
  Index by_length[rows_of_run + 1] = {};
  unsigned row_at[rows_of_run];
  for (int i = 0; i < rows_of_run; ++i) by_length[before[i]] = length[i], row_at[before[i]] = 1u << i;
  Offset saved = 0, most = 0;
  unsigned aside = 0, best = 0;
  for (int k = 1; k <= rows_of_run; ++k) {
    const Offset last = by_length[k - 1], next = by_length[k];
    saved += (last - next) * std::min<Offset>(gather, k * run) - (begin + gather * last / 12);
    aside |= row_at[k - 1];
    if (saved > most) most = saved, best = aside;
  }
  return static_cast<std::uint16_t>(best);
}

// 16 rows, but for those aside, and their diagonals by the column in the first row.
struct RowsOfRun {
  Offset begin[rows_of_run], end[rows_of_run];
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN / 2;

  RowsOfRun(const PatternView& A, std::int64_t first_row, std::uint16_t aside) {
    for (int i = 0; i < rows_of_run; ++i) {
      const std::int64_t row = std::min(first_row + i, A.rows);
      begin[i] = A.ptr[row];
      end[i] = (aside >> i & 1) != 0 ? begin[i] : A.ptr[std::min(row + 1, A.rows)];
      if (begin[i] == end[i]) continue;
      lowest = std::min<std::int64_t>(lowest, A.col[begin[i]] - i);
      highest = std::max<std::int64_t>(highest, A.col[end[i] - 1] - i);
    }
    if (!any()) lowest = highest;
  }
  bool any() const { return highest > INT64_MIN / 2; }
  std::size_t entries() const {
    Offset all = 0;
    for (int i = 0; i < rows_of_run; ++i) all += end[i] - begin[i];
    return static_cast<std::size_t>(all);
  }
  std::size_t range() const { return any() ? static_cast<std::size_t>(highest - lowest + 1) : 0; }
  // f(row, diagonal from the lowest on)
  template <class F>
  void each(const PatternView& A, F f) const {
    const Index* col = A.col.data();
    for (int i = 0; i < rows_of_run; ++i) {
      const std::int64_t first = lowest + i;
      for (Offset k = begin[i]; k < end[i]; ++k) f(i, static_cast<std::uint32_t>(col[k] - first));
    }
  }
};

struct Diagonal {
  Index column;        // in the first row of the slice
  std::uint16_t rows;  // that have an entry on it
};

// Finds the diagonals of a slice: a mask of rows for each, in a slot. That of a diagonal is its distance from the
// lowest one, and those with a mask are read off by ascending columns; or, where many would have none, its place in a
// table by hashing. (To merge the 16 rows, a vector of next columns for each diagonal, took 16 to 20 ns an entry.) The
// memory serves the next slice.
class DiagonalFinder {
 public:
  std::span<const Diagonal> find(const PatternView& A, const RowsOfRun& rows) {
    const std::size_t entries = rows.entries();
    if (entries >= found_.size()) found_.resize(entries + 1);
    return {found_.data(), rows.range() <= near * entries ? find_near(A, rows) : find_far(A, rows, entries)};
  }

 private:
  static constexpr std::size_t near = 24;  // for each entry

  std::size_t find_near(const PatternView& A, const RowsOfRun& rows) {
    constexpr std::size_t together = 4;  // masks in a word
    const std::size_t range = (rows.range() + together - 1) / together * together;
    if (range > mask_.size()) mask_.resize(range, 0);
    std::uint16_t* const mask = mask_.data();
    rows.each(A, [mask](int i, std::uint32_t diagonal) { mask[diagonal] |= static_cast<std::uint16_t>(1u << i); });
    Diagonal* to = found_.data();
    for (std::size_t d = 0; d < range; d += together) {
      std::uint64_t some;
      std::memcpy(&some, mask + d, sizeof some);
      if (some == 0) continue;
      for (std::size_t i = d; i < d + together; ++i) {
        *to = {static_cast<Index>(rows.lowest + static_cast<std::int64_t>(i)), mask[i]};
        to += mask[i] != 0;
      }
      std::memset(mask + d, 0, sizeof some);
    }
    return static_cast<std::size_t>(to - found_.data());
  }
  std::size_t find_far(const PatternView& A, const RowsOfRun& rows, std::size_t entries) {
    const std::size_t size = std::bit_ceil(4 * entries);
    if (size > table_.size()) table_.resize(size), slot_.resize(size);
    std::size_t count = 0;
    rows.each(A, [&count, size, shift = 32 - std::countr_zero(size), table = table_.data(), slot = slot_.data()](
                     int i, std::uint32_t diagonal) {
      std::uint32_t at = diagonal * 0x9E3779B1u >> shift;
      while ((table[at].rows != 0) & (table[at].diagonal != diagonal)) at = (at + 1) & (size - 1);
      slot[count] = at;
      count += table[at].rows == 0;
      table[at] = {diagonal, static_cast<std::uint16_t>(table[at].rows | 1u << i)};
    });
    for (std::size_t j = 0; j < count; ++j) {
      Slot& slot = table_[slot_[j]];
      found_[j] = {static_cast<Index>(rows.lowest + slot.diagonal), slot.rows};
      slot.rows = 0;
    }
    return count;
  }

  struct Slot {
    std::uint32_t diagonal;  // from the lowest on
    std::uint16_t rows = 0;
  };
  Vector<std::uint16_t> mask_;  // 0 between slices
  Vector<Slot> table_;          // without rows between slices
  Vector<std::uint32_t> slot_;  // of each diagonal that was found there
  Vector<Diagonal> found_;      // and room for one more
};

// Eight bits, each in a byte of its own.
inline constexpr auto bits_in_bytes = [] {
  std::array<std::uint64_t, 256> made{};
  for (unsigned bits = 0; bits < made.size(); ++bits)
    for (int i = 0; i < 8; ++i) made[bits] |= std::uint64_t{bits >> i & 1} << 8 * i;
  return made;
}();

// How the entries of 16 rows lie on common diagonals.
struct DiagonalCounts16 {
  Index entries_of[rows_of_run + 1][rows_of_run] = {};  // of each row, on diagonals with so many rows
  Index runs_of[rows_of_run + 1] = {};                  // such diagonals

  explicit DiagonalCounts16(std::span<const Diagonal> diagonals) {
    constexpr std::size_t at_once = 255;  // that bytes can count
    for (; diagonals.size() > at_once; diagonals = diagonals.subspan(at_once)) add(diagonals.first(at_once));
    add(diagonals);
  }

 private:
  void add(std::span<const Diagonal> diagonals) {
    std::uint64_t entries[rows_of_run + 1][2] = {};  // a byte for each row
    for (const Diagonal& d : diagonals) {
      const int count = std::popcount(d.rows);
      ++runs_of[count];
      entries[count][0] += bits_in_bytes[d.rows & 0xff];
      entries[count][1] += bits_in_bytes[d.rows >> 8];
    }
    for (int count = 1; count <= rows_of_run; ++count)
      for (int i = 0; i < rows_of_run && runs_of[count] > 0; ++i)
        entries_of[count][i] += static_cast<Index>(entries[count][i / 8] >> 8 * (i % 8) & 0xff);
  }
};

// The cheapest way to cut 16 rows with these diagonals, where a gathered step costs `gather` tenths of a run.
inline StepCut cheapest_cut(std::span<const Diagonal> diagonals, int gather) {
  const DiagonalCounts16 counts(diagonals);
  StepCut cut;
  for (int i = 1; i <= rows_of_run; ++i) {
    cut.runs += counts.runs_of[i];
    cut.entries_in_runs += i * counts.runs_of[i];
  }
  cut.full = counts.runs_of[rows_of_run];
  StepCut best = cut;
  Index gathered[rows_of_run] = {};
  const auto cost = [&](const StepCut& c) { return 10 * std::int64_t{c.runs} + std::int64_t{gather} * c.gathered(); };
  for (int least = 2; least <= rows_of_run + 1; ++least) {
    const Index fewer = counts.runs_of[least - 1];
    if (fewer == 0) continue;
    Index lowest = INT32_MAX, highest = 0;
    for (int i = 0; i < rows_of_run; ++i) {
      gathered[i] += counts.entries_of[least - 1][i];
      lowest = std::min(lowest, gathered[i]);
      highest = std::max(highest, gathered[i]);
    }
    cut.least = least;
    cut.runs -= fewer;
    cut.entries_in_runs -= (least - 1) * fewer;
    cut.full = std::min(cut.full, cut.runs);
    cut.whole = lowest;
    cut.partly = highest - lowest;
    if (cost(cut) < cost(best)) best = cut;
  }
  return best;
}

// A slice cut, and its diagonals: those with `cut.least` rows and more are runs.
struct CutSlice {
  StepCut cut;
  std::span<const Diagonal> diagonals;  // of the finder
};
inline CutSlice cut_slice(const PatternView& A, std::int64_t first_row, int gather, DiagonalFinder& finder,
                          std::uint16_t aside) {
  const auto diagonals = finder.find(A, RowsOfRun(A, first_row, aside));
  CutSlice made{cheapest_cut(diagonals, gather), diagonals};
  made.cut.aside = aside;
  for (unsigned left = aside; left != 0; left &= left - 1) {
    const std::int64_t row = first_row + std::countr_zero(left);
    made.cut.entries_aside += A.ptr[row + 1] - A.ptr[row];
  }
  return made;
}
inline CutSlice cut_slice(const PatternView& A, std::int64_t first_row, int gather, DiagonalFinder& finder) {
  return cut_slice(A, first_row, gather, finder, rows_aside(A, first_row, gather));
}

}  // namespace heddle
