#include <bit>

#include "core/dispatch.hpp"
#include "formats/weave/weave_rows.hpp"

namespace heddle::weave {

namespace {

template <class V, class S>
struct RowsView {
  std::int64_t rows, slices;
  int lanes, lanes_log2;
  const ColumnSlice* slice;
  const std::uint16_t* codes;
  const Index* row_of;
  CodedValues<V, S> values;
};

// How a slice has its columns: codes of a step, in 32 bits each, and the columns they stand for.
template <Index wide>
struct SliceColumns {
  static constexpr auto none = static_cast<unsigned>(-1);
  const ColumnSlice& slice;

  SIMT_DEVICE unsigned column(unsigned code) const { return code; }
  template <Keep keep, int U>
  SIMT_DEVICE void load(const std::uint16_t* codes, Index step, unsigned (&code)[U]) const {
    Index col[U];
    if constexpr (wide == ColumnSlice::in_bytes)
      load_byte_columns<keep>(slice, codes, step, col);
    else
      load_wide_columns<keep>(slice, codes, step, col);
#pragma unroll
    for (int u = 0; u < U; ++u) code[u] = static_cast<unsigned>(col[u]);
  }
};

template <>
struct SliceColumns<0> {
  static constexpr unsigned none = ColumnWindows::none;
  const ColumnSlice& slice;
  ShiftedWindows windows{slice.windows};

  SIMT_DEVICE unsigned column(unsigned code) const { return windows.column(code); }
  template <Keep keep, int U>
  SIMT_DEVICE void load(const std::uint16_t* codes, Index step, unsigned (&code)[U]) const {
    std::uint16_t loaded[U];
    load_pieces<keep>(codes + slice.columns + std::int64_t{step} * simt::warp_size * U, loaded);
#pragma unroll
    for (int u = 0; u < U; ++u) code[u] = simt::widened(loaded[u]);
  }
};

template <class V, int U>
struct LaneSums {
  V sum[U] = {};
  unsigned present = 0;
};

// `count` steps from `step` on, all their loads under way before the first product is needed. Places without an entry
// hold 0 where values are numbers, and meet a 0 of x; a code of a table may stand for any value.
template <int count, Keep keep, int U, class V, class S, Index wide>
SIMT_DEVICE void add_steps(const RowsView<V, S>& A, const SliceColumns<wide>& columns, Index step, const V* x,
                           LaneSums<V, U>& lane) {
  constexpr unsigned none = SliceColumns<wide>::none;
  unsigned code[count][U];
  S stored[count][U];
  V element[count][U];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    columns.template load<keep>(A.codes, step + i, code[i]);
    load_pieces<keep>(A.values.at((columns.slice.first + step + i) * simt::warp_size * U), stored[i]);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int u = 0; u < U; ++u)
      element[i][u] = code[i][u] != none ? simt::cached_load(x + columns.column(code[i][u])) : V(0);
#pragma unroll
  for (int u = 0; u < U; ++u) {
    unsigned all = none;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const V product = A.values.decode(stored[i][u]) * element[i][u];
      lane.sum[u] += std::is_floating_point_v<S> || code[i][u] != none ? product : V(0);
      all &= code[i][u];
    }
    lane.present |= (all != none ? 1u : 0u) << u;
  }
}

// `count` steps from `step` on, which are from `least` to `most`, all at once.
template <int least, int most, Keep keep, int U, class V, class S, Index wide>
SIMT_DEVICE void add_exactly(Index count, const RowsView<V, S>& A, const SliceColumns<wide>& columns, Index step,
                             const V* x, LaneSums<V, U>& lane) {
  if constexpr (most >= least) {
    if (count == most)
      add_steps<most, keep>(A, columns, step, x, lane);
    else
      add_exactly<least, most - 1, keep>(count, A, columns, step, x, lane);
  }
}

// batch: steps that are under way at once. Eight: then all of a slice that has a few more, where registers hold them.
template <int batch, Index wide, Keep keep, int U, class V, class S>
SIMT_DEVICE void add_slice(const RowsView<V, S>& A, const ColumnSlice& slice, const V* x, LaneSums<V, U>& lane) {
  const SliceColumns<wide> columns{slice};
  Index step = 0;
  if constexpr (batch == RowsTeam::steps_at_once && RowsTeam::most_at_once < V >> batch) {
    constexpr int most = RowsTeam::most_at_once<V>;
    if (slice.width > batch && slice.width <= most)
      return add_exactly<batch + 1, most, keep>(slice.width, A, columns, 0, x, lane);
  }
  for (; step + batch <= slice.width; step += batch) add_steps<batch, keep>(A, columns, step, x, lane);
  if constexpr (batch == RowsTeam::steps_at_once) {
    add_exactly<1, batch - 1, keep>(slice.width - step, A, columns, step, x, lane);
  } else {
    if constexpr (batch > 2)
      if (step + 2 <= slice.width) add_steps<2, keep>(A, columns, step, x, lane), step += 2;
    if (step < slice.width) add_steps<1, keep>(A, columns, step, x, lane);
  }
}

