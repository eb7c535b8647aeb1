#include "formats/runs/runs.hpp"

#include <atomic>

#include "core/grain.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "core/thread_share.hpp"
#include "formats/registered.hpp"
#include "formats/runs/runs_aside_cut.hpp"
#include "formats/runs/runs_cut.hpp"
#include "simd/ahead.hpp"

namespace heddle {

// A core of a Xeon with AVX-512, 2026-11. While the matrix stays in the core's own cache a step takes (ns)
//
//              run   gathered
//   double     1.9        4.3
//   float      1.2        3.7
//
// Beyond, steps cost what their bytes do. Where gathers are slow (core/gather.hpp) they cost more than bytes anywhere:
//
//   us by the cost of a gather   16    25    50
//   s3rmt3m3 in float           139    87    72
//   bcsstk24 in double          123   102   122
int gather_cost(const PatternView& A, int value_bytes, bool loads_singly) {
  constexpr std::int64_t own_cache_entries = 100'000;
  if (loads_singly) return value_bytes == 4 ? 50 : 28;
  return A.nnz() <= own_cache_entries ? 25 : 16;
}

namespace {

std::int64_t slice_count(std::int64_t rows) { return (rows + rows_of_run - 1) / rows_of_run; }
std::int64_t slices_at_once(const PatternView& A) { return grain_for(slice_count(A.rows), A.nnz(), 64); }

// The runs of a slice by ascending columns, each as one number: its column in the first row, and its rows.
struct RunKey {
  static std::uint64_t of(const Diagonal& d) {
    return static_cast<std::uint64_t>(std::int64_t{d.column} + rows_of_run) << 16 | d.rows;
  }
  static Index column(std::uint64_t key) {
    return static_cast<Index>(static_cast<std::int64_t>(key >> 16) - rows_of_run);
  }
  static std::uint16_t rows(std::uint64_t key) { return static_cast<std::uint16_t>(key); }
};
[[gnu::noinline]] void append_runs(const CutSlice& slice, Vector<std::uint64_t>& runs) {
  const auto first = static_cast<std::ptrdiff_t>(runs.size());
  if (slice.cut.runs == 0) return;
  for (const Diagonal& d : slice.diagonals)
    if (std::popcount(d.rows) >= slice.cut.least) runs.push_back(RunKey::of(d));
  std::sort(runs.begin() + first, runs.end());
}

// Where the steps of every slice begin, how each is cut, and its runs.
struct Cuts {
  Vector<StepCut> cut;
  Vector<Vector<std::uint64_t>> runs;  // of so many slices at once, one after the other
  Buffer<RunSlice> slices;
  Offset entries_aside = 0;

  Cuts(const PatternView& A, int gather)
      : cut(static_cast<std::size_t>(slice_count(A.rows))), slices(slice_count(A.rows) + 1) {
    const std::int64_t at_once = slices_at_once(A);
    runs.resize(static_cast<std::size_t>((slice_count(A.rows) + at_once - 1) / at_once));
    parallel_ranges(slice_count(A.rows), at_once, [&](std::int64_t begin, std::int64_t end) {
      DiagonalFinder finder;
      with_isa([&, &own = runs[static_cast<std::size_t>(begin / at_once)]](auto) {
        for (std::int64_t s = begin; s < end; ++s) {
          const CutSlice slice = cut_slice(A, s * rows_of_run, gather, finder);
          cut[static_cast<std::size_t>(s)] = slice.cut;
          append_runs(slice, own);
        }
      });
    });
    RunSlice at{};
    for (std::size_t s = 0; s < cut.size(); ++s) {
      slices[static_cast<std::int64_t>(s)] = {at.step,     at.before,    at.aside,         cut[s].full,
                                              cut[s].runs, cut[s].whole, cut[s].gathered()};
      at.step += cut[s].steps();
      at.before += cut[s].gathered();
      at.aside += std::popcount(cut[s].aside);
      entries_aside += cut[s].entries_aside;
    }
    slices[static_cast<std::int64_t>(cut.size())] = at;
  }
  const RunSlice& all() const { return slices[slices.size() - 1]; }
};

AsideCut cut_aside(const PatternView& A, const Cuts& cuts) {
  AsideCut made(cuts.entries_aside);
  for (std::size_t s = 0; s < cuts.cut.size(); ++s)
    for (unsigned left = cuts.cut[s].aside; left != 0; left &= left - 1)
      made.add_row(A, static_cast<std::int64_t>(s) * rows_of_run + std::countr_zero(left));
  return made;
}

// The steps of a slice, empty to begin with. Its runs come by ascending columns, and so do the gathered entries of a
// row.
template <class V>
struct SliceTarget {
  V* val;
  Index *col, *run_col;
  std::uint16_t* mask;
  Index full = 0, others, runs, gathered[rows_of_run] = {};

