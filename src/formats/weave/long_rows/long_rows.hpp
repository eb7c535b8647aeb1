// Long rows: a team of 32 to 1024 threads a row, four entries a thread and step. For dense rows, and for matrices of
// few rows with many entries, which have too few rows for a warp each.
//
//   L threads a row     |a0 a1 .. a31|a32 .. a63|a64 .. a95|a96 .. a127|  warp 0 of step 0; a step: L / 32 warps
//                       |place 0     |place 1   |place 2   |place 3    |  of the lanes 0 .. 31
//
//   entry k of row i:   warp k / 128 of the row, lane k % 32, place k / 32 % 4       step begin[i] + k / (4 L)
//   the 32 threads of a warp have their four entries in pieces (codec/lane_pieces.hpp), so one load brings a lane all
//   of them, and still 32 neighbours of the row fetch x together
//
// Columns
//   each    in 16 bits when the matrix has at most 65,535, else in 32; all bits set: no entry
//   quads   the up to four entries of a thread are neighbours, a run of consecutive columns: column << 3 | entries,
//           4 bytes a thread. Runs are cut into fours, so the last thread of a run may have fewer; a row takes the more
//           threads
//   runs    every row is one run: its first column and its length, nothing for an entry
//
// A team's sums meet in shared memory, always in the same order. Very few and very long rows have a cluster of `groups`
// blocks each, every one with each groups-th step, whose sums meet in the shared memory of the first: for the pieces of
// a row in global memory blocks would wait two more times (lp_fit2d, 25 rows: 5.8 instead of 7.6 us cold; H200).
#pragma once

#include <bit>

#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct LongSettings {
  ValueCodec codec = ValueCodec::raw;
  Open<int> team, groups;  // threads of a row; blocks of the GPU that share one
  Open<WeaveColumns> columns;

  template <class F>
  void each(F f) {
    f("team", team), f("columns", columns), f("groups", groups);
  }
};

struct LongShape {
  static constexpr int per_thread = 4, warp_entries = simt::warp_size * per_thread;
  static constexpr int shared_team = 256, most_shared_blocks = 528;  // threads and number of blocks that share rows

  std::int64_t rows = 0;
  int lanes = 32;      // L
  int lanes_log2 = 5;  // kernels shift by it: to divide by L takes them as long as to wait for a load
  int groups = 1;      // blocks of a row
  WeaveColumns columns = WeaveColumns::each;
  bool wide = false;  // each, in 32 bits

  static LongShape of(const PatternView& A, const LongSettings& settings) {
    const WeaveColumns columns = settings.columns.value_or(WeaveColumns::each);
    return {.rows = A.rows,
            .lanes = settings.team,
            .lanes_log2 = std::countr_zero(static_cast<unsigned>(settings.team)),
            .groups = settings.team > simt::warp_size ? most_groups(settings.groups) : 1,
            .columns = columns,
            .wide = columns == WeaveColumns::each && !are_narrow(A)};
  }
  static bool are_narrow(const MatrixShape& A) { return A.cols <= 65535; }
  // What a cluster can have, up to `wanted`.
  static int most_groups(int wanted) { return wanted >= 8 ? 8 : wanted >= 4 ? 4 : wanted >= 2 ? 2 : 1; }
  SIMT_BOTH int warps() const { return lanes / simt::warp_size; }
  SIMT_BOTH std::int64_t step_entries() const { return std::int64_t{lanes} * per_thread; }
  SIMT_BOTH std::int64_t steps(std::int64_t length) const { return (length + step_entries() - 1) / step_entries(); }
  SIMT_BOTH std::int64_t steps_of_quads(std::int64_t quads) const { return (quads + lanes - 1) / lanes; }

  // Of entry k of a row, unless it is cut into quads. Threads are numbered through: step * L + thread of the team.
  SIMT_BOTH static std::int64_t thread_of(std::int64_t k) {
    return k / warp_entries * simt::warp_size + k % simt::warp_size;
  }
  SIMT_BOTH static int place_of(std::int64_t k) { return static_cast<int>(k / simt::warp_size % per_thread); }
  // The first entry of a thread; the others are 32 apart.
  SIMT_BOTH static std::int64_t first_entry(std::int64_t thread) {
    return thread / simt::warp_size * warp_entries + thread % simt::warp_size;
  }
  // Where place j of a thread is in an array of T.
  template <class T>
  SIMT_BOTH static std::int64_t place(std::int64_t thread, int j) {
    return thread / simt::warp_size * warp_entries +
           place_in_pieces<T, per_thread>(static_cast<int>(thread % simt::warp_size), j);
  }
};

// Of `quads`.
struct Quad {
  static constexpr std::int64_t most_columns = 1 << 29;

  SIMT_BOTH static std::uint32_t of(Index column, int entries) {
    return static_cast<std::uint32_t>(column) << 3 | static_cast<std::uint32_t>(entries);
  }
  SIMT_BOTH static Index column(std::uint32_t quad) { return static_cast<Index>(quad >> 3); }
  SIMT_BOTH static int entries(std::uint32_t quad) { return static_cast<int>(quad & 7u); }
};

// Of `runs`.
struct RowRun {
  Index column, entries;

