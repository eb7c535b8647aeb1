#include "core/dispatch.hpp"
#include "formats/weave/rows/rows.hpp"
#include "simt/csr/device_csr.hpp"

namespace heddle::weave {

namespace {

struct RowsTarget {
  std::int64_t slices;
  TeamShape shape;
  ColumnSlice* slice;
  const Index* row_of;
  std::uint16_t* codes;
};

// The U rows of a lane.
template <int U>
struct LaneRows {
  Offset begin[U], length[U];
};

template <int U>
SIMT_DEVICE LaneRows<U> rows_of_lane(const PatternArrays& A, const RowsTarget& to, std::int64_t s) {
  LaneRows<U> rows;
#pragma unroll
  for (int u = 0; u < U; ++u) {
    const std::int64_t i = s * to.shape.slice_rows() + simt::lane() / to.shape.lanes + u * to.shape.teams();
    const std::int64_t row = i < A.rows && to.row_of ? to.row_of[i] : i;
    rows.begin[u] = i < A.rows ? A.ptr[row] : 0;
    rows.length[u] = i < A.rows ? A.length(row) : 0;
  }
  return rows;
}

// A warp a slice. Every place of it is written, those without an entry too: nothing has to be cleared before.
template <int U, class V, class S>
SIMT_KERNEL store_rows_warp_per_slice(CsrArrays<V> A, RowsTarget to, SlicePlaces places, ValueWriter<V, S> values) {
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= to.slices) return;
  const ColumnSlice slice = places.placed(to.slice, s);
  const LaneRows<U> rows = rows_of_lane<U>(A, to, s);
#pragma unroll 2
  for (Index step = 0; step < slice.width; ++step) {
    const Offset k = std::int64_t{step} * to.shape.lanes + simt::lane() % to.shape.lanes;
    Index col[U];
    S stored[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const bool present = k < rows.length[u];
      col[u] = present ? simt::cached_load(A.col + rows.begin[u] + k) : -1;
      stored[u] = present ? values.encode(simt::cached_load(A.val + rows.begin[u] + k)) : S{};
    }
    store_lane_columns(slice, to.codes, step, col);
    store_pieces(values.at((slice.first + step) * simt::warp_size * U), stored);
  }
  store_behind_windows(slice, to.shape, to.codes);
}

}  // namespace

template <class V>
std::optional<Rows<V>> Rows<V>::build_there(simt::Here here, const MatrixThere<V>& A, const RowsSettings& settings,
                                            Device device) {
  const auto values_of = ask_value_store(here, A.values(), settings.codec, device);
  PlannedColumns planned =
      plan_columns(here, {A}, {settings.lanes, settings.per_lane}, settings.sort, device, settings.in_bytes());
  SlicedColumns& columns = planned.columns;
  const std::int64_t stored = columns.steps * columns.shape.step_slots();
  if (too_much_padding(stored, A.nnz())) return {};
  auto values = values_of(stored);
  if (!values) return {};
  columns.codes = Buffer<std::uint16_t>(planned.code_count, device);
  Rows to{A.rows,
          A.cols,
          settings.threads,
          settings.keep == Keep::matrix,
          settings.in_bytes(),
          std::move(columns),
          std::move(*values)};
  const RowsTarget target{to.columns.slices.size(), to.columns.shape, to.columns.slices.data(),
                          to.columns.row_of.data(), to.columns.codes.data()};
  constexpr int threads = 256;
  const simt::Launch launch{simt::blocks_for(target.slices * simt::warp_size, threads), threads};
  dispatch_int<1, 2, 4>(settings.per_lane, [&](auto U) {
    with_any_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      simt::launch(here, launch, store_rows_warp_per_slice<U.value, V, S>, CsrArrays<V>(A), target, planned.places,
                   writer);
    });
  });
  return to;
}

template std::optional<Rows<float>> Rows<float>::build_there(simt::Here, const MatrixThere<float>&, const RowsSettings&,
                                                             Device);
template std::optional<Rows<double>> Rows<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                               const RowsSettings&, Device);

}  // namespace heddle::weave
