#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "analyze/column_degrees.hpp"
#include "analyze/looks.hpp"
#include "analyze/marks.hpp"
#include "analyze/stamped_set.hpp"
#include "core/isa.hpp"

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

  void distances(const RowWindow& w, WindowCounts& counts) const {
    counts.entries = static_cast<std::int32_t>(w.end - w.begin);
    with_isa([&](auto) {
      for (std::int64_t row = w.first; row < w.last; ++row) walk_row(row, w, counts);
    });
    count_slices(w, counts);
  }
  void rows_at_once(const RowWindow& w, const PartOfWindow& part, WindowCounts& counts) {
    make_room(w);
    for (std::int64_t first = w.first; first < w.last; first += lanes)
      slice_at_once(w, first, part, counts.gather_f64[0], counts.gather_f32[0]);
  }
  // 32 neighbours.
  void entries_at_once(const RowWindow& w, WindowCounts& counts) {
    make_room(w);
    for (Offset step = w.begin; step < w.end; step += lanes)
      read_at_once(A.col.subspan(step, std::min<Offset>(lanes, w.end - step)), counts.gather_f64[1],
                   counts.gather_f32[1]);
  }
  void in_window(const RowWindow& w, WindowCounts& counts) {
    make_room(w);
    read_at_once(A.col.subspan(w.begin, w.end - w.begin), counts.gather_f64[2], counts.gather_f32[2]);
  }

 private:
  // The entries of a row that lie in the window.
  std::span<const Index> columns(std::int64_t row, const RowWindow& w) const {
    const Offset begin = std::max(A.ptr[row], w.begin), end = std::min(A.ptr[row + 1], w.end);
    return A.col.subspan(begin, std::max<Offset>(0, end - begin));
  }

  void walk_row(std::int64_t row, const RowWindow& w, WindowCounts& counts) const {
    const std::span<const Index> some = columns(row, w);
    if (some.empty()) return;
    std::int32_t runs = 1, tiles = 1, small[3] = {}, near = 0;
    const Index *first = some.data(), *last = first + some.size();
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
    counts.deltas += static_cast<std::int32_t>(some.size() - 1);
    counts.runs += runs;
    counts.tile_rows += tiles;
    counts.near16 += near;
    counts.delta4 += small[0];
    counts.delta8 += small[1];
    counts.delta16 += small[2];
  }

  void count_slices(const RowWindow& w, WindowCounts& counts) const {
    for (std::int64_t first = w.first; first < w.last; first += lanes) {
      const Reach reach = reach_of(w, first, std::min(first + lanes, w.last));
      if (reach.entries > 0 && reach.high - reach.low < 1 << 16)
        counts.slices16 += static_cast<std::int32_t>(reach.entries);
    }
  }
  struct Reach {
    Index low = INT32_MAX, high = 0;
    Offset entries = 0;
  };
  Reach reach_of(const RowWindow& w, std::int64_t first, std::int64_t last) const {
    Reach reach;
    for (std::int64_t row = first; row < last; ++row) {
      const std::span<const Index> some = columns(row, w);
      if (some.empty()) continue;
      reach.low = std::min(reach.low, some.front());
      reach.high = std::max(reach.high, some.back());
      reach.entries += static_cast<Offset>(some.size());
    }
    return reach;
  }
  void make_room(const RowWindow& w) {
    const Reach reach = reach_of(w, w.first, w.last);
    if (reach.entries > 0) sectors_.make_room(reach.low, reach.high, reach.entries);
  }

  // Sectors that lanes of one slice touch when each reads the k-th entry of its row, for the k of this part.
  void slice_at_once(const RowWindow& w, std::int64_t first, const PartOfWindow& part, std::int32_t& doubles,
                     std::int32_t& floats) {
    const std::int64_t last = std::min(first + lanes, w.last);
    std::int64_t longest = 0;
    for (std::int64_t row = first; row < last; ++row) longest = std::max(longest, std::ssize(columns(row, w)));
    const auto begin = static_cast<std::size_t>(part.begin(longest)), end = static_cast<std::size_t>(part.end(longest));
    if (begin == end) return;
    std::array<std::span<const Index>, lanes> left;  // of rows that have some
    int active = 0;
    for (std::int64_t row = first; row < last; ++row) {
      const std::span<const Index> all = columns(row, w);
      if (all.size() > begin) left[active++] = all.subspan(begin, std::min(all.size(), end) - begin);
    }
    while (active > 1) {
      std::array<Index, lanes> read;
      int next = 0;
      for (int i = 0; i < active; ++i) {
        read[i] = left[i].front();
        left[next] = left[i].subspan(1);
        next += !left[next].empty();
      }
      read_at_once(std::span(read).first(static_cast<std::size_t>(active)), doubles, floats);
      active = next;
    }
    if (active == 1) {  // the rest of the longest row: one sector a step
      doubles += static_cast<std::int32_t>(left[0].size());
      floats += static_cast<std::int32_t>(left[0].size());
    }
  }

  void read_at_once(std::span<const Index> columns, std::int32_t& doubles, std::int32_t& floats) {
    if (columns.empty()) return;
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

}  // namespace

