#include "formats/runs/runs_step_counts.hpp"

#include <algorithm>
#include <vector>

#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "formats/runs/runs_aside_cut.hpp"
#include "formats/runs/runs_cut.hpp"

namespace heddle {

namespace {

// Sums over sampled slices.
struct Sample {
  double entries = 0, runs = 0, gathered = 0, in_runs = 0, aside = 0, dense = 0;
};

struct Slice {
  std::int64_t first, last;  // rows

  Slice(const PatternView& A, std::int64_t number)
      : first(number * rows_of_run), last(std::min(first + rows_of_run, A.rows)) {}
  std::int64_t entries(const PatternView& A) const { return A.ptr[last] - A.ptr[first]; }
  std::int64_t longest(const PatternView& A) const {
    std::int64_t most = 0;
    for (std::int64_t row = first; row < last; ++row) most = std::max(most, A.ptr[row + 1] - A.ptr[row]);
    return most;
  }
};

double dense_aside(const PatternView& A, const Slice& slice, unsigned aside) {
  double sum = 0;
  for (; aside != 0; aside &= aside - 1) {
    const std::int64_t row = slice.first + std::countr_zero(aside);
    sum += dense_share(A, row) * static_cast<double>(A.length(row));
  }
  return sum;
}

constexpr std::int64_t most_entries = 1 << 15;  // that are sampled

// Of a slice of very long rows the columns before one where the longest has had its share of the sample: what comes
// behind is taken to be like it. (Sixteen dense rows of 100,000 entries: all of it took 15 products.)
struct FirstColumns {
  Buffer<Offset> ptr;
  Buffer<Index> col;

  FirstColumns(const PatternView& A, const Slice& slice) : ptr(slice.last - slice.first + 1) {
    Index limit = INT32_MAX;
    for (std::int64_t row = slice.first; row < slice.last; ++row)
      if (A.length(row) > most_entries / rows_of_run)
        limit = std::min(limit, A.col[A.ptr[row] + most_entries / rows_of_run]);
    ptr[0] = 0;
    for (std::int64_t row = slice.first; row < slice.last; ++row) {
      const auto columns = A.col.subspan(A.ptr[row], A.length(row));
      ptr[row - slice.first + 1] =
          ptr[row - slice.first] + (std::ranges::lower_bound(columns, limit) - columns.begin());
    }
    col = Buffer<Index>(ptr[slice.last - slice.first]);
    for (std::int64_t row = slice.first; row < slice.last; ++row)
      std::copy_n(A.col.begin() + A.ptr[row], ptr[row - slice.first + 1] - ptr[row - slice.first],
                  col.begin() + ptr[row - slice.first]);
  }
  PatternView view(std::int64_t cols) const { return {ptr.size() - 1, cols, ptr, col}; }
};

// A slice, and for how many entries each sampled one stands.
struct Looked {
  StepCut cut;
  double stands_for = 1;

  Looked() = default;
  Looked(const PatternView& A, const Slice& slice, int gather, DiagonalFinder& finder) {
    if (slice.entries(A) <= 2 * most_entries) {
      cut = cut_slice(A, slice.first, gather, finder).cut;
      return;
    }
    const FirstColumns part(A, slice);
    cut = cut_slice(part.view(A.cols), 0, gather, finder, rows_aside(A, slice.first, gather)).cut;
    stands_for =
        static_cast<double>(slice.entries(A)) / static_cast<double>(std::max<std::int64_t>(1, part.col.size()));
  }
};

// Slices are cut by all threads and counted one after the other.
Sample look_at(const PatternView& A, const std::vector<Slice>& slices, int gather) {
  const auto count = static_cast<std::int64_t>(slices.size());
  const std::int64_t at_once = count < 64 ? 1 : 4;  // few slices have long rows
  std::vector<Looked> looked(slices.size());
  parallel_stretches((count + at_once - 1) / at_once, 1, [&](std::int64_t first, std::int64_t last) {
    DiagonalFinder finder;
    for (std::int64_t i = first * at_once; i < std::min(count, last * at_once); ++i)
      looked[static_cast<std::size_t>(i)] = Looked(A, slices[static_cast<std::size_t>(i)], gather, finder);
  });
  Sample sample;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto& [cut, stands_for] = looked[i];
    sample.entries += static_cast<double>(slices[i].entries(A));
    sample.runs += stands_for * cut.runs;
    sample.gathered += stands_for * cut.gathered();
    sample.in_runs += stands_for * cut.entries_in_runs;
    sample.aside += stands_for * static_cast<double>(cut.entries_aside);
    sample.dense += dense_aside(A, slices[i], cut.aside);
  }
  return sample;
}

// At most so many, and not many more entries than so many; one at least.
std::int64_t sample_size(std::int64_t slices, std::int64_t entries) {
  constexpr std::int64_t most_slices = 192;
  const std::int64_t wanted =
      std::min({slices, most_slices, most_entries * slices / std::max<std::int64_t>(1, entries)});
  return std::max(std::min<std::int64_t>(slices, 1), wanted);
}

// Those with a row far longer than others: few of them may hold more entries than all the rest.
struct Heavy {
  std::int64_t limit;  // of a row
  std::vector<std::int64_t> slices;
  double entries = 0;

