// What cutting the columns into tiles would cost: the pairs (row, tile) that have entries, each of which needs a
// partial sum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <heddle/matrix.hpp>

#include "analyze/windows.hpp"

namespace heddle {

// Pairs per entry, from the reciprocal of the mean row (one tile) to 1; sampled where the matrix is large.
struct ColumnTiles {
  double natural = 0;    // columns in their own order
  double by_degree = 0;  // in the order of falling number of entries
};

ColumnTiles column_tiles(const PatternView& A, std::int64_t width);

// Half of the windows give the order, the others are counted in it: an order seems better than it is to the entries it
// was made from. All of a small matrix do both.
struct TileWindows : WindowChoice {
  TileWindows(std::int64_t rows_, std::int64_t nnz_)
      : WindowChoice(rows_, nnz_, std::clamp<std::int64_t>(nnz_ / 32, 1 << 14, 1 << 18)) {}

  std::int64_t step() const { return all ? 1 : 2; }
  std::int64_t first_counted() const { return all ? 0 : 1; }
  std::int64_t ordering() const { return (count + step() - 1) / step(); }
  std::int64_t counted() const { return count < first_counted() ? 0 : (count - first_counted() + step() - 1) / step(); }
};

// What is counted in a window.
struct TilePairs {
  std::int64_t entries = 0, natural = 0, by_degree = 0;
};
ColumnTiles tiles_of(std::span<const TilePairs> windows, bool all);

// Columns with more sampled entries are so few, 514 at most, that their order does not matter; and a sort of up to 255
// has one digit.
inline constexpr std::uint32_t most_sampled_degree = (1 << 8) - 1;

}  // namespace heddle
