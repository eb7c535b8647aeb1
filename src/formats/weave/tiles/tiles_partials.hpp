// Kernels that list the partial sums of each row of a matrix in tiles (of_row, row_start, long_rows). Partials lie tile
// by tile, and by row inside a tile:
//
//   count    they are listed, and each asks its row for a place among those of the row, in any order
//   scan     where rows begin; those with many partials
//   place    partials of a row next to each other, then in their order: few of them, each counts those before it
//   long     those of a row with many are looked up tile by tile: nobody has to sort them
//
// (Sorted by row, digit by digit, they were read and written three times, and every row looked for its first one.)
#pragma once

#include "formats/weave/tiles/tiles.hpp"
#include "simt/primitives/scan.hpp"

namespace heddle::weave {

// The first of `count` sorted keys that is `key` or more.
SIMT_DEVICE std::int64_t first_from(const std::uint32_t* sorted, std::int64_t count, std::uint64_t key) {
  std::int64_t low = 0, high = count;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

SIMT_DEVICE int sum_of_lower_lanes(int value) {
  int sum = value;
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    const int lower = simt::shuffle_up(sum, distance);
    if (simt::lane() >= distance) sum += lower;
  }
  return sum - value;
}

struct RowPartials {
  Index partials = 0, long_rows = 0;

  SIMT_BOTH void add(const RowPartials& other) {
    partials += other.partials;
    long_rows += other.long_rows;
  }
};
struct RowPartialItems {
  using Sum = RowPartials;
  const std::uint32_t* count;  // of each row, and of none behind the last one
  Index *row_start, *long_rows;

  SIMT_DEVICE RowPartials item(std::int64_t row) const {
    const auto partials = static_cast<Index>(count[row]);
    return {partials, partials > few_partials ? 1 : 0};
  }
  SIMT_DEVICE void place(std::int64_t row, const RowPartials& before) const {
    row_start[row] = before.partials;
    if (static_cast<Index>(count[row]) > few_partials) long_rows[before.long_rows] = static_cast<Index>(row);
  }
};

// The runs that end in each unit, and their rows from its first place on.
struct RunsOfUnits {
  const std::uint32_t* ended;
  const Index* row;
  std::int64_t units;
  int capacity;
};

// Where partials of all tiles lie, and the rows of them.
struct ListedPartials {
  const std::uint32_t* row;
  std::int64_t count;
  const Offset* of_tile;
  std::int64_t tiles;
};

namespace {  // kernels: compiled for two devices under one name

// The rows of runs, without the gaps between units. Runs of a unit are of different rows.
SIMT_KERNEL count_warp_per_unit(RunsOfUnits runs, const Index* rank, std::uint32_t* partial_row, std::uint32_t* seat,
                                std::uint32_t* count) {
  const std::int64_t unit = simt::global_thread() / simt::warp_size;
  if (unit >= runs.units) return;
  const auto ended = static_cast<int>(runs.ended[unit]);
  for (int i = simt::lane(); i < ended; i += simt::warp_size) {
    const auto row = static_cast<std::uint32_t>(runs.row[unit * runs.capacity + i]);
    const Index p = rank[unit] + i;
    partial_row[p] = row;
    seat[p] = simt::atomic_add(count + row, 1u);
  }
}

SIMT_KERNEL place_thread_per_partial(const std::uint32_t* partial_row, const std::uint32_t* seat, std::int64_t partials,
                                     const Index* row_start, Index* seated) {
  const std::int64_t p = simt::global_thread();
  if (p < partials) seated[row_start[partial_row[p]] + static_cast<Index>(seat[p])] = static_cast<Index>(p);
}

// Of few: behind those of the row that come before it.
SIMT_KERNEL order_thread_per_partial(const std::uint32_t* partial_row, std::int64_t partials, const Index* row_start,
                                     const Index* seated, Index* of_row) {
  simt::let_next_start();
  const std::int64_t p = simt::global_thread();
  if (p >= partials) return;
  const std::uint32_t row = partial_row[p];
  const Index begin = row_start[row], end = row_start[row + 1];
  if (end - begin > few_partials) return;
  Index before = 0;
#pragma unroll 4
  for (Index i = begin; i < end; ++i) before += seated[i] < p ? 1 : 0;
  of_row[begin + before] = static_cast<Index>(p);
}

// Beside the kernel that orders the others.
SIMT_KERNEL list_warp_per_long_row(const Index* found, std::int64_t count, ListedPartials from, const Index* row_start,
                                   Index* long_rows, Index* of_row) {
  const std::int64_t i = simt::global_thread() / simt::warp_size;
  if (i == 0) simt::wait_for_earlier();  // so that this grid ends behind it
  if (i >= count) return;
  const Index row = found[i];
  if (simt::lane() == 0) long_rows[i] = row;
  Index to = row_start[row];
  for (std::int64_t first = 0; first < from.tiles; first += simt::warp_size) {
    const std::int64_t t = first + simt::lane();
    std::int64_t begin = 0;
    int mine = 0;
    if (t < from.tiles) {
      const std::uint32_t* rows = from.row + from.of_tile[t];
      const std::int64_t all = from.of_tile[t + 1] - from.of_tile[t], at = first_from(rows, all, row);
      begin = from.of_tile[t] + at;
      mine = static_cast<int>(first_from(rows + at, all - at, std::uint64_t{static_cast<std::uint32_t>(row)} + 1));
    }
    const int before = sum_of_lower_lanes(mine), sum = simt::shuffle(before + mine, simt::warp_size - 1);
    for (unsigned left = simt::ballot(mine > 0); left != 0; left &= left - 1) {
      const int lane = simt::count_bits((left & (0u - left)) - 1);
      const auto its_begin = static_cast<Index>(simt::shuffle(begin, lane));
      const int its_count = simt::shuffle(mine, lane), its_place = simt::shuffle(before, lane);
      for (int k = simt::lane(); k < its_count; k += simt::warp_size) of_row[to + its_place + k] = its_begin + k;
    }
    to += sum;
  }
}

}  // namespace
}  // namespace heddle::weave
