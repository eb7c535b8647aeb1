// A matrix pattern reduced to a grid of counts: what a spy plot shows.
#pragma once

#include <cstdint>
#include <vector>

#include <heddle/matrix.hpp>

namespace heddle {

struct Density {
  int wide = 0, tall = 0;
  std::vector<std::uint32_t> count;  // entries in each cell, row by row
  std::uint32_t largest = 0;

  std::uint32_t at(int i, int j) const { return count[static_cast<std::size_t>(i) * wide + j]; }
  // 0 for a cell without entries, else in (0, 1]. Logarithmic: a lone entry stays visible next to a dense block.
  double shade(int i, int j) const;
};

struct GridSize {
  int wide = 0, tall = 0;
};

// The largest grid of square cells inside `most` that keeps the aspect ratio; a matrix smaller than that is enlarged
// by a whole number, at most `zoom`. No side is thinner than `least` cells.
GridSize fit(std::int64_t rows, std::int64_t cols, GridSize most, int zoom, int least);

Density density(const PatternView& A, GridSize size);

}  // namespace heddle