  SliceTarget(std::int64_t s, RunsFormat<V>& made) : SliceTarget(made.slices[s], made.slices[s + 1], made) {}

  // Its values.
  V* next_run(Index column, std::uint16_t present) {
    const Index run = present == 0xffff ? full++ : others++;
    run_col[run] = column;
    mask[run] = present;
    return val + std::int64_t{run} * rows_of_run;
  }
  void gather(int row, Index column, V value) {
    const Index step = gathered[row]++;
    col[std::int64_t{step} * rows_of_run + row] = column;
    val[std::int64_t{runs + step} * rows_of_run + row] = value;
    mask[runs + step] |= static_cast<std::uint16_t>(1u << row);
  }

 private:
  SliceTarget(const RunSlice& slice, const RunSlice& next, RunsFormat<V>& made)
      : val(made.val.data() + slice.step * rows_of_run),
        col(made.col.data() + slice.before * rows_of_run),
        run_col(made.run_col.data() + (slice.step - slice.before)),
        mask(made.mask.data() + slice.step),
        others(slice.full),
        runs(slice.runs) {
    std::fill(val, made.val.data() + next.step * rows_of_run, V(0));
    std::fill(col, made.col.data() + next.before * rows_of_run, 0);
    std::fill(mask, made.mask.data() + next.step, std::uint16_t{0});
  }
};

// Entries of a slice, which is filled by walking its 16 rows side by side: more places at once than a processor asks
// for by itself.
template <class V>
void ask_for_slice(const CsrView<V>& A, std::int64_t s) {
  constexpr Offset line = 64, most = 2048;
  const Offset begin = A.ptr[std::min(s * rows_of_run, A.rows)], end = A.ptr[std::min((s + 1) * rows_of_run, A.rows)];
  for (Offset k = begin; k < std::min(end, begin + most); k += line / static_cast<Offset>(sizeof(V))) {
    ask_ahead<0>(A.val.data() + k);
    ask_ahead<0>(A.col.data() + k);
  }
}

// Each row is walked once: what lies before its part of the next run is gathered.
template <class V>
class SliceFiller {
 public:
  SliceFiller(const CsrView<V>& A, std::int64_t s, std::uint16_t aside, RunsFormat<V>& made)
      : col_(A.col.data()), val_(A.val.data()), rows_(A, s * rows_of_run, aside), to_(s, made) {}

  void fill(std::span<const std::uint64_t> runs) {
    for (const std::uint64_t run : runs) {
      const Index column = RunKey::column(run);
      V* const values = to_.next_run(column, RunKey::rows(run));
      if (RunKey::rows(run) == 0xffff)
        for (int i = 0; i < rows_of_run; ++i) values[i] = value_at(i, column + i);
      else
        for (unsigned left = RunKey::rows(run); left != 0; left &= left - 1) {
          const int i = std::countr_zero(left);
          values[i] = value_at(i, column + i);
        }
    }
    for (int i = 0; i < rows_of_run; ++i) gather_before(i, INT32_MAX);
  }