  template <class Pattern>
  SIMT_BOTH static bool is_one(const Pattern& A, std::int64_t row) {
    const Offset length = A.length(row);
    return length == 0 || std::int64_t{A.col[A.ptr[row + 1] - 1]} - A.col[A.ptr[row]] == length - 1;
  }
  template <class Pattern>
  SIMT_BOTH static RowRun of(const Pattern& A, std::int64_t row) {
    return {A.length(row) > 0 ? A.col[A.ptr[row]] : 0, static_cast<Index>(A.length(row))};
  }
};

// f(thread of the row, first entry, entries) for the columns of a row cut into quads. Gives their number.
template <class F>
std::int64_t each_quad(std::span<const Index> col, F f) {
  const auto length = static_cast<std::int64_t>(col.size());
  std::int64_t number = 0;
  for (std::int64_t first = 0, count = 0; first < length; first += count) {
    const auto* from = col.data() + first;
    count = 1;
    while (count < LongShape::per_thread && first + count < length && from[count] == from[0] + count) ++count;
    f(number++, first, static_cast<int>(count));
  }
  return number;
}
// Steps of teams over all rows that are cut into quads.
std::int64_t quad_steps(const PatternView& A, const LongShape& shape);
bool rows_are_runs(const PatternView& A);

// What settling has found out already about rows that are not cut into quads.
struct LongRowsKnown {
  std::int64_t steps;  // of teams over all rows
  bool runs;           // no row has gaps
};

template <class V>
struct Long {
  using Settings = LongSettings;

  std::int64_t cols = 0;
  LongShape shape;
  Buffer<Offset> begin;          // of each row in steps, and their number at the end
  Buffer<std::uint16_t> narrow;  // columns,
  Buffer<Index> wide;            // in one of the four
  Buffer<std::uint32_t> quads;
  Buffer<RowRun> runs;
  ValueStore<V> values;

  static Footprint footprint(const PatternView& A, const LongSettings& settings, int value_bytes);
  static Long build(const CsrView<V>& A, const LongSettings& settings);
  using Found = std::optional<LongRowsKnown>;  // of this matrix and these settings; none: nobody has asked
  static std::optional<Long> build_there(simt::Emulator, const MatrixThere<V>& A, const LongSettings& settings, Device,
                                         const Found& known = {});
  static std::optional<Long> build_there(simt::Cuda, const MatrixThere<V>& A, const LongSettings& settings, Device,
                                         const Found& known = {});
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.begin), f(self.narrow), f(self.wide), f(self.quads), f(self.runs);
    ValueStore<V>::each_array(self.values, f);
  }
  bool uses_scratch() const { return false; }
  // Places for entries, where they have columns.
  std::int64_t coded_places() const { return narrow.size() + wide.size() + quads.size() * LongShape::per_thread; }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
};

// What stands where there is no entry.
template <class C>
inline constexpr C no_long_column = static_cast<C>(~C{0});

// What kernels read columns with, so many codes for so many places of entries. of_row(row) gives what load(warp, entry,
// col) is asked of: the columns of a lane of the warp, numbered through the matrix, whose first entry is `entry` of the
// row.
template <class C>
struct EachColumn {
  using Code = C;
  const C* data;

  SIMT_BOTH static std::int64_t codes(std::int64_t entries) { return entries; }
  SIMT_DEVICE EachColumn of_row(std::int64_t) const { return *this; }
  template <Keep keep>
  SIMT_DEVICE void load(std::int64_t warp, std::int64_t, C (&col)[LongShape::per_thread]) const {
    load_pieces<keep>(data + warp * LongShape::warp_entries, col);
  }
};

struct QuadColumns {
  using Code = Index;
  const std::uint32_t* data;

  SIMT_BOTH static std::int64_t codes(std::int64_t entries) { return entries / LongShape::per_thread; }
  SIMT_DEVICE QuadColumns of_row(std::int64_t) const { return *this; }
  template <Keep keep>
  SIMT_DEVICE void load(std::int64_t warp, std::int64_t, Index (&col)[LongShape::per_thread]) const {
    std::uint32_t quad[1];
    load_pieces<keep>(data + warp * simt::warp_size, quad);
#pragma unroll
    for (int j = 0; j < LongShape::per_thread; ++j)
      col[j] = j < Quad::entries(quad[0]) ? Quad::column(quad[0]) + j : -1;
  }
};

struct RunColumns {
  using Code = Index;
  struct OfRow {
    using Code = Index;
    RowRun run;

    template <Keep keep>
    SIMT_DEVICE void load(std::int64_t, std::int64_t entry, Index (&col)[LongShape::per_thread]) const {
#pragma unroll
      for (int j = 0; j < LongShape::per_thread; ++j) {
        const auto k = static_cast<Index>(entry) + j * simt::warp_size;
        col[j] = k < run.entries ? run.column + k : -1;
      }
    }
  };
  const RowRun* data;

  SIMT_BOTH static std::int64_t codes(std::int64_t) { return 0; }
  SIMT_DEVICE OfRow of_row(std::int64_t row) const {
    return {{simt::cached_load(&data[row].column), simt::cached_load(&data[row].entries)}};
  }
};

// f(columns) for those in use.
template <class V, class F>
void with_columns(const Long<V>& A, F f) {
  if (A.shape.columns == WeaveColumns::quads)
    f(QuadColumns{A.quads.data()});
  else if (A.shape.columns == WeaveColumns::runs)
    f(RunColumns{A.runs.data()});
  else if (A.shape.wide)
    f(EachColumn<Index>{A.wide.data()});
  else
    f(EachColumn<std::uint16_t>{A.narrow.data()});
}

}  // namespace heddle::weave
