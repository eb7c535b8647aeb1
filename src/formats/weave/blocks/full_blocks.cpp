#include "formats/weave/blocks/full_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "core/parallel.hpp"
#include "simt/large_gpu.hpp"

namespace heddle::weave {

namespace {

bool is_full(const PatternView& A, int size, std::int64_t block_row) {
  const std::int64_t first_row = block_row * size;
  const Offset begin = A.ptr[first_row], length = A.length(first_row);
  if (length % size != 0 || length > longest_in_blocks) return false;
  for (int line = 1; line < size; ++line)
    if (A.length(first_row + line) != length) return false;
  for (Offset k = 0; k < length; ++k) {
    const Index column = A.col[begin + k];
    if (column % size != k % size || (k % size != 0 && A.col[begin + k - 1] != column - 1)) return false;
    for (int line = 1; line < size; ++line)
      if (A.col[begin + line * length + k] != column) return false;
  }
  return true;
}

bool are_full(const PatternView& A, int size) {
  constexpr std::int64_t rows_at_once = 1 << 12;
  std::atomic<bool> full{true};
  parallel_ranges(A.rows / size, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end && full.load(std::memory_order_relaxed); ++row)
      if (!is_full(A, size, row)) full.store(false, std::memory_order_relaxed);
  });
  return full;
}

}  // namespace

int lanes_of_block_rows(std::int64_t rows, std::int64_t entries, int size, int value_bytes) {
  const auto block_rows = static_cast<double>(std::max<std::int64_t>(1, rows / size));
  const double wanted_warps = value_bytes == 4 ? 2500 : 1800, bytes = value_bytes * static_cast<double>(entries);
  const double by_size = 2 * wanted_warps * simt::warp_size / block_rows;
  const double of_row = static_cast<double>(entries) / (block_rows * size * size);
  const double most = std::clamp(std::min(by_size, of_row), 1.0, double{simt::warp_size});
  int lanes = static_cast<int>(std::bit_floor(static_cast<unsigned>(most)));
  constexpr int most_steps = 8;  // beyond, lanes wait longer than bytes take
  const auto places = [&](int shared_by) { return std::ceil(of_row / shared_by) * shared_by; };
  const int fewest = bytes >= 24e6 ? lanes / 4 : bytes >= 16e6 ? lanes / 2 : lanes;
  for (int fewer = lanes / 2; fewer >= std::max(1, fewest); fewer /= 2)
    if (places(lanes) > 1.1 * places(fewer) && places(fewer) <= most_steps * fewer) lanes = fewer;
  return lanes;
}

BlockSizes possible_full_blocks(const MatrixShape& A) {
  BlockSizes sizes;
  for (const int size : block_sizes)
    if (A.nnz() > 0 && A.rows % size == 0 && A.nnz() % (size * size) == 0) sizes.add({1u << size});
  return sizes;
}

BlockSizes full_blocks(const PatternView& A, BlockSizes sizes) {
  BlockSizes full;
  for (const int size : block_sizes)
    if (sizes.has(size) && are_full(A, size)) full.add({1u << size});
  return full;
}

std::int64_t FullBlocksQuestion::parts(const PatternView& A) {
  constexpr std::int64_t most = large_gpu_units * 8;  // the host reads what each has found
  constexpr int warps = full_blocks_threads / simt::warp_size, rows_of_warp = 12;
  return std::min(most, simt::blocks_for(simt::blocks_for(A.rows, rows_of_warp), warps));
}

}  // namespace heddle::weave