 private:
  V value_at(int i, Index column) {
    Offset& next = rows_.begin[i];
    if (col_[next] != column) gather_before(i, column);
    return val_[next++];
  }
  [[gnu::noinline]] void gather_before(int i, Index column) {
    Offset k = rows_.begin[i];
    for (; k < rows_.end[i] && col_[k] < column; ++k) to_.gather(i, col_[k], val_[k]);
    rows_.begin[i] = k;
  }

  const Index* col_;
  const V* val_;
  RowsOfRun rows_;  // begin: of what is left
  SliceTarget<V> to_;
};

template <class V>
struct StoredEntry {
  Index col;
  V val;
};

// The entries of row i of a slice, by column.
template <class V>
void collect_row(const RunsView<V>& A, std::int64_t s, int i, Vector<StoredEntry<V>>& row) {
  const RunSlice slice = A.slices[s];
  row.clear();
  for (Offset step = slice.step; step < A.slices[s + 1].step; ++step) {
    if ((A.mask[step] >> i & 1) == 0) continue;
    const Offset k = step - slice.step;
    const Index col = k < slice.runs ? A.run_col[A.first_run(slice) + k] + i
                                     : A.col[(slice.before + k - slice.runs) * rows_of_run + i];
    row.push_back({col, A.val[step * rows_of_run + i]});
  }
  std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.col < b.col; });
  for (Offset a = slice.aside; a < A.slices[s + 1].aside; ++a)
    if (A.aside.row[a] == s * rows_of_run + i)
      A.aside.each_entry(a, [&](Offset k, Index col) { row.push_back({col, A.aside.val[k]}); });
}

}  // namespace

template <class V>
FormatInfo RunsFormat<V>::about() {
  return {.name = "runs",
          .summary =
              "slices of 16 rows in steps: rows on a common diagonal read x at once, other entries are gathered; "
              "rows far longer than their neighbours aside",
          .origin = "ours, for CPUs with masks",
          .drawing =
              "  4 rows (for 16)     [ d e . . z . ]    run 0     mask 1111   d d d d    column 0 in the first row\n"
              "                      [ . d e . . . ]    run 1     mask 111.   e e e .    column 1\n"
              "                      [ . . d e . . ]    gathered  mask 1..1   z . . w    columns 4 . . 0\n"
              "                      [ w . . d . . ]\n"
              "  step k of a slice has 16 values from (step + k) * 16 on; run k of it is column run_col + i in row i\n",
          .settings = {}};
}

template <class V>
void RunsFormat<V>::settle(Settings& settings, const PatternView& A) {
  if (settings.gather == automatic) settings.gather = gather_cost(A, sizeof(V), loads_singly());
}

template <class V>
Footprint RunsFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  const Cuts cuts(A, settings.gather);
  const std::int64_t steps = cuts.all().step, gathered = cuts.all().before;
  const std::int64_t bytes_of_step = std::int64_t{rows_of_run} * value_bytes + 2;
  const std::int64_t in_steps = steps * bytes_of_step + (steps - gathered) * 4 + gathered * rows_of_run * 4;
  return {.bytes = static_cast<std::int64_t>(cuts.slices.bytes()) + in_steps + cut_aside(A, cuts).bytes(value_bytes),
          .stored = steps * rows_of_run + cuts.entries_aside};
}

