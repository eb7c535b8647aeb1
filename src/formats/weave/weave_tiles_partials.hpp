// Kernels that list the partial sums of each row of a matrix in tiles (of_row, row_start, long_rows). Partials lie tile
// by tile, and by row inside a tile:
//
//   count    each asks its row for a place among those of the row, in any order
//   scan     where rows begin; those with many partials
//   place    partials of a row next to each other, then in their order
//   long     those of a row with many are looked up tile by tile: nobody has to sort them
//
// (Sorted by row, digit by digit, they were read and written three times, and every row looked for its first one.)
#pragma once

#include "formats/weave/weave_tiles.hpp"
#include "layout/device_scan.hpp"

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

// Where partials of all tiles lie, and the rows of them.
struct ListedPartials {
  const std::uint32_t* row;
  std::int64_t count;
  const Offset* of_tile;
  std::int64_t tiles;
};

namespace {  // kernels: compiled for two devices under one name

SIMT_KERNEL clear_counts(std::uint32_t* count, std::int64_t rows) {
  if (simt::global_thread() < rows) count[simt::global_thread()] = 0;
}

// The first lane of neighbours of one row asks for all of them.
SIMT_KERNEL count_thread_per_partial(const std::uint32_t* partial_row, std::int64_t partials, std::uint32_t* count,
                                     std::uint32_t* seat) {
  const std::int64_t p = simt::global_thread();
  const bool there = p < partials;
  const std::uint32_t row = there ? partial_row[p] : 0;
  const std::uint32_t before = simt::shuffle_up(row, 1);
  const bool leads = there && (simt::lane() == 0 || before != row);
  const unsigned leaders = simt::ballot(leads), all = simt::ballot(there);
  const unsigned upto_mine = leaders & (simt::full_warp >> (simt::warp_size - 1 - simt::lane()));
  const int first = there ? simt::warp_size - 1 - simt::leading_zeros(upto_mine) : 0;
  std::uint32_t seats = 0;
  if (leads) {
    const unsigned later = leaders & ~(simt::full_warp >> (simt::warp_size - 1 - simt::lane()));
    const int end = later != 0 ? simt::count_bits((later & (0u - later)) - 1) : simt::count_bits(all);
    seats = simt::atomic_add(count + row, static_cast<std::uint32_t>(end - simt::lane()));
  }
  seats = simt::shuffle(seats, first);
  if (there) seat[p] = seats + static_cast<std::uint32_t>(simt::lane() - first);
}

SIMT_KERNEL place_thread_per_partial(const std::uint32_t* partial_row, const std::uint32_t* seat, std::int64_t partials,
                                     const Index* row_start, Index* of_row) {
  const std::int64_t p = simt::global_thread();
  if (p < partials) of_row[row_start[partial_row[p]] + static_cast<Index>(seat[p])] = static_cast<Index>(p);
}

// Few of them, nearly in order.
SIMT_KERNEL order_thread_per_row(const Index* row_start, std::int64_t rows, Index* of_row) {
  const std::int64_t row = simt::global_thread();
  if (row >= rows) return;
  const Index begin = row_start[row], end = row_start[row + 1];
  if (end - begin > few_partials) return;
  for (Index i = begin + 1; i < end; ++i) {
    const Index moved = of_row[i];
    Index to = i;
    for (; to > begin && of_row[to - 1] > moved; --to) of_row[to] = of_row[to - 1];
    of_row[to] = moved;
  }
}

SIMT_KERNEL list_warp_per_long_row(const Index* found, std::int64_t count, ListedPartials from, const Index* row_start,
                                   Index* long_rows, Index* of_row) {
  const std::int64_t i = simt::global_thread() / simt::warp_size;
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