// The order of columns from runs of entries, then windows in it.
template <class V>
class ColumnsLook<V>::Degrees {
 public:
  explicit Degrees(const PatternView& pattern)
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

template <class V>
ColumnsLook<V>::ColumnsLook(const CsrView<V>& matrix, std::int64_t sample, bool by_degree)
    : A(matrix),
      windows_(A, sample),
      by_degree_(by_degree),
      parts_(windows_.count < 2 * threads() ? 4 : 1),
      tasks_(questions * parts_ * windows_.count),
      counts_(static_cast<std::size_t>(parts_ * windows_.count)),
      diagonals_(static_cast<std::size_t>(parts_ * windows_.count)) {}
template <class V>
ColumnsLook<V>::~ColumnsLook() = default;

template <class V>
void ColumnsLook<V>::run(std::int64_t first, std::int64_t last) {
  if (degrees_) {
    StampedSet seen(WindowChoice::entries);
    for (std::int64_t i = first; i < last; ++i)
      counts_[parts_ * i].degree_rows = degrees_->rows_and_tiles(windows_[i], seen);
    return;
  }
  Looker looker(A);
  DiagonalSet met;
  for (std::int64_t task = first; task < last; ++task) {
    const std::int64_t place = task / questions;
    const PartOfWindow part{place % parts_, parts_};
    const RowWindow window = windows_[place / parts_];
    switch (static_cast<Question>(task % questions)) {
      case on_diagonals: diagonals_[place].add(A, window, part, met); break;
      case rows_at_once: looker.rows_at_once(window, part, counts_[place]); break;
      // The others are not worth a cut.
      case in_window:
        if (part.number == 0) looker.in_window(window, counts_[place]);
        break;
      case entries_at_once:
        if (part.number == part.of / 2) looker.entries_at_once(window, counts_[place]);
        break;
      default:
        if (part.number == part.of - 1) looker.distances(window, counts_[place]);
    }
  }
}
template <class V>
void ColumnsLook<V>::begin_second_round() {
  tasks_ = 0;
  if (!by_degree_ || !ColumnDegrees::wanted(A.nnz(), A.cols)) return;
  if (!ColumnDegrees::matter(column_facts(window_counts(), windows_.all))) return;
  degrees_ = std::make_unique<Degrees>(A);
  tasks_ = windows_.count;
}

template <class V>
Vector<WindowCounts> ColumnsLook<V>::window_counts() const {
  Vector<WindowCounts> windows(static_cast<std::size_t>(windows_.count));
  for (std::size_t i = 0; i < counts_.size(); ++i) windows[i / static_cast<std::size_t>(parts_)] += counts_[i];
  return windows;
}

template <class V>
SampledFacts ColumnsLook<V>::facts() const {
  const Vector<WindowCounts> windows = window_counts();
  ColumnFacts facts = column_facts(windows, windows_.all);
  if (degrees_) facts.columns.tile_rows_by_degree = pairs_by_degree(windows);
  if (parts_ == 1) return {facts, diagonal_facts(counts_of(diagonals_), A.rows)};
  Vector<SliceDiagonals> joined;
  for (std::int64_t place = 0; place < std::ssize(diagonals_); ++place)
    if (place % parts_ == 0)
      joined.push_back(diagonals_[place]);
    else
      joined.back().join(diagonals_[place]);
  return {facts, diagonal_facts(counts_of(joined), A.rows)};
}

template class ColumnsLook<float>;
template class ColumnsLook<double>;

}  // namespace heddle