// Cutting every slice takes half as long as building. No cut costs more than gathering everything, which is as many
// steps as the longest row that is not aside has entries; and no step is empty.
template <class V>
Footprint RunsFormat<V>::at_most(const PatternView& A, const Settings& settings, int value_bytes) {
  std::atomic<std::int64_t> steps = 0, rows_aside_of_all = 0, entries_aside = 0;
  parallel_ranges(slice_count(A.rows), slices_at_once(A), [&](std::int64_t begin, std::int64_t end) {
    std::int64_t here = 0, aside_rows = 0, aside_entries = 0;
    for (std::int64_t s = begin; s < end; ++s) {
      const std::int64_t first = s * rows_of_run, last = std::min(first + rows_of_run, A.rows);
      const std::uint16_t aside = rows_aside(A, first, settings.gather);
      Offset longest = 0, entries = 0;
      for (std::int64_t row = first; row < last; ++row) {
        const Offset length = A.ptr[row + 1] - A.ptr[row];
        const bool in_steps = (aside >> (row - first) & 1) == 0;
        entries += in_steps ? length : 0;
        longest = in_steps ? std::max(longest, length) : longest;
        aside_entries += in_steps ? 0 : length;
      }
      here += std::min(entries, longest * std::max(10, settings.gather) / 10);
      aside_rows += std::popcount(aside);
    }
    steps += here, rows_aside_of_all += aside_rows, entries_aside += aside_entries;
  });
  const std::int64_t bytes_of_step = std::int64_t{rows_of_run} * (value_bytes + 4) + 2;
  const Footprint most{.bytes = (slice_count(A.rows) + 1) * static_cast<std::int64_t>(sizeof(RunSlice)) +
                                steps * bytes_of_step +
                                AsideCut::bytes_at_most(rows_aside_of_all, entries_aside, value_bytes),
                       .stored = steps * rows_of_run + entries_aside};
  return judged(most, A.nnz()).fits ? most : footprint(A, settings, value_bytes);
}

template <class V>
RunsFormat<V> RunsFormat<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V>& A = source.view;
  Cuts cuts(A, settings.gather);
  const RunSlice all = cuts.all();
  const std::int64_t steps = all.step, gathered = all.before;
  RunsFormat made{A.rows,
                  A.cols,
                  std::move(cuts.slices),
                  Buffer<Index>(steps - gathered),
                  Buffer<Index>(gathered * rows_of_run),
                  Buffer<std::uint16_t>(steps),
                  Buffer<V>(steps * rows_of_run),
                  cut_aside(A, cuts).filled(A)};
  const std::int64_t at_once = slices_at_once(A);
  parallel_ranges(slice_count(A.rows), at_once, [&](std::int64_t begin, std::int64_t end) {
    with_isa(
        [&, runs = std::span<const std::uint64_t>(cuts.runs[static_cast<std::size_t>(begin / at_once)])](auto) mutable {
          for (std::int64_t s = begin; s < end; ++s) {
            const StepCut& cut = cuts.cut[static_cast<std::size_t>(s)];
            ask_for_slice(A, s + 1);
            SliceFiller(A, s, cut.aside, made).fill(runs.first(static_cast<std::size_t>(cut.runs)));
            runs = runs.subspan(static_cast<std::size_t>(cut.runs));
          }
        });
  });
  return made;
}

template <class V>
Csr<V> RunsFormat<V>::restore() const {
  Buffer<Offset> ptr(rows + 1);
  ptr[0] = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    Offset length = 0;
    const std::int64_t s = row / rows_of_run;
    for (Offset step = slices[s].step; step < slices[s + 1].step; ++step) length += mask[step] >> row % rows_of_run & 1;
    for (Offset a = slices[s].aside; a < slices[s + 1].aside; ++a)
      if (aside.row[a] == row) length += aside.view().length(a);
    ptr[row + 1] = ptr[row] + length;
  }
  Csr<V> A{rows, cols, std::move(ptr), Buffer<Index>(), Buffer<V>()};
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<V>(A.ptr[rows]);
  parallel_ranges(rows, 1024, [&](std::int64_t begin, std::int64_t end) {
    Vector<StoredEntry<V>> entries;
    for (std::int64_t row = begin; row < end; ++row) {
      collect_row(view(), row / rows_of_run, static_cast<int>(row % rows_of_run), entries);
      Offset at = A.ptr[row];
      for (const StoredEntry<V>& entry : entries) {
        A.col[at] = entry.col;
        A.val[at++] = entry.val;
      }
    }
  });
  return A;
}

template struct RunsFormat<float>;
template struct RunsFormat<double>;

const Format& runs_format() { return registered<RunsFormat>(); }

}  // namespace heddle