// A warp a slice; `lanes` of it share a row. bytes: some slices have columns in 8 bits.
template <int batch, Keep keep, bool bytes, int U, class V, class S>
SIMT_DEVICE void multiply_slice(const RowsView<V, S>& A, const V* x, const Update<V>& update) {
  const std::int64_t s = simt::global_thread() >> simt::warp_size_log2;
  if (s >= A.slices) return;
  const ColumnSlice slice = A.slice[s];
  x = simt::settled(x + (slice.width >> 31));  // + 0, but a parameter would be fetched anew for every load
  LaneSums<V, U> lane;
  if (bytes && slice.wide == ColumnSlice::in_bytes)
    add_slice<batch, bytes ? ColumnSlice::in_bytes : 0, keep>(A, slice, x, lane);
  else if (slice.wide)
    add_slice<batch, 1, keep>(A, slice, x, lane);
  else
    add_slice<batch, 0, keep>(A, slice, x, lane);
  for (int step = A.lanes / 2; step > 0; step /= 2) {
#pragma unroll
    for (int u = 0; u < U; ++u) lane.sum[u] += simt::shuffle_xor(lane.sum[u], step);
    lane.present |= simt::shuffle_xor(lane.present, step);
  }
  if ((simt::lane() & (A.lanes - 1)) != 0) return;
  const int teams = simt::warp_size >> A.lanes_log2;
  const std::int64_t first = s * teams * U + (simt::lane() >> A.lanes_log2);
#pragma unroll
  for (int u = 0; u < U; ++u)
    if (first + u * teams < A.rows) {
      const std::int64_t i = first + u * teams;
      update.row(A.row_of ? simt::cached_load(A.row_of + i) : i, lane.sum[u], (lane.present >> u & 1) != 0);
    }
}

template <Keep keep, bool bytes, int U, class V, class S>
SIMT_KERNEL weave_rows_warp_per_slice(RowsView<V, S> A, const V* x, Update<V> update) {
  multiply_slice<U == 4 ? 2 : 4, keep, bytes, U>(A, x, update);
}

// The same where all slices are worked on at once: with registers for it the steps of a short row are all under way
// before the first product, where a warp would wait three times for seven of them.
constexpr int few_threads = 256, few_blocks = 4;

template <class V, class S>
SIMT_BOUNDED_KERNEL(few_threads, few_blocks)
weave_rows_few_slices(RowsView<V, S> A, const V* x, Update<V> update) {
  multiply_slice<RowsTeam::steps_at_once, Keep::matrix, false, 1>(A, x, update);
}

template <class V, class S>
void start(simt::Here here, const Rows<V>& A, const CodedValues<V, S>& values, const Product<V>& p) {
  const SlicedColumns& c = A.columns;
  const RowsView<V, S> view{.rows = A.rows,
                            .slices = c.slices.size(),
                            .lanes = c.shape.lanes,
                            .lanes_log2 = std::countr_zero(static_cast<unsigned>(c.shape.lanes)),
                            .slice = c.slices.data(),
                            .codes = c.codes.data(),
                            .row_of = c.row_of.data(),
                            .values = values};
  const simt::Launch shape{simt::blocks_for(view.slices * simt::warp_size, A.threads), A.threads, 0, p.stream};
  if (A.bytes)  // for matrices that no cache keeps
    return dispatch_int<2, 4>(c.shape.rows, [&](auto U) {
      simt::launch(here, shape, weave_rows_warp_per_slice<Keep::nothing, true, U.value, V, S>, view, p.x, p.update);
    });
  if (A.keep && c.shape.rows == 1 && view.slices <= RowsTeam::few_slices && A.threads <= few_threads)
    return simt::launch(here, shape, weave_rows_few_slices<V, S>, view, p.x, p.update);
  dispatch_int<1, 2, 4>(c.shape.rows, [&](auto U) {
    dispatch_keep(A.keep, [&](auto keep) {
      simt::launch(here, shape, weave_rows_warp_per_slice<keep.value, false, U.value, V, S>, view, p.x, p.update);
    });
  });
}

}  // namespace

template <class V>
void Rows<V>::multiply(simt::Here here, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) { start(here, *this, coded, p); });
}

template void Rows<float>::multiply(simt::Here, const Product<float>&) const;
template void Rows<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
