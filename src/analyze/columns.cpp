#include <array>
#include <cmath>

#include "analyze/column_degrees.hpp"
#include "analyze/parts.hpp"
#include "analyze/slice_diagonals.hpp"
#include "analyze/stamped_set.hpp"
#include "analyze/windows.hpp"
#include "core/parallel.hpp"

namespace heddle {

namespace {

constexpr std::int64_t lanes = 32;
constexpr std::int64_t grain = 2;  // windows of a task

class Looker {
 public:
  explicit Looker(const PatternView& pattern) : A(pattern), gather_(lanes), window_(WindowChoice::entries) {}

  WindowCounts look_at(const RowWindow& w) {
    WindowCounts counts;
    counts.entries = static_cast<std::int32_t>(w.end - w.begin);
    for (std::int64_t row = w.first; row < w.last; ++row) walk_row(row, w, counts);
    count_slices(w, counts);
    for (const int size : {f32_sector, f64_sector}) {
      auto& gather = size == f32_sector ? counts.gather_f32 : counts.gather_f64;
      gather[0] = rows_at_once(w, size);
      gather[1] = entries_at_once(w, size);
      gather[2] = all_at_once(w, size);
    }
    return counts;
  }

 private:
  void walk_row(std::int64_t row, const RowWindow& w, WindowCounts& counts) const {
    const Offset begin = std::max(A.ptr[row], w.begin), end = std::min(A.ptr[row + 1], w.end);
    if (begin == end) return;
    std::int32_t runs = 1, tiles = 1, small[3] = {}, near = 0;
    for (Offset k = begin; k < end; ++k) {
      const std::int64_t distance = A.col[k] - row;
      near += distance >= INT16_MIN && distance <= INT16_MAX;
      if (k == begin) continue;
      const Index delta = A.col[k] - A.col[k - 1];
      runs += delta != 1;
      tiles += A.col[k] >> tile_bits != A.col[k - 1] >> tile_bits;
      small[0] += delta < 1 << 4;
      small[1] += delta < 1 << 8;
      small[2] += delta < 1 << 16;
    }
    counts.deltas += static_cast<std::int32_t>(end - begin - 1);
    counts.runs += runs;
    counts.tile_rows += tiles;
    counts.near16 += near;
    counts.delta4 += small[0];
    counts.delta8 += small[1];
    counts.delta16 += small[2];
  }

  void count_slices(const RowWindow& w, WindowCounts& counts) const {
    for (std::int64_t first = w.first; first < w.last; first += lanes) {
      Index low = INT32_MAX, high = 0;
      Offset entries = 0;
      for (std::int64_t row = first; row < std::min(first + lanes, w.last); ++row) {
        const Offset begin = std::max(A.ptr[row], w.begin), end = std::min(A.ptr[row + 1], w.end);
        if (begin == end) continue;
        low = std::min(low, A.col[begin]);
        high = std::max(high, A.col[end - 1]);
        entries += end - begin;
      }
      if (entries > 0 && high - low < 1 << 16) counts.slices16 += static_cast<std::int32_t>(entries);
    }
  }

  // Sectors that lanes of one slice touch when each reads the k-th entry of its row.
  std::int32_t rows_at_once(const RowWindow& w, int size) {
    std::int32_t sectors = 0;
    for (std::int64_t first = w.first; first < w.last; first += lanes) {
      std::array<Offset, lanes> at, end;
      int active = 0;
      for (std::int64_t row = first; row < std::min(first + lanes, w.last); ++row) {
        at[active] = std::max(A.ptr[row], w.begin);
        end[active] = std::min(A.ptr[row + 1], w.end);
        active += at[active] < end[active];
      }
      while (active > 0) {
        gather_.clear();
        int left = 0;
        for (int i = 0; i < active; ++i) {
          sectors += gather_.insert(static_cast<std::uint32_t>(A.col[at[i]]) >> size).fresh;
          at[left] = at[i] + 1;
          end[left] = end[i];
          left += at[left] < end[left];
        }
        active = left;
      }
    }
    return sectors;
  }

