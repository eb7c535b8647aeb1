
#include "codec/sliced_plan.hpp"
#include "core/dispatch.hpp"
#include "simt/primitives/sort.hpp"

namespace heddle {

namespace {

template <int B>
SIMT_KERNEL plan_group_per_slice(Planned<B> A, TeamShape shape, const Index* row_of, std::int64_t slices,
                                 ColumnSlice* to, SliceSum* sums) {
  plan_slice_of_group(A, shape, row_of, slices, to, sums);
}

// The column of this lane and row u of it in a step, or -1.
SIMT_DEVICE Index column_of_lane(const PatternArrays& A, const TeamShape& shape, const Index* row_of, std::int64_t s,
                                 int u, Index step) {
  const std::int64_t i = s * shape.slice_rows() + simt::lane() / shape.lanes + u * shape.teams();
  if (i >= A.rows) return -1;
  const std::int64_t row = row_of ? row_of[i] : i;
  const Offset k = std::int64_t{step} * shape.lanes + simt::lane() % shape.lanes;
  return k < A.length(row) ? A.col[A.ptr[row] + k] : -1;
}

// A warp a slice: whether 8 bits do.
template <int U>
SIMT_KERNEL find_bytes_warp_per_slice(PatternArrays A, TeamShape shape, const Index* row_of, std::int64_t slices,
                                      ColumnSlice* to) {
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= slices) return;
  const Index width = to[s].width;
  for (Index step = 0; step < width; ++step) {
    Index col[U];
#pragma unroll
    for (int u = 0; u < U; ++u) col[u] = column_of_lane(A, shape, row_of, s, u, step);
    ByteWindows windows;
    if (!find_step_windows(col, windows)) return;
  }
  simt::sync_warp();
  if (simt::lane() == 0) to[s].wide = ColumnSlice::in_bytes;
}

constexpr int sort_threads = 512, sort_window = 2 * sort_threads;

// The rows of a window by falling length, those of equal length in their order: by (INT32_MAX - length, row).
template <int B>
SIMT_KERNEL sort_block_per_window(Planned<B> A, Index* row_of) {
  auto* keys = simt::shared<std::uint64_t>();
  const std::int64_t first = simt::block() * sort_window;
  for (int i = simt::thread(); i < sort_window; i += sort_threads)
    keys[i] = first + i < A.rows ? static_cast<std::uint64_t>(INT32_MAX - A.length(first + i)) << 32 | unsigned(i)
                                 : UINT64_MAX;
  device::block_sort(keys);
  for (int i = simt::thread(); i < sort_window && first + i < A.rows; i += sort_threads)
    row_of[first + i] = static_cast<Index>(first + static_cast<std::int64_t>(keys[i] & 0xffffffffu));
}

struct SliceItems {
  using Sum = SliceSum;
  static constexpr bool placed_apart = true;
  TeamShape shape;
  ColumnSlice* slices;

  SIMT_DEVICE SliceSum item(std::int64_t s) const { return {slices[s].width, slices[s].code_count(shape)}; }
  SIMT_DEVICE void place(std::int64_t s, const SliceSum& before) const {
    slices[s].first = before.steps;
    slices[s].columns = before.codes;
  }
};

template <int B>
SliceSum plan_slices(simt::Here here, const PatternView& matrix, std::int64_t sort, Device device, bool bytes,
                     PlannedColumns& to) {
  SlicedColumns& c = to.columns;
  const Planned<B> A{PatternArrays(matrix)};
  if (sort > 1) {
    c.row_of = Buffer<Index>(c.rows, device);
    simt::launch(here, {simt::blocks_for(c.rows, sort_window), sort_threads, sort_window * sizeof(std::uint64_t)},
                 sort_block_per_window<B>, A, c.row_of.data());
  }
  const PlanLaunch shape(c.rows, c.shape);
  const std::int64_t slices = shape.slices, parts = shape.parts();
  c.slices = Buffer<ColumnSlice>(slices, device);
  const auto plan = [&](const simt::Launch& launch, SliceSum* sums) {
    simt::launch(here, launch, plan_group_per_slice<B>, A, c.shape, c.row_of.data(), slices, c.slices.data(), sums);
  };
  if (!bytes && shape.few()) {
    device::Answers<SliceSum> sums(parts, device);
    plan({parts, plan_threads, plan_threads * sizeof(SliceSum)}, sums.there());
    to.places.slices_of_part = shape.slices_of_part();
    return places_of_parts(sums.here(), to.places);
  }
  plan({parts, plan_threads}, nullptr);
  if (bytes)
    dispatch_int<1, 2, 4>(c.shape.rows, [&](auto U) {
      simt::launch(here, {simt::blocks_for(slices * simt::warp_size, plan_threads), plan_threads},
                   find_bytes_warp_per_slice<U.value>, PatternArrays(matrix), c.shape, c.row_of.data(), slices,
                   c.slices.data());
    });
  return device::scan(here, SliceItems{c.shape, c.slices.data()}, slices, device);
}

}  // namespace

PlannedColumns plan_columns(simt::Here here, const PlannedRows& rows, TeamShape shape, std::int64_t sort, Device device,
                            bool bytes) {
  PlannedColumns planned{{.shape = shape, .rows = rows.matrix.rows / rows.block}};
  dispatch_int<1, 2, 3, 4, 5>(rows.block, [&](auto B) {
    const SliceSum total = plan_slices<B.value>(here, rows.matrix, sort, device, bytes, planned);
    planned.columns.steps = total.steps;
    planned.code_count = total.codes;
  });
  return planned;
}

}  // namespace heddle
