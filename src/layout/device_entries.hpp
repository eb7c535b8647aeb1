// The row of every entry of a matrix on the device. Two warps of a block look up where its entries begin and end;
// between those rows each thread looks for its own.
#pragma once

#include "layout/device_csr.hpp"
#include "layout/device_workspace.hpp"

namespace heddle::device {

inline constexpr int entries_threads = 256, entries_of_block = 32 * entries_threads;

// The elements first, first + stride, ... of an array, all under way at once; behind its end the last one again.
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

SIMT_KERNEL rows_block_per_entries(PatternArrays A, Offset nnz, Index* row) {
  const Offset begin = simt::block() * entries_of_block,
               end = begin + entries_of_block < nnz ? begin + entries_of_block : nnz;
  auto* outer = simt::shared<std::int64_t>();
  if (simt::warp() < 2) {
    const std::int64_t found = row_between_by_warp(A, 0, A.rows, simt::warp() == 0 ? begin : end - 1);
    if (simt::lane() == 0) outer[simt::warp()] = found;
  }
  simt::sync_block();
  const std::int64_t first = outer[0], last = outer[1] + 1;
  constexpr std::int64_t many_rows = entries_of_block / 8;
  if (last - first > many_rows) {  // of few entries, or none
    for (Offset k = begin + simt::thread(); k < end; k += entries_threads)
      row[k] = static_cast<Index>(row_between(A, first, last, k));
    return;
  }
  // Every row tells its entries, a warp one row after the other: no entry has to search.
  for (std::int64_t of_warp = first + simt::warp() * simt::warp_size; of_warp < last; of_warp += entries_threads) {
    const std::int64_t mine = of_warp + simt::lane() < last ? of_warp + simt::lane() : last - 1;
    const Offset row_begin = A.ptr[mine], row_end = A.ptr[mine + 1];
    const auto from = static_cast<int>(row_begin > begin ? row_begin - begin : 0),
               to = static_cast<int>((row_end < end ? row_end : end) - begin);
    for (int i = 0; i < simt::warp_size && of_warp + i < last; ++i) {
      const int stop = simt::shuffle(to, i);
      for (int k = simt::shuffle(from, i) + simt::lane(); k < stop; k += simt::warp_size)
        row[begin + k] = static_cast<Index>(of_warp + i);
    }
  }
}

}  // namespace

inline Index* queue_rows_of_entries(simt::Here here, const PatternView& A, Workspace& memory) {
  auto* row = memory.take<Index>(A.nnz());
  simt::launch(here, {simt::blocks_for(A.nnz(), entries_of_block), entries_threads, 2 * sizeof(std::int64_t)},
               rows_block_per_entries, PatternArrays(A), A.nnz(), row);
  return row;
}

}  // namespace heddle::device
