#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "analyze/column_degrees.hpp"
#include "analyze/marks.hpp"
#include "analyze/parts.hpp"
#include "analyze/slice_diagonals.hpp"
#include "analyze/stamped_set.hpp"
#include "analyze/windows.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"

namespace heddle {

namespace {

constexpr std::int64_t lanes = 32;

// Sectors of x that are read at once, of doubles and of floats: bits where the columns of a window are not too far
// apart.
class Sectors {
 public:
  static_assert(f32_sector == f64_sector + 1);

  // Columns from `low` to `high`, at most `most` of them at once.
  void make_room(Index low, Index high, std::int64_t most) {
    first_ = static_cast<std::uint32_t>(low) >> f32_sector;
    const std::int64_t range = 2 * ((std::int64_t{high} >> f32_sector) - first_ + 1);
    wide_ = range > Marks::widest;
    if (wide_) {
      wide_doubles_.make_room(most);
      wide_floats_.make_room(most);
    } else {
      doubles_.make_room(range);
      floats_.make_room(range / 2);
    }
  }
  // Counts those that have not been read yet.
  void read(Index column, std::int32_t& doubles, std::int32_t& floats) {
    const std::uint32_t of_double = sector(column, f64_sector), of_float = sector(column, f32_sector);
    doubles += wide_ ? wide_doubles_.insert(of_double).fresh : doubles_.add(of_double);
    floats += wide_ ? wide_floats_.insert(of_float).fresh : floats_.add(of_float);
  }
  // What was read: these.
  void clear(std::span<const Index> columns) {
    if (wide_) {
      wide_doubles_.clear();
      wide_floats_.clear();
      return;
    }
    for (const Index column : columns) {
      doubles_.remove(sector(column, f64_sector));
      floats_.remove(sector(column, f32_sector));
    }
  }

 private:
  std::uint32_t sector(Index column, int bits) const {
    return (static_cast<std::uint32_t>(column) >> bits) - (first_ << (f32_sector - bits));
  }

  std::uint32_t first_ = 0;
  bool wide_ = false;
  Marks doubles_, floats_;
  StampedSet wide_doubles_{1}, wide_floats_{1};
};

class Looker {
 public:
  explicit Looker(const PatternView& pattern) : A(pattern) {}

  WindowCounts look_at(const RowWindow& w) {
    WindowCounts counts;
    counts.entries = static_cast<std::int32_t>(w.end - w.begin);
    with_isa([&](auto) {
      for (std::int64_t row = w.first; row < w.last; ++row) walk_row(row, w, counts);
    });
    const auto [low, high] = count_slices(w, counts);
    if (counts.entries == 0) return counts;
    sectors_.make_room(low, high, counts.entries);
    rows_at_once(w, counts.gather_f64[0], counts.gather_f32[0]);
    entries_at_once(w, counts.gather_f64[1], counts.gather_f32[1]);
    all_at_once(w, counts.gather_f64[2], counts.gather_f32[2]);
    return counts;
  }

 private:
  void walk_row(std::int64_t row, const RowWindow& w, WindowCounts& counts) const {
    const Offset begin = std::max(A.ptr[row], w.begin), end = std::min(A.ptr[row + 1], w.end);
    if (begin == end) return;
    std::int32_t runs = 1, tiles = 1, small[3] = {}, near = 0;
    const Index *first = A.col.data() + begin, *last = A.col.data() + end;
    for (const Index* col = first; col < last; ++col) {
      const std::int64_t distance = *col - row;
      near += distance >= INT16_MIN && distance <= INT16_MAX;
    }
    for (const Index* col = first + 1; col < last; ++col) {
      const Index delta = col[0] - col[-1];
      runs += delta != 1;
      tiles += col[0] >> tile_bits != col[-1] >> tile_bits;
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

  // Returns the least and the greatest column.
  std::pair<Index, Index> count_slices(const RowWindow& w, WindowCounts& counts) const {
    Index least = INT32_MAX, greatest = 0;
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
      least = std::min(least, low);
      greatest = std::max(greatest, high);
    }
    return {least, greatest};
  }

  // Sectors that lanes of one slice touch when each reads the k-th entry of its row.
  void rows_at_once(const RowWindow& w, std::int32_t& doubles, std::int32_t& floats) {
    for (std::int64_t first = w.first; first < w.last; first += lanes) {
      std::array<Offset, lanes> at, end;
      int active = 0;
      for (std::int64_t row = first; row < std::min(first + lanes, w.last); ++row) {
        at[active] = std::max(A.ptr[row], w.begin);
        end[active] = std::min(A.ptr[row + 1], w.end);
        active += at[active] < end[active];
      }
      while (active > 1) {
        std::array<Index, lanes> read;
        int left = 0;
        for (int i = 0; i < active; ++i) {
          read[i] = A.col[at[i]];
          at[left] = at[i] + 1;
          end[left] = end[i];
          left += at[left] < end[left];
        }
        read_at_once(std::span(read).first(static_cast<std::size_t>(active)), doubles, floats);
        active = left;
      }
      if (active == 1) {  // the rest of the longest row: one sector a step
        doubles += static_cast<std::int32_t>(end[0] - at[0]);
        floats += static_cast<std::int32_t>(end[0] - at[0]);
      }
    }
  }

  void entries_at_once(const RowWindow& w, std::int32_t& doubles, std::int32_t& floats) {
    for (Offset step = w.begin; step < w.end; step += lanes)
      read_at_once(A.col.subspan(step, std::min<Offset>(lanes, w.end - step)), doubles, floats);
  }

  void all_at_once(const RowWindow& w, std::int32_t& doubles, std::int32_t& floats) {
    read_at_once(A.col.subspan(w.begin, w.end - w.begin), doubles, floats);
  }

  void read_at_once(std::span<const Index> columns, std::int32_t& doubles, std::int32_t& floats) {
    if (std::is_sorted(columns.begin(), columns.end())) {  // inside a row, or along diagonals
      doubles += sectors_in_order(columns, f64_sector);
      floats += sectors_in_order(columns, f32_sector);
      return;
    }
    for (const Index column : columns) sectors_.read(column, doubles, floats);
    sectors_.clear(columns);
  }
  static std::int32_t sectors_in_order(std::span<const Index> columns, int bits) {
    std::int32_t sectors = 1;
    for (std::size_t i = 1; i < columns.size(); ++i) sectors += columns[i] >> bits != columns[i - 1] >> bits;
    return sectors;
  }

  const PatternView& A;
  Sectors sectors_;
};

// The order of columns from runs of entries, then windows in it.
class DegreeLooker {
 public:
  explicit DegreeLooker(const PatternView& pattern)
      : A(pattern), runs_(ColumnDegrees::runs(A.nnz())), slots_(std::bit_ceil(2 * slots_taken())) {
    for (std::int64_t i = 0; i < runs_; ++i)
      for (const Index column : A.col.subspan(ColumnDegrees::run_begin(i, runs_, A.nnz()), ColumnDegrees::run))
        meet(column);
  }