  Heavy(const PatternView& A, std::int64_t slice_count, std::int64_t longest_row)
      : limit(4 * (A.nnz() / std::max<std::int64_t>(1, A.rows)) + 32) {
    if (longest_row <= limit) return;
    constexpr std::int64_t of_task = 1024;
    std::vector<std::vector<std::int64_t>> found(static_cast<std::size_t>((slice_count + of_task - 1) / of_task));
    parallel_ranges(slice_count, of_task, [&](std::int64_t begin, std::int64_t end) {
      with_isa([&, &own = found[static_cast<std::size_t>(begin / of_task)]](auto) {
        for (std::int64_t i = begin; i < end; ++i)
          if (Slice(A, i).longest(A) > limit) own.push_back(i);
      });
    });
    for (const std::vector<std::int64_t>& some : found) slices.insert(slices.end(), some.begin(), some.end());
    for (const std::int64_t i : slices) entries += static_cast<double>(Slice(A, i).entries(A));
  }
};

}  // namespace

StepCounts count_steps(const PatternView& A, std::int64_t longest_row, int value_bytes, bool loads_singly) {
  if (A.nnz() == 0) return {};
  const std::int64_t slices = (A.rows + rows_of_run - 1) / rows_of_run, sampled = sample_size(slices, A.nnz());
  const Heavy heavy(A, slices, longest_row);
  const int gather = gather_cost(A, value_bytes, loads_singly);
  std::vector<Slice> spread, high;
  for (std::int64_t i = 0; i < sampled; ++i)
    if (const Slice slice(A, i * slices / sampled); slice.longest(A) <= heavy.limit) spread.push_back(slice);
  const auto count = static_cast<std::int64_t>(heavy.slices.size());
  const std::int64_t looked_at = sample_size(count, static_cast<std::int64_t>(heavy.entries));
  for (std::int64_t i = 0; i < looked_at; ++i)
    high.push_back(Slice(A, heavy.slices[static_cast<std::size_t>(i * count / looked_at)]));
  const Sample light = look_at(A, spread, gather), long_ones = look_at(A, high, gather);

  // Of the others by entries, of these by slices: their steps are those of their shorter rows. Long rows by entries.
  const double nnz = static_cast<double>(A.nnz()), rest = nnz - heavy.entries;
  const double by_entries = light.entries > 0 ? rest / light.entries / nnz : 0,
               by_slices = looked_at > 0 ? static_cast<double>(count) / static_cast<double>(looked_at) / nnz : 0,
               of_entries = long_ones.entries > 0 ? heavy.entries / long_ones.entries / nnz : 0;
  const auto all = [&](double of_light, double of_long) { return by_entries * of_light + by_slices * of_long; };
  return {rows_of_run * all(light.runs, long_ones.runs), rows_of_run * all(light.gathered, long_ones.gathered),
          1 - all(light.in_runs, long_ones.in_runs), by_entries * light.aside + of_entries * long_ones.aside,
          by_entries * light.dense + of_entries * long_ones.dense};
}

}  // namespace heddle
