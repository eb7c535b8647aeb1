// How the entries of 16 rows are cut into steps of at most one entry a row. Entries on a common diagonal (column - row)
// make a run; what is alone on its diagonal, or nearly, is gathered, the k-th such entry of every row in one step. Rows
// far longer than the others of their slice stay aside: alone in most of its steps, they would take them for nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "core/isa.hpp"
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
// then a twelfth of such a step, and ten runs the row, whose length nobody foresees. Without the k longest rows all
// steps are gone in which only they had an entry, each of which was gathered, or so many runs of one row.
inline std::uint16_t rows_aside(const PatternView& A, std::int64_t first_row, int gather) {
  constexpr Offset run = 10, begin = 10 * run;
  Offset length[rows_of_run];
  int longest[rows_of_run];
  for (int i = 0; i < rows_of_run; ++i) {
    const std::int64_t row = std::min(first_row + i, A.rows);
    length[i] = A.ptr[std::min(row + 1, A.rows)] - A.ptr[row];
    longest[i] = i;
  }
  std::sort(longest, longest + rows_of_run,
            [&](int a, int b) { return length[a] != length[b] ? length[a] > length[b] : a < b; });
  Offset saved = 0, most = 0;
  unsigned aside = 0, best = 0;
  for (int k = 1; k <= rows_of_run; ++k) {
    const Offset last = length[longest[k - 1]], next = k < rows_of_run ? length[longest[k]] : 0;
    saved += (last - next) * std::min<Offset>(gather, k * run) - (begin + gather * last / 12);
    aside |= 1u << longest[k - 1];
    if (saved > most) most = saved, best = aside;
  }
  return static_cast<std::uint16_t>(best);
}

// Of the rows that are not aside: f(column that the run has in the first row, rows that have an entry on it, entry
// numbers of all rows), by ascending columns.
template <class F>
inline void each_run(const PatternView& A, std::int64_t first_row, std::uint16_t aside, F f) {
  constexpr Index none = INT32_MAX;
  Offset at[rows_of_run], end[rows_of_run];
  Index next[rows_of_run];
  const auto look = [&](int i) { next[i] = at[i] < end[i] ? A.col[static_cast<std::size_t>(at[i])] - i : none; };
  for (int i = 0; i < rows_of_run; ++i) {
    const std::int64_t row = std::min(first_row + i, A.rows);
    at[i] = A.ptr[row];
    end[i] = (aside >> i & 1) != 0 ? at[i] : A.ptr[std::min(row + 1, A.rows)];
    look(i);
  }
  for (;;) {
    Index lowest = none;
    for (int i = 0; i < rows_of_run; ++i) lowest = std::min(lowest, next[i]);
    if (lowest == none) return;
    unsigned mask = 0;
    for (int i = 0; i < rows_of_run; ++i) mask |= (next[i] == lowest ? 1u : 0u) << i;
    f(lowest, static_cast<std::uint16_t>(mask), at);
    for (unsigned left = mask; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      ++at[i];
      look(i);
    }
  }
}

// How the entries of 16 rows lie on common diagonals.
struct DiagonalCounts16 {
  Index entries_of[rows_of_run + 1][rows_of_run] = {};  // of each row, on diagonals with so many rows

  Index runs_of(int count) const {
    return std::accumulate(entries_of[count], entries_of[count] + rows_of_run, Index{0}) / count;
  }
};

// 16 rows, but for those aside, and their diagonals by the column in the first row.
struct SliceDiagonals {
  // With more of them between the lowest and the highest one rows are merged instead of noting each.
  static constexpr std::int64_t widest = 1 << 17;

  Offset begin[rows_of_run], end[rows_of_run];
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN / 2;

