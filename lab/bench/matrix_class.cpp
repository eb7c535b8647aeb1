#include "bench/matrix_class.hpp"

#include <algorithm>

namespace heddle::bench {

namespace {

bool full_blocks(const Structure& facts) {
  return std::any_of(facts.blocks.begin(), facts.blocks.end(), [](const BlockFill& block) {
    return block.r == block.c && (block.r == 2 || block.r == 3) && block.fill > 0 && block.fill < 1 / 0.8;
  });
}

// Columns ascend inside a row: its ends are farthest from the diagonal.
bool within_band(const PatternView& A, std::int64_t width) {
  for (std::int64_t row = 0; row < A.rows; ++row) {
    if (A.length(row) == 0) continue;
    if (row - A.col[A.ptr[row]] > width || A.col[A.ptr[row + 1] - 1] - row > width) return false;
  }
  return true;
}

}  // namespace

std::string class_of(const PatternView& A, const Structure& facts) {
  if (facts.nnz == 0) return "empty";
  if (static_cast<double>(facts.nnz) >= 0.5 * static_cast<double>(facts.rows) * static_cast<double>(facts.cols))
    return "dense";
  if (full_blocks(facts)) return "blocks";
  if (facts.diagonals.full_share >= 0.7) return "diagonals";
  if (facts.rows_len.cv > 1) return "skewed";
  if (facts.rows == facts.cols && within_band(A, facts.cols / 20)) return "banded";
  return "scattered";
}

}  // namespace heddle::bench
