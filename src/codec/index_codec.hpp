// How a padded layout stores a column.
//
//   Index32    the column itself; -1 marks padding, so a row's end can be seen without its length
//   Column16   column - row in 16 bits, for entries within [-32768, 32767] of the diagonal; every bit pattern is a
//              distance, so there is no padding mark: rows must have lengths (and stay in their places, one lane each)
#pragma once

#include <heddle/matrix.hpp>

#include "simt/annotations.hpp"

namespace heddle {

struct Index32 {
  using Stored = Index;
  static constexpr bool marks_padding = true;
  static constexpr Stored padding = -1;

  SIMT_BOTH static bool holds(std::int64_t, Index) { return true; }
  SIMT_BOTH static Stored encode(std::int64_t, Index col) { return col; }
  SIMT_BOTH static Index decode(std::int64_t, Stored stored) { return stored; }
};

struct Column16 {
  using Stored = std::int16_t;
  static constexpr bool marks_padding = false;
  static constexpr Stored padding = 0;

  SIMT_BOTH static bool holds(std::int64_t row, Index col) { return col - row >= -32768 && col - row <= 32767; }
  SIMT_BOTH static Stored encode(std::int64_t row, Index col) { return static_cast<Stored>(col - row); }
  SIMT_BOTH static Index decode(std::int64_t row, Stored stored) { return static_cast<Index>(row + stored); }
};

}  // namespace heddle
