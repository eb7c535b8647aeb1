#include <bit>

#include "codec/slice_codes.hpp"
#include "core/dispatch.hpp"
#include "formats/weave/rows/rows.hpp"

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

template <class V, int U>
struct LaneSums {
  V sum[U] = {};
  unsigned present = 0;
};

// `count` steps from `step` on, all their loads under way before the first product is needed. Places without an entry
// hold 0 where values are numbers, and meet a 0 of x; a code of a table may stand for any value.
template <int count, Keep keep, int U, class V, class S, CodedAs as>
SIMT_DEVICE void add_steps(const RowsView<V, S>& A, const SliceColumns<as>& columns, Index step, const V* x,
                           LaneSums<V, U>& lane) {
  constexpr unsigned none = SliceColumns<as>::none;
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
template <int least, int most, Keep keep, int U, class V, class S, CodedAs as>
SIMT_DEVICE void add_exactly(Index count, const RowsView<V, S>& A, const SliceColumns<as>& columns, Index step,
                             const V* x, LaneSums<V, U>& lane) {
  if constexpr (most >= least) {
    if (count == most)
      add_steps<most, keep>(A, columns, step, x, lane);
    else
      add_exactly<least, most - 1, keep>(count, A, columns, step, x, lane);
  }
}

// batch: steps that are under way at once. Eight: then all of a slice that has a few more, where registers hold them.
template <int batch, CodedAs as, Keep keep, int U, class V, class S>
SIMT_DEVICE void add_slice(const RowsView<V, S>& A, const ColumnSlice& slice, const V* x, LaneSums<V, U>& lane) {
  const SliceColumns<as> columns{slice};
  x = simt::settled(x + columns.origin());  // where a parameter would be fetched anew for every load
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

// The rows whose sums this lane writes; -1: none.
template <int U, class V, class S>
SIMT_DEVICE void find_rows(const RowsView<V, S>& A, std::int64_t slice, Index (&row)[U]) {
  const bool writes = (simt::lane() & (A.lanes - 1)) == 0;
  const int teams = simt::warp_size >> A.lanes_log2;
  const std::int64_t first = slice * teams * U + (simt::lane() >> A.lanes_log2);
#pragma unroll
  for (int u = 0; u < U; ++u) {
    const std::int64_t i = first + u * teams;
    row[u] = -1;
    if (writes && i < A.rows) row[u] = A.row_of ? simt::cached_load(A.row_of + i) : static_cast<Index>(i);
  }
}

// A warp a slice; `lanes` of it share a row. bytes: some slices have columns in 8 bits. early: where sums go is asked
// for first; of sorted rows it would be one more wait at the end.
template <int batch, Keep keep, bool bytes, bool early, int U, class V, class S>
SIMT_DEVICE void multiply_slice(const RowsView<V, S>& A, const V* x, const Update<V>& update) {
  const std::int64_t s = simt::global_thread() >> simt::warp_size_log2;
  if (s >= A.slices) return;
  const ColumnSlice slice = A.slice[s];
  Index row[U];
  if constexpr (early) find_rows(A, s, row);
  LaneSums<V, U> lane;
  if (bytes && slice.wide == ColumnSlice::in_bytes)
    add_slice<batch, bytes ? CodedAs::bytes : CodedAs::wide, keep>(A, slice, x, lane);
  else if (slice.wide)
    add_slice<batch, CodedAs::wide, keep>(A, slice, x, lane);
  else if (slice.windows.only_first())
    add_slice<batch, CodedAs::one_window, keep>(A, slice, x, lane);
  else
    add_slice<batch, CodedAs::windows, keep>(A, slice, x, lane);
  for (int step = A.lanes / 2; step > 0; step /= 2) {
#pragma unroll
    for (int u = 0; u < U; ++u) lane.sum[u] += simt::shuffle_xor(lane.sum[u], step);
    lane.present |= simt::shuffle_xor(lane.present, step);
  }
  if constexpr (!early) find_rows(A, s, row);
#pragma unroll
  for (int u = 0; u < U; ++u)
    if (row[u] >= 0) update.row(row[u], lane.sum[u], (lane.present >> u & 1) != 0);
}

// What the loads of a batch need. With the 32 to 40 that the compiler keeps to by itself a batch of four steps waits
// five to seven times instead of twice: bands of 70,000 to 150,000 rows in float took 6.7 and 16.5 us where they
// take 4.8 and 10.5, and 13.5 and 24.3 instead of 9.4 and 16.4 cold; with 64 there are too few warps (5.6 and 12.1;
// H200).
template <class V, int U, Keep keep>
constexpr int registers = U == 1                                              ? 32
                          : U == 4 && sizeof(V) == 8                          ? 64
                          : U == 2 && sizeof(V) == 4 && keep == Keep::nothing ? 40
                                                                              : 48;

template <Keep keep, bool bytes, bool early, int U, class V, class S>
SIMT_KERNEL_WITH_REGISTERS((registers<V, U, keep>))
weave_rows_warp_per_slice(RowsView<V, S> A, const V* x, Update<V> update) {
  multiply_slice<U == 4 ? 2 : 4, keep, bytes, early, U>(A, x, update);
}

// The same where all slices are worked on at once: with registers for it the steps of a short row are all under way
// before the first product, where a warp would wait three times for seven of them.
constexpr int few_threads = 256, few_blocks = 4;

template <class V, class S>
SIMT_BOUNDED_KERNEL(few_threads, few_blocks)
weave_rows_few_slices(RowsView<V, S> A, const V* x, Update<V> update) {
  multiply_slice<RowsTeam::steps_at_once, Keep::matrix, false, true, 1>(A, x, update);
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
  if (A.keep && c.shape.rows == 1 && view.slices <= RowsTeam::few_slices && A.threads <= few_threads)
    return simt::launch(here, shape, weave_rows_few_slices<V, S>, view, p.x, p.update);
  const auto launch = [&](auto U, auto keep, auto bytes) {
    const auto with = [&](auto early) {
      simt::launch(here, shape, weave_rows_warp_per_slice<keep.value, bytes.value, early.value, U.value, V, S>, view,
                   p.x, p.update);
    };
    if constexpr (U.value > 1)
      if (view.row_of) return with(std::true_type{});
    with(std::false_type{});
  };
  using std::integral_constant;
  if (A.bytes)  // for matrices that no cache keeps
    return dispatch_int<2, 4>(c.shape.rows,
                              [&](auto U) { launch(U, integral_constant<Keep, Keep::nothing>{}, std::true_type{}); });
  dispatch_int<1, 2, 4>(c.shape.rows,
                        [&](auto U) { dispatch_keep(A.keep, [&](auto keep) { launch(U, keep, std::false_type{}); }); });
}

}  // namespace

template <class V>
void Rows<V>::multiply(simt::Here here, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) { start(here, *this, coded, p); });
}

template void Rows<float>::multiply(simt::Here, const Product<float>&) const;
template void Rows<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
