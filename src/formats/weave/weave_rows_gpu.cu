#include "core/dispatch.hpp"
#include "formats/weave/weave_rows.hpp"

namespace heddle::weave {

namespace {

template <class V, class S>
struct RowsView {
  std::int64_t rows, slices;
  int lanes;
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

// `count` steps from `step` on, all their loads under way before the first product is needed.
template <int count, Index wide, Keep keep, int U, class V, class S>
SIMT_DEVICE void add_steps(const RowsView<V, S>& A, const ColumnSlice& slice, Index step, const V* x,
                           LaneSums<V, U>& lane) {
  Index col[count][U];
  S stored[count][U];
  V element[count][U];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if constexpr (wide == ColumnSlice::in_bytes)
      load_byte_columns<keep>(slice, A.codes, step + i, col[i]);
    else if constexpr (wide)
      load_wide_columns<keep>(slice, A.codes, step + i, col[i]);
    else
      load_columns<keep>(slice, A.codes, step + i, col[i]);
    load_pieces<keep>(A.values.at((slice.first + step + i) * simt::warp_size * U), stored[i]);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int u = 0; u < U; ++u) element[i][u] = col[i][u] >= 0 ? simt::cached_load(x + col[i][u]) : V(0);
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const V product = A.values.decode(stored[i][u]) * element[i][u];
      lane.sum[u] += col[i][u] >= 0 ? product : V(0);
      lane.present |= (col[i][u] >= 0 ? 1u : 0u) << u;
    }
}

// The steps that are left, `most` of them at most, all at once.
template <int most, Index wide, Keep keep, int U, class V, class S>
SIMT_DEVICE void add_rest(const RowsView<V, S>& A, const ColumnSlice& slice, Index step, const V* x,
                          LaneSums<V, U>& lane) {
  if constexpr (most > 0) {
    if (slice.width - step == most)
      add_steps<most, wide, keep>(A, slice, step, x, lane);
    else
      add_rest<most - 1, wide, keep>(A, slice, step, x, lane);
  }
}

// batch: steps that are under way at once.
template <int batch, Index wide, Keep keep, int U, class V, class S>
SIMT_DEVICE void add_slice(const RowsView<V, S>& A, const ColumnSlice& slice, const V* x, LaneSums<V, U>& lane) {
  Index step = 0;
  for (; step + batch <= slice.width; step += batch) add_steps<batch, wide, keep>(A, slice, step, x, lane);
  if constexpr (batch == RowsTeam::steps_at_once) {
    add_rest<batch - 1, wide, keep>(A, slice, step, x, lane);
  } else {
    if constexpr (batch > 2)
      if (step + 2 <= slice.width) add_steps<2, wide, keep>(A, slice, step, x, lane), step += 2;
    if (step < slice.width) add_steps<1, wide, keep>(A, slice, step, x, lane);
  }
}

// A warp a slice; `lanes` of it share a row. bytes: some slices have columns in 8 bits.
template <int batch, Keep keep, bool bytes, int U, class V, class S>
SIMT_DEVICE void multiply_slice(const RowsView<V, S>& A, const V* x, const Update<V>& update) {
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= A.slices) return;
  const ColumnSlice slice = A.slice[s];
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
  if (simt::lane() % A.lanes != 0) return;
  const int teams = simt::warp_size / A.lanes;
  const std::int64_t first = s * teams * U + simt::lane() / A.lanes;
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
  const RowsView<V, S> view{A.rows,         c.slices.size(), c.shape.lanes, c.slices.data(),
                            c.codes.data(), c.row_of.data(), values};
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
