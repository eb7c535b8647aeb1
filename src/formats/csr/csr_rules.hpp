// What csr takes where nothing is named; building and the planner both ask here.
#pragma once

#include <cstdint>

namespace heddle {

// Lanes that share a row. H200, 2026-11, best of all: 2 lanes at 5 entries a row, 4 at 6 to 7, 16 at 22 to 77, 32 at
// 2,000. And a giant row must not be left to two lanes: with 32 the web graph takes half the time, a full row of a
// million a tenth.
constexpr int csr_lanes(std::int64_t rows, std::int64_t entries, std::int64_t longest) {
  const std::int64_t mean = rows == 0 ? 0 : entries / rows;
  int lanes = 2;
  while (lanes < 16 && 3 * lanes <= mean) lanes *= 2;
  while (lanes < 32 && lanes * 64 <= longest) lanes *= 2;
  return lanes;
}

}  // namespace heddle
