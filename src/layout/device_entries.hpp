// The row of every entry of a matrix on the device. A block looks up where its entries begin and end; between those
// rows each thread looks for its own.
#pragma once

#include "layout/device_csr.hpp"
#include "layout/device_workspace.hpp"

namespace heddle::device {

inline constexpr int entries_threads = 256, entries_of_block = 8 * entries_threads;

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

namespace {  // kernels: compiled for two devices under one name

SIMT_KERNEL rows_block_per_entries(PatternArrays A, Offset nnz, Index* row) {
  const Offset begin = simt::block() * entries_of_block,
               end = begin + entries_of_block < nnz ? begin + entries_of_block : nnz;
  auto* outer = simt::shared<std::int64_t>();
  if (simt::thread() < 2) outer[simt::thread()] = row_between(A, 0, A.rows, simt::thread() == 0 ? begin : end - 1);
  simt::sync_block();
  for (Offset k = begin + simt::thread(); k < end; k += entries_threads)
    row[k] = static_cast<Index>(row_between(A, outer[0], outer[1] + 1, k));
}

}  // namespace

inline Index* queue_rows_of_entries(simt::Here here, const PatternView& A, Workspace& memory) {
  auto* row = memory.take<Index>(A.nnz());
  simt::launch(here, {simt::blocks_for(A.nnz(), entries_of_block), entries_threads, 2 * sizeof(std::int64_t)},
               rows_block_per_entries, PatternArrays(A), A.nnz(), row);
  return row;
}

}  // namespace heddle::device
