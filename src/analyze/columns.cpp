#include <array>
#include <cmath>

#include "analyze/parts.hpp"
#include "analyze/slice_diagonals.hpp"
#include "analyze/stamped_set.hpp"
#include "analyze/windows.hpp"
#include "core/parallel.hpp"

namespace heddle {

namespace {

constexpr std::int64_t lanes = 32;
constexpr int f32 = 3, f64 = 2;    // log2 of the elements in a sector
constexpr int tile = 15;           // log2 of the columns of a tile
constexpr std::int64_t grain = 2;  // windows of a task

// Counts of one window; `gather` in the order rows, entries, window.
struct Counts {
  double entries = 0, deltas = 0, runs = 0;
  double delta4 = 0, delta8 = 0, delta16 = 0, near16 = 0, slices16 = 0, tile_rows = 0;
  std::array<double, 3> gather_f32{}, gather_f64{};
};

class Looker {
 public:
  explicit Looker(const PatternView& pattern) : A(pattern), gather_(lanes), window_(RowWindows::entries) {}

  Counts look_at(const RowWindow& w) {
    Counts counts;
    counts.entries = static_cast<double>(w.end - w.begin);
    for (std::int64_t row = w.first; row < w.last; ++row) walk_row(row, w, counts);
    count_slices(w, counts);
    for (const int size : {f32, f64}) {
      auto& gather = size == f32 ? counts.gather_f32 : counts.gather_f64;
      gather = {rows_at_once(w, size), entries_at_once(w, size), all_at_once(w, size)};
    }
    return counts;
  }

 private:
  void walk_row(std::int64_t row, const RowWindow& w, Counts& counts) const {
    const Offset begin = std::max(A.ptr[row], w.begin), end = std::min(A.ptr[row + 1], w.end);
    if (begin == end) return;
    std::int64_t runs = 1, tiles = 1, small[3] = {}, near = 0;
    for (Offset k = begin; k < end; ++k) {
      const std::int64_t distance = A.col[k] - row;
      near += distance >= INT16_MIN && distance <= INT16_MAX;
      if (k == begin) continue;
      const Index delta = A.col[k] - A.col[k - 1];
      runs += delta != 1;
      tiles += A.col[k] >> tile != A.col[k - 1] >> tile;
      small[0] += delta < 1 << 4;
      small[1] += delta < 1 << 8;
      small[2] += delta < 1 << 16;
    }
    counts.deltas += static_cast<double>(end - begin - 1);
    counts.runs += static_cast<double>(runs);
    counts.tile_rows += static_cast<double>(tiles);
    counts.near16 += static_cast<double>(near);
    counts.delta4 += static_cast<double>(small[0]);
    counts.delta8 += static_cast<double>(small[1]);
    counts.delta16 += static_cast<double>(small[2]);
  }

  void count_slices(const RowWindow& w, Counts& counts) const {
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
      if (entries > 0 && high - low < 1 << 16) counts.slices16 += static_cast<double>(entries);
    }
  }

  // Sectors that lanes of one slice touch when each reads the k-th entry of its row.
  double rows_at_once(const RowWindow& w, int size) {
    std::int64_t sectors = 0;
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
    return static_cast<double>(sectors);
  }

  double entries_at_once(const RowWindow& w, int size) {
    std::int64_t sectors = 0;
    for (Offset step = w.begin; step < w.end; step += lanes) {
      gather_.clear();
      for (Offset k = step; k < std::min(step + lanes, w.end); ++k)
        sectors += gather_.insert(static_cast<std::uint32_t>(A.col[k]) >> size).fresh;
    }
    return static_cast<double>(sectors);
  }

  double all_at_once(const RowWindow& w, int size) {
    window_.make_room(w.end - w.begin);
    std::int64_t sectors = 0;
    for (Offset k = w.begin; k < w.end; ++k)
      sectors += window_.insert(static_cast<std::uint32_t>(A.col[k]) >> size).fresh;
    return static_cast<double>(sectors);
  }

  const PatternView& A;
  StampedSet gather_, window_;
};

// Every fact is a mean over entries: `weight` is one entry's share of the whole.
void add(Counts& sum, const Counts& part, double weight) {
  const auto each = [&](auto member) { sum.*member += part.*member * weight; };
  for (auto member : {&Counts::entries, &Counts::deltas, &Counts::runs, &Counts::delta4, &Counts::delta8,
                      &Counts::delta16, &Counts::near16, &Counts::slices16, &Counts::tile_rows})
    each(member);
  for (int i = 0; i < 3; ++i) {
    sum.gather_f32[i] += part.gather_f32[i] * weight;
    sum.gather_f64[i] += part.gather_f64[i] * weight;
  }
}

ColumnFacts facts_from(const Counts& sum) {
  ColumnFacts facts;
  if (sum.entries == 0) return facts;
  const auto share = [&](double count) { return count / sum.entries; };
  const auto of_deltas = [&](double count) { return sum.deltas > 0 ? count / sum.deltas : 1; };
  facts.columns = {sum.entries / sum.runs, of_deltas(sum.delta4), of_deltas(sum.delta8), of_deltas(sum.delta16),
                   share(sum.near16),      share(sum.slices16),   share(sum.tile_rows),  share(sum.tile_rows)};
  facts.gather_f32 = {share(sum.gather_f32[0]), share(sum.gather_f32[1]), share(sum.gather_f32[2])};
  facts.gather_f64 = {share(sum.gather_f64[0]), share(sum.gather_f64[1]), share(sum.gather_f64[2])};
  return facts;
}

}  // namespace

std::int64_t column_sample(std::int64_t nnz, Detail detail) {
  const std::int64_t least = detail == Detail::all ? 1 << 14 : 1 << 13, most = 16 * least;
  return std::clamp(nnz / (detail == Detail::all ? 32 : 64), least, most);
}

template <class V>
ColumnFacts measure_columns(const CsrView<V>& A, std::int64_t sample) {
  const RowWindows windows(A, sample);
  Vector<Counts> counts(static_cast<std::size_t>(windows.count()));
  Vector<SliceDiagonals> diagonals(static_cast<std::size_t>((windows.count() + grain - 1) / grain));
  parallel_ranges(windows.count(), grain, [&](std::int64_t begin, std::int64_t end) {
    Looker looker(A);
    for (std::int64_t i = begin; i < end; ++i) {
      counts[i] = looker.look_at(windows[i]);
      diagonals[begin / grain].add(A, windows[i]);
    }
  });
  Counts sum;
  std::int64_t entries = 0;
  for (const Counts& part : counts) {
    add(sum, part, windows.all() || part.entries == 0 ? 1 : 1 / part.entries);
    entries += static_cast<std::int64_t>(part.entries);
  }
  ColumnFacts facts = facts_from(sum);
  facts.diagonals = summary(diagonals);
  facts.entries = entries;
  return facts;
}

template ColumnFacts measure_columns(const CsrView<float>&, std::int64_t);
template ColumnFacts measure_columns(const CsrView<double>&, std::int64_t);

}  // namespace heddle
