#include "core/dispatch.hpp"
#include "formats/weave/rows/rows.hpp"
#include "layout/many.hpp"

namespace heddle::weave {

namespace {

template <class V, class S>
struct RowsOfMany {
  std::int64_t rows, slices;
  int lanes;
  const ColumnSlice* slice;
  const std::uint16_t* codes;
  const Index* row_of;
  CodedValues<V, S> values;
};

template <class V, int U, int K>
struct ManySums {
  V sum[U][K] = {};
  unsigned present = 0;
};

template <int U, int K, class V, class S>
SIMT_DEVICE void add_step(const RowsOfMany<V, S>& A, const ColumnSlice& slice, Index step, const VectorsView<V>& x,
                          int first, ManySums<V, U, K>& lane) {
  Index col[U];
  S stored[U];
  V element[U][K] = {};
  if (slice.wide == ColumnSlice::in_bytes)
    load_byte_columns<Keep::nothing>(slice, A.codes, step, col);
  else if (slice.wide)
    load_wide_columns<Keep::nothing>(slice, A.codes, step, col);
  else
    load_columns<Keep::nothing>(slice, A.codes, step, col);
  load_pieces<Keep::nothing>(A.values.at((slice.first + step) * simt::warp_size * U), stored);
#pragma unroll
  for (int u = 0; u < U; ++u)
    if (col[u] >= 0) load_elements(x, col[u], first, element[u]);
#pragma unroll
  for (int u = 0; u < U; ++u)
    if (col[u] >= 0) {
      const V value = A.values.decode(stored[u]);
#pragma unroll
      for (int j = 0; j < K; ++j) lane.sum[u][j] += value * element[u][j];
      lane.present |= 1u << u;
    }
}

// A warp a slice; `lanes` of it share a row.
template <int U, class V, class S>
SIMT_KERNEL weave_rows_many_warp_per_slice(RowsOfMany<V, S> A, VectorsView<V> x, UpdateMany<V> update) {
  constexpr int K = vectors_at_once<U>;
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= A.slices) return;
  const ColumnSlice slice = A.slice[s];
  const int teams = simt::warp_size / A.lanes;
  const std::int64_t top = s * teams * U + simt::lane() / A.lanes;
  for (int first = 0; first < x.count; first += K) {
    ManySums<V, U, K> lane;
#pragma unroll 2
    for (Index step = 0; step < slice.width; ++step) add_step(A, slice, step, x, first, lane);
#pragma unroll
    for (int u = 0; u < U; ++u) team_sums(lane.sum[u], A.lanes);
    for (int distance = A.lanes / 2; distance > 0; distance /= 2)
      lane.present |= simt::shuffle_xor(lane.present, distance);
    if (simt::lane() % A.lanes != 0) continue;
#pragma unroll
    for (int u = 0; u < U; ++u)
      if (top + u * teams < A.rows) {
        const std::int64_t i = top + u * teams;
        update_row(update, A.row_of ? simt::cached_load(A.row_of + i) : i, first, lane.sum[u],
                   (lane.present >> u & 1) != 0);
      }
  }
}

template <class V, class S>
void start(simt::Here here, const Rows<V>& A, const CodedValues<V, S>& values, const ProductMany<V>& p) {
  constexpr int threads = 256;  // up to 128 registers each: blocks of 1024 would not start
  const SlicedColumns& c = A.columns;
  const RowsOfMany<V, S> view{A.rows,         c.slices.size(), c.shape.lanes, c.slices.data(),
                              c.codes.data(), c.row_of.data(), values};
  const simt::Launch shape{simt::blocks_for(view.slices * simt::warp_size, threads), threads, 0, p.stream};
  dispatch_int<1, 2, 4>(c.shape.rows, [&](auto U) {
    simt::launch(here, shape, weave_rows_many_warp_per_slice<U.value, V, S>, view, p.x, p.update);
  });
}

}  // namespace

template <class V>
bool Rows<V>::multiply_many(simt::Here here, const ProductMany<V>& p) const {
  values.visit_all([&](const auto& coded) { start(here, *this, coded, p); });
  return true;
}

template bool Rows<float>::multiply_many(simt::Here, const ProductMany<float>&) const;
template bool Rows<double>::multiply_many(simt::Here, const ProductMany<double>&) const;

}  // namespace heddle::weave
