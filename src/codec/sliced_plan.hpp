// How kernels find out what the slices of a matrix take: their widths and windows of columns.
#pragma once

#include "codec/sliced_columns.hpp"
#include "simt/csr/device_csr.hpp"
#include "simt/primitives/scan.hpp"

namespace heddle {

namespace {  // compiled for two devices under one name

constexpr int plan_threads = device::scan_threads, most_rows_of_lane = 4;

// The rows that are planned. Of full blocks, each by its first row, whose columns come B together: the first of them
// stands for the block.
template <int B>
struct Planned {
  PatternArrays A;
  std::int64_t rows;

  SIMT_BOTH explicit Planned(const PatternArrays& matrix) : A(matrix), rows(matrix.rows / B) {}

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
SIMT_DEVICE void plan_slice_of_group(const Planned<B>& A, TeamShape shape, const Index* row_of, std::int64_t slices,
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

// What comes before each part, of a few; and all of them.
inline SliceSum places_of_parts(std::span<const SliceSum> sums, SlicePlaces& to) {
  SliceSum total;
  for (std::size_t part = 0; part < sums.size(); ++part) {
    to.before[part] = total;
    total.add(sums[part]);
  }
  return total;
}

// Threads, and blocks of them, that plan so many slices: a part each.
struct PlanLaunch {
  std::int64_t slices;
  int group;

  PlanLaunch(std::int64_t rows, TeamShape shape)
      : slices(simt::blocks_for(rows, shape.slice_rows())), group(std::min(simt::warp_size, shape.slice_rows())) {}
  std::int64_t parts() const { return simt::blocks_for(slices * group, plan_threads); }
  bool few() const { return parts() <= SlicePlaces::most_parts; }
  int slices_of_part() const { return plan_threads / group; }
};

}  // namespace

}  // namespace heddle