  std::int32_t entries_at_once(const RowWindow& w, int size) {
    std::int32_t sectors = 0;
    for (Offset step = w.begin; step < w.end; step += lanes) {
      gather_.clear();
      for (Offset k = step; k < std::min(step + lanes, w.end); ++k)
        sectors += gather_.insert(static_cast<std::uint32_t>(A.col[k]) >> size).fresh;
    }
    return sectors;
  }

  std::int32_t all_at_once(const RowWindow& w, int size) {
    window_.make_room(w.end - w.begin);
    std::int32_t sectors = 0;
    for (Offset k = w.begin; k < w.end; ++k)
      sectors += window_.insert(static_cast<std::uint32_t>(A.col[k]) >> size).fresh;
    return sectors;
  }

  const PatternView& A;
  StampedSet gather_, window_;
};

// The order of columns from runs of entries, then windows in it.
class DegreeLooker {
 public:
  explicit DegreeLooker(const PatternView& pattern)
      : A(pattern), column_(ColumnDegrees::slots, -1), count_(ColumnDegrees::slots, 0) {
    const std::int64_t runs = ColumnDegrees::runs(A.nnz());
    for (std::int64_t i = 0; i < runs; ++i)
      for (const Index column : A.col.subspan(ColumnDegrees::run_begin(i, runs, A.nnz()), ColumnDegrees::run))
        meet(column);
  }

  std::int32_t rows_and_tiles(const RowWindow& w, StampedSet& seen) const {
    std::int32_t pairs = 0;
    for (std::int64_t row = w.first; row < w.last; ++row) {
      seen.clear();
      for (Offset k = std::max(A.ptr[row], w.begin); k < std::min(A.ptr[row + 1], w.end); ++k) {
        const std::int32_t count = count_[slot_of(A.col[k])];
        pairs += seen.insert(static_cast<std::uint32_t>(ColumnDegrees::tile(A.col[k], count, at_least_, A.cols))).fresh;
      }
    }
    return pairs;
  }

 private:
  // Where the column is kept, or would be.
  std::size_t slot_of(Index column) const {
    const std::size_t mask = column_.size() - 1;
    std::size_t at = (static_cast<std::uint32_t>(column) * 0x9E3779B9u >> 7) & mask;
    while (column_[at] != column && column_[at] >= 0) at = (at + 1) & mask;
    return at;
  }
  void meet(Index column) {
    const std::size_t at = slot_of(column);
    column_[at] = column;
    if (count_[at] < ColumnDegrees::most_entries) ++at_least_[++count_[at]];
  }

  const PatternView& A;
  Vector<Index> column_;
  Vector<std::int32_t> count_;
  std::uint64_t at_least_[ColumnDegrees::most_entries + 1] = {};
};

void look_by_degree(const PatternView& A, const RowWindows& windows, Vector<WindowCounts>& counts) {
  const DegreeLooker looker(A);
  parallel_ranges(windows.count, grain, [&](std::int64_t begin, std::int64_t end) {
    StampedSet seen(WindowChoice::entries);
    for (std::int64_t i = begin; i < end; ++i) counts[i].degree_rows = looker.rows_and_tiles(windows[i], seen);
  });
}

}  // namespace

template <class V>
SampledFacts measure_columns(const CsrView<V>& A, std::int64_t sample) {
  const RowWindows windows(A, sample);
  Vector<WindowCounts> counts(static_cast<std::size_t>(windows.count));
  Vector<SliceDiagonals> diagonals(static_cast<std::size_t>((windows.count + grain - 1) / grain));
  parallel_ranges(windows.count, grain, [&](std::int64_t begin, std::int64_t end) {
    Looker looker(A);
    for (std::int64_t i = begin; i < end; ++i) {
      counts[i] = looker.look_at(windows[i]);
      diagonals[begin / grain].add(A, windows[i]);
    }
  });
  ColumnFacts facts = column_facts(counts, windows.all);
  if (ColumnDegrees::wanted(A.nnz(), A.cols) && ColumnDegrees::matter(facts)) {
    look_by_degree(A, windows, counts);
    facts.columns.tile_rows_by_degree = pairs_by_degree(counts);
  }
  return {facts, diagonal_facts(counts_of(diagonals), A.rows)};
}

template SampledFacts measure_columns(const CsrView<float>&, std::int64_t);
template SampledFacts measure_columns(const CsrView<double>&, std::int64_t);

}  // namespace heddle