  std::int32_t rows_and_tiles(const RowWindow& w, StampedSet& seen) const {
    std::int32_t pairs = 0;
    for (std::int64_t row = w.first; row < w.last; ++row) {
      seen.clear();
      for (Offset k = std::max(A.ptr[row], w.begin); k < std::min(A.ptr[row + 1], w.end); ++k) {
        const std::int32_t count = slots_[slot_of(A.col[k])].count;
        pairs += seen.insert(static_cast<std::uint32_t>(ColumnDegrees::tile(A.col[k], count, at_least_, A.cols))).fresh;
      }
    }
    return pairs;
  }

 private:
  struct Slot {
    Index column = -1;
    std::int32_t count = 0;
  };
  std::size_t slots_taken() const { return static_cast<std::size_t>(runs_ * ColumnDegrees::run); }  // at most
  // Where the column is kept, or would be.
  std::size_t slot_of(Index column) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (static_cast<std::uint32_t>(column) * 0x9E3779B9u >> 7) & mask;
    while (slots_[at].column != column && slots_[at].column >= 0) at = (at + 1) & mask;
    return at;
  }
  void meet(Index column) {
    Slot& slot = slots_[slot_of(column)];
    slot.column = column;
    if (slot.count < ColumnDegrees::most_entries) ++at_least_[++slot.count];
  }

  const PatternView& A;
  std::int64_t runs_;
  Vector<Slot> slots_;
  std::uint64_t at_least_[ColumnDegrees::most_entries + 1] = {};
};

void look_by_degree(const PatternView& A, const RowWindows& windows, Vector<WindowCounts>& counts) {
  const DegreeLooker looker(A);
  parallel_stretches(windows.count, 1, [&](std::int64_t first, std::int64_t last) {
    StampedSet seen(WindowChoice::entries);
    for (std::int64_t i = first; i < last; ++i) counts[i].degree_rows = looker.rows_and_tiles(windows[i], seen);
  });
}

}  // namespace

template <class V>
SampledFacts measure_columns(const CsrView<V>& A, std::int64_t sample, bool by_degree) {
  const RowWindows windows(A, sample);
  Vector<WindowCounts> counts(static_cast<std::size_t>(windows.count));
  Vector<SliceDiagonals> diagonals(static_cast<std::size_t>(windows.count));  // of a stretch, where that begins
  parallel_stretches(windows.count, 1, [&](std::int64_t first, std::int64_t last) {
    Looker looker(A);
    DiagonalSet met;
    for (std::int64_t i = first; i < last; ++i) {
      const RowWindow window = windows[i];
      counts[i] = looker.look_at(window);
      diagonals[first].add(A, window, met);
    }
  });
  ColumnFacts facts = column_facts(counts, windows.all);
  if (by_degree && ColumnDegrees::wanted(A.nnz(), A.cols) && ColumnDegrees::matter(facts)) {
    look_by_degree(A, windows, counts);
    facts.columns.tile_rows_by_degree = pairs_by_degree(counts);
  }
  return {facts, diagonal_facts(counts_of(diagonals), A.rows)};
}

template SampledFacts measure_columns(const CsrView<float>&, std::int64_t, bool);
template SampledFacts measure_columns(const CsrView<double>&, std::int64_t, bool);

}  // namespace heddle