  SliceDiagonals(const PatternView& A, std::int64_t first_row, std::uint16_t aside) {
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
  bool wide() const { return highest - lowest >= widest; }
  Offset entries() const {
    Offset all = 0;
    for (int i = 0; i < rows_of_run; ++i) all += end[i] - begin[i];
    return all;
  }
  std::size_t range() const { return any() ? static_cast<std::size_t>(highest - lowest + 1) : 0; }
  // f(row, diagonal from the lowest on, entry)
  template <class F>
  void each(const PatternView& A, F f) const {
    for (int i = 0; i < rows_of_run; ++i) {
      const auto first = static_cast<Index>(lowest) + i;
      for (Offset k = begin[i]; k < end[i]; ++k) f(i, A.col[static_cast<std::size_t>(k)] - first, k);
    }
  }
};

// Counts them without an order: a mask of rows for every diagonal between the lowest and the highest, three times along
// the entries. Its memory serves the next slice.
class DiagonalMasks {
 public:
  DiagonalCounts16 count(const PatternView& A, std::int64_t first_row, std::uint16_t aside) {
    DiagonalCounts16 counts;
    const SliceDiagonals rows(A, first_row, aside);
    if (rows.wide()) {
      each_run(A, first_row, aside, [&](Index, std::uint16_t mask, const Offset*) {
        for (unsigned left = mask; left != 0; left &= left - 1)
          ++counts.entries_of[std::popcount(mask)][std::countr_zero(left)];
      });
      return counts;
    }
    if (rows.range() > masks_.size()) masks_.resize(rows.range(), 0);
    with_isa([&, masks = masks_.data()](auto) {
      rows.each(A, [&](int i, Index diagonal, Offset) { masks[diagonal] |= static_cast<std::uint16_t>(1u << i); });
      rows.each(A, [&](int i, Index diagonal, Offset) { ++counts.entries_of[std::popcount(masks[diagonal])][i]; });
      rows.each(A, [&](int, Index diagonal, Offset) { masks[diagonal] = 0; });
    });
    return counts;
  }

 private:
  Vector<std::uint16_t> masks_;  // 0 between calls
};

// The cheapest way to cut 16 rows, where a gathered step costs `gather` tenths of a run. aside: rows that are not cut.
inline StepCut cut_steps(const PatternView& A, std::int64_t first_row, int gather, DiagonalMasks& masks,
                         unsigned aside) {
  StepCut cut, best;
  cut.aside = aside;
  for (unsigned left = cut.aside; left != 0; left &= left - 1) {
    const std::int64_t row = first_row + std::countr_zero(left);
    cut.entries_aside += A.ptr[row + 1] - A.ptr[row];
  }
  const DiagonalCounts16 counts = masks.count(A, first_row, cut.aside);
  Index runs_of[rows_of_run + 1] = {};
  for (int i = 1; i <= rows_of_run; ++i) {
    runs_of[i] = counts.runs_of(i);
    cut.runs += runs_of[i];
    cut.entries_in_runs += i * runs_of[i];
  }
  cut.full = runs_of[rows_of_run];
  best = cut;
  Index gathered[rows_of_run] = {};
  const auto cost = [&](const StepCut& c) { return 10 * std::int64_t{c.runs} + std::int64_t{gather} * c.gathered(); };
  for (int least = 2; least <= rows_of_run + 1; ++least) {
    for (int i = 0; i < rows_of_run; ++i) gathered[i] += counts.entries_of[least - 1][i];
    cut.least = least;
    cut.runs -= runs_of[least - 1];
    cut.entries_in_runs -= (least - 1) * runs_of[least - 1];
    cut.full = std::min(cut.full, cut.runs);
    cut.whole = *std::min_element(gathered, gathered + rows_of_run);
    cut.partly = *std::max_element(gathered, gathered + rows_of_run) - cut.whole;
    if (cost(cut) < cost(best)) best = cut;
  }
  return best;
}
inline StepCut cut_steps(const PatternView& A, std::int64_t first_row, int gather, DiagonalMasks& masks) {
  return cut_steps(A, first_row, gather, masks, rows_aside(A, first_row, gather));
}

}  // namespace heddle
