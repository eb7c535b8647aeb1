// Long rows: a team of 32 to 1024 threads a row, four consecutive entries a thread and step. For dense rows, and for
// matrices of few rows with many entries, which have too few rows for a warp each.
//
//   L threads a row       row a   |a0 a1 a2 a3|a4 ..    |  ...  |    step 0: 4 L entries
//                                 |thread 0   |thread 1 |       |
//
//   entry k of row i:  step begin[i] + k / (4 L),  thread k / 4 % L,  place k % 4 of the thread
//   the 32 threads of a warp have their entries in pieces (layout/lane_pieces.hpp); a step is L / 32 warps
//
// Columns
//   each    in 16 bits when the matrix has at most 65,535, else in 32; all bits set: no entry
//   quads   the up to four entries of a thread are a run of consecutive columns: column << 3 | entries, 4 bytes a
//           thread. Runs are cut into fours, so the last thread of a run may have fewer; a row takes the more threads
//   runs    every row is one run: its first column and its length, nothing for an entry
//
// A team's sums meet in shared memory, always in the same order.
#pragma once

#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct LongShape {
  static constexpr int per_thread = 4, warp_entries = simt::warp_size * per_thread;

  std::int64_t rows = 0;
  int lanes = 32;  // L
  WeaveColumns columns = WeaveColumns::each;
  bool wide = false;  // each, in 32 bits

  static LongShape of(const PatternView& A, const WeaveSettings& settings) {
    const WeaveColumns columns = settings.column_codec();
    return {A.rows, settings.team, columns, columns == WeaveColumns::each && !are_narrow(A)};
  }
  static bool are_narrow(const PatternView& A) { return A.cols <= 65535; }
  SIMT_BOTH int warps() const { return lanes / simt::warp_size; }
  SIMT_BOTH std::int64_t step_entries() const { return std::int64_t{lanes} * per_thread; }
  SIMT_BOTH std::int64_t steps(std::int64_t length) const { return (length + step_entries() - 1) / step_entries(); }
  SIMT_BOTH std::int64_t steps_of_groups(std::int64_t groups) const { return (groups + lanes - 1) / lanes; }

  // Where place j of a thread is in an array of T. Threads are numbered through: step * L + thread of the team.
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
    return length == 0 || A.col[A.ptr[row + 1] - 1] - A.col[A.ptr[row]] == length - 1;
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

template <class V>
struct Long {
  std::int64_t cols = 0;
  LongShape shape;
  Buffer<Offset> begin;          // of each row in steps, and their number at the end
  Buffer<std::uint16_t> narrow;  // columns,
  Buffer<Index> wide;            // in one of the four
  Buffer<std::uint32_t> quads;
  Buffer<RowRun> runs;
  ValueStore<V> values;

  static Footprint footprint(const PatternView& A, const WeaveSettings& settings, int value_bytes);
  static Long build(const CsrView<V>& A, const WeaveSettings& settings);
  static std::optional<Long> build_there(simt::Emulator, const CsrView<V>& A, const WeaveSettings& settings, Device);
  static std::optional<Long> build_there(simt::Cuda, const CsrView<V>& A, const WeaveSettings& settings, Device);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.begin), f(self.narrow), f(self.wide), f(self.quads), f(self.runs);
    ValueStore<V>::each_array(self.values, f);
  }
  bool uses_scratch() const { return false; }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
};

// What stands where there is no entry.
template <class C>
inline constexpr C no_long_column = static_cast<C>(~C{0});

// What kernels read columns with. of_row(row) gives what load(thread, entry, col) is asked of: the columns of a thread,
// numbered through the matrix, whose first entry is `entry` of the row.
template <class C>
struct EachColumn {
  using Code = C;
  const C* data;

  SIMT_DEVICE EachColumn of_row(std::int64_t) const { return *this; }
  template <Keep keep>
  SIMT_DEVICE void load(std::int64_t warp, std::int64_t, C (&col)[LongShape::per_thread]) const {
    load_pieces<keep>(data + warp * LongShape::warp_entries, col);
  }
};

struct QuadColumns {
  using Code = Index;
  const std::uint32_t* data;

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
      for (int j = 0; j < LongShape::per_thread; ++j)
        col[j] = entry + j < run.entries ? run.column + static_cast<Index>(entry) + j : -1;
    }
  };
  const RowRun* data;

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
