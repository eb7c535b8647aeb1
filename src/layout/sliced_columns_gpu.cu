#include "layout/sliced_columns.hpp"

#include <algorithm>

#include "core/dispatch.hpp"
#include "layout/device_csr.hpp"
#include "layout/device_scan.hpp"
#include "layout/device_sort.hpp"

namespace heddle {

namespace {

constexpr int plan_threads = device::scan_threads, most_rows_of_lane = 4;

// The rows that are planned. Of full blocks, each by its first row, whose columns come B together: the first of them
// stands for the block.
template <int B>
struct Planned {
  PatternArrays A;
  std::int64_t rows;

  explicit Planned(const PatternView& matrix) : A(matrix), rows(matrix.rows / B) {}

  SIMT_DEVICE Offset begin(std::int64_t row) const { return A.ptr[row * B]; }
  SIMT_DEVICE Offset end(std::int64_t row) const { return A.ptr[row * B + 1]; }
  SIMT_DEVICE Offset length(std::int64_t row) const { return A.length(row * B) / B; }
  SIMT_DEVICE std::int64_t column(Offset k) const { return A.col[k] / B; }
  SIMT_DEVICE Offset entry_from(std::int64_t column, Offset begin, Offset end) const {
    return A.entry_from(column * B, begin, end);
  }
};

// The smallest of what a group of neighbouring lanes has; a power of two of them.
SIMT_DEVICE std::int64_t group_min(std::int64_t value, int group) {
  for (int step = group / 2; step > 0; step /= 2) {
    const std::int64_t other = simt::shuffle_xor(value, step);
    value = other < value ? other : value;
  }
  return value;
}
SIMT_DEVICE std::int64_t group_max(std::int64_t value, int group) { return -group_min(-value, group); }

// The rows of a slice that one lane looks at: from begin[j] on, what no window covers yet.
struct LaneRows {
  int count = 0;
  Offset begin[most_rows_of_lane], end[most_rows_of_lane];
};

// The first entry of a row, or what is left of it, that windows do not cover yet. Mostly that is its first one, or
// none: a search takes a load after another.
template <int B>
SIMT_DEVICE Offset first_behind(const Planned<B>& A, std::int64_t covered, Offset begin, Offset end) {
  if (begin >= end) return end;
  const std::int64_t first = A.column(begin), last = A.column(end - 1);
  if (first >= covered) return begin;
  return last < covered ? end : A.entry_from(covered, begin, end);
}

// Columns ascend inside a row: its first one behind the windows so far is found by halving, and its last one says
// whether the last window reaches far enough.
template <int B>
SIMT_DEVICE bool find_windows(const Planned<B>& A, LaneRows& rows, int group, ColumnWindows& found) {
  std::int64_t covered = 0;
  for (int w = 0; w < ColumnWindows::windows; ++w) {
    std::int64_t lowest = INT64_MAX;
    for (int j = 0; j < rows.count; ++j) {
      rows.begin[j] = first_behind(A, covered, rows.begin[j], rows.end[j]);
      if (rows.begin[j] < rows.end[j] && A.column(rows.begin[j]) < lowest) lowest = A.column(rows.begin[j]);
    }
    lowest = group_min(lowest, group);
    found.base[w] = lowest == INT64_MAX ? 0 : static_cast<Index>(lowest);
    if (lowest != INT64_MAX) covered = WindowFinder::end_of(w, lowest);
  }
  std::int64_t last = -1;
  for (int j = 0; j < rows.count; ++j)
    if (rows.begin[j] < rows.end[j] && A.column(rows.end[j] - 1) > last) last = A.column(rows.end[j] - 1);
  return group_max(last, group) < covered;
}

// Slices of fewer than 32 rows share a warp, a lane to a row. sums: those of a block of threads, a part, begin at 0,
// and what they take goes there; null: they have no places yet.
template <int B>
SIMT_KERNEL plan_group_per_slice(Planned<B> A, TeamShape shape, const Index* row_of, std::int64_t slices,
                                 ColumnSlice* to, SliceSum* sums) {
  const int group = shape.slice_rows() < simt::warp_size ? shape.slice_rows() : simt::warp_size;
  const std::int64_t s = simt::global_thread() / group;
  LaneRows rows;
  Offset longest = 0;
  for (int p = simt::lane() % group; p < shape.slice_rows(); p += group) {
    const std::int64_t i = s * shape.slice_rows() + p;
    if (s >= slices || i >= A.rows) continue;
    const std::int64_t row = row_of ? row_of[i] : i;
    rows.begin[rows.count] = A.begin(row);
    rows.end[rows.count++] = A.end(row);
    longest = A.length(row) > longest ? A.length(row) : longest;
  }
  longest = group_max(longest, group);
  ColumnSlice slice;
  slice.width = static_cast<Index>((longest + shape.lanes - 1) / shape.lanes);
  slice.wide = !find_windows(A, rows, group, slice.windows);
  const bool leads = s < slices && simt::lane() % group == 0;
  if (sums != nullptr) {
    const SliceSum own = leads ? SliceSum{slice.width, slice.code_count(shape)} : SliceSum{};
    SliceSum total;
    const SliceSum before = device::block_scan(own, simt::shared<SliceSum>(), total);
    slice.first = before.steps;
    slice.columns = before.codes;
    if (simt::thread() == 0) sums[simt::block()] = total;
  }
  if (leads) to[s] = slice;
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

// What comes before each part, of a few; and all of them.
SliceSum places_of_parts(std::span<const SliceSum> sums, SlicePlaces& to) {
  SliceSum total;
  for (std::size_t part = 0; part < sums.size(); ++part) {
    to.before[part] = total;
    total.add(sums[part]);
  }
  return total;
}

template <int B>
SliceSum plan_slices(simt::Here here, const PatternView& matrix, std::int64_t sort, Device device, bool bytes,
                     PlannedColumns& to) {
  SlicedColumns& c = to.columns;
  const Planned<B> A(matrix);
  if (sort > 1) {
    c.row_of = Buffer<Index>(c.rows, device);
    simt::launch(here, {simt::blocks_for(c.rows, sort_window), sort_threads, sort_window * sizeof(std::uint64_t)},
                 sort_block_per_window<B>, A, c.row_of.data());
  }
  const std::int64_t slices = simt::blocks_for(c.rows, c.shape.slice_rows());
  const int group = std::min(simt::warp_size, c.shape.slice_rows());
  c.slices = Buffer<ColumnSlice>(slices, device);
  const auto plan = [&](const simt::Launch& launch, SliceSum* sums) {
    simt::launch(here, launch, plan_group_per_slice<B>, A, c.shape, c.row_of.data(), slices, c.slices.data(), sums);
  };
  const std::int64_t parts = simt::blocks_for(slices * group, plan_threads);
  if (!bytes && parts <= SlicePlaces::most_parts) {
    device::Answers<SliceSum> sums(parts, device);
    plan({parts, plan_threads, plan_threads * sizeof(SliceSum)}, sums.there());
    to.places.slices_of_part = plan_threads / group;
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
  dispatch_int<1, 2, 3, 4>(rows.block, [&](auto B) {
    const SliceSum total = plan_slices<B.value>(here, rows.matrix, sort, device, bytes, planned);
    planned.columns.steps = total.steps;
    planned.code_count = total.codes;
  });
  return planned;
}

}  // namespace heddle
