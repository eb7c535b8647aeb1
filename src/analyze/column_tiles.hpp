// What cutting the columns into tiles would cost: the pairs (row, tile) that have entries, each of which needs a
// partial sum.
#pragma once

#include <cstdint>

#include <heddle/matrix.hpp>

namespace heddle {

// Pairs per entry, from the reciprocal of the mean row (one tile) to 1; sampled where the matrix is large.
struct ColumnTiles {
  double natural = 0;    // columns in their own order
  double by_degree = 0;  // in the order of falling number of entries
};

ColumnTiles column_tiles(const PatternView& A, std::int64_t width);

}  // namespace heddle
