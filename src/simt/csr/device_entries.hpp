// The row of every entry of a matrix on the device. Two warps of a block look up in which rows its entries begin and
// end. Each row between marks its first entry in shared memory, and every entry takes the nearest mark before it:
//
//   marks     1 . . 2 . 4 . . . .       row 3 has no entries
//   rows      1 1 1 2 2 4 4 4 4 4       32 at a time, by a warp
#pragma once

#include "simt/csr/device_csr.hpp"
#include "simt/primitives/workspace.hpp"

namespace heddle::device {

inline constexpr int entries_threads = 256, entries_of_block = 32 * entries_threads,
                     entries_warps = entries_threads / simt::warp_size;

// The elements first, first + stride, ... of an array, all in flight at once; behind its end the last one again.
template <int N>
SIMT_DEVICE void load_strided(const Index* from, std::int64_t count, std::int64_t first, int stride, Index (&to)[N]) {
#pragma unroll
  for (int u = 0; u < N; ++u)
    to[u] = simt::stream_load(from + (first + u * stride < count ? first + u * stride : count - 1));
}

// The row with `entry`, which is in one of rows low .. high - 1.
SIMT_DEVICE std::int64_t row_between(const PatternArrays& A, std::int64_t low, std::int64_t high, Offset entry) {
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (A.ptr[middle] <= entry)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The same by a warp, which looks at 32 rows at a time.
SIMT_DEVICE std::int64_t row_between_by_warp(const PatternArrays& A, std::int64_t low, std::int64_t high,
                                             Offset entry) {
  while (high - low > 1) {
    const std::int64_t stride = (high - low + simt::warp_size - 1) / simt::warp_size;
    const std::int64_t row = low + (simt::lane() + 1) * stride;
    low += stride * simt::count_bits(simt::ballot(row < high && A.ptr[row] <= entry));
    high = low + stride < high ? low + stride : high;
  }
  return low;
}

namespace {  // kernels: compiled for two devices under one name

struct RowMarks {
  std::int64_t outer[2];              // rows of the first and the last entry
  std::uint32_t last[entries_warps];  // mark among the entries of each warp
  std::uint32_t mark[entries_of_block];
};

// (Where rows were short each entry searched for its own, where they were long a warp wrote a row after the other: 60
// us of an R-MAT of 3.9 M entries; H200.)
SIMT_KERNEL rows_block_per_entries(PatternArrays A, Offset nnz, Index* row) {
  if (simt::global_thread() == 0) simt::wait_for_earlier();  // so that this grid ends behind it
  const Offset begin = simt::block() * entries_of_block;
  const auto count = static_cast<int>(begin + entries_of_block < nnz ? entries_of_block : nnz - begin);
  auto& marks = *simt::shared<RowMarks>();
  for (int k = simt::thread(); k < entries_of_block; k += entries_threads) marks.mark[k] = 0;
  if (simt::warp() < 2) {
    const std::int64_t found = row_between_by_warp(A, 0, A.rows, simt::warp() == 0 ? begin : begin + count - 1);
    if (simt::lane() == 0) marks.outer[simt::warp()] = found;
  }
  simt::sync_block();
  const std::int64_t first = marks.outer[0], last = marks.outer[1];
#pragma unroll 4
  for (std::int64_t r = first + simt::thread(); r <= last; r += entries_threads) {
    const Offset its_begin = A.ptr[r], its_end = A.ptr[r + 1];
    if (its_begin < its_end)
      marks.mark[its_begin > begin ? its_begin - begin : 0] = static_cast<std::uint32_t>(r - first + 1);
  }
  simt::sync_block();
  constexpr int of_warp = entries_of_block / entries_warps;
  const int from = simt::warp() * of_warp + simt::lane();
  std::uint32_t mine = 0;  // marks ascend
  for (int k = from; k < from + of_warp; k += simt::warp_size) mine = marks.mark[k] > mine ? marks.mark[k] : mine;
  mine = simt::max_lanes(mine);
  if (simt::lane() == 0) marks.last[simt::warp()] = mine;
  simt::sync_block();
  std::uint32_t before = 0;
  for (int w = 0; w < simt::warp(); ++w) before = marks.last[w] > before ? marks.last[w] : before;
  for (int k = from; k < from + of_warp; k += simt::warp_size) {
    const std::uint32_t mark = marks.mark[k];
    const unsigned upto_mine = simt::ballot(mark != 0) & (simt::full_warp >> (simt::warp_size - 1 - simt::lane()));
    const int nearest = upto_mine != 0 ? simt::warp_size - 1 - simt::leading_zeros(upto_mine) : 0;
    const std::uint32_t its_mark = simt::shuffle(mark, nearest), found = upto_mine != 0 ? its_mark : before;
    if (k < count) row[begin + k] = static_cast<Index>(first + found - 1);
    before = simt::shuffle(found, simt::warp_size - 1);
  }
}

}  // namespace

// `overlaps`: with the kernel that was queued last, which lets the next start.
inline Index* queue_rows_of_entries(simt::Here here, const PatternView& A, Workspace& memory, bool overlaps = false) {
  auto* row = memory.take<Index>(A.nnz());
  simt::Launch shape{simt::blocks_for(A.nnz(), entries_of_block), entries_threads, sizeof(RowMarks)};
  shape.overlaps = overlaps;
  simt::launch(here, shape, rows_block_per_entries, PatternArrays(A), A.nnz(), row);
  return row;
}

}  // namespace heddle::device
