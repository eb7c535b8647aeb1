// What csr takes where nothing is named; building and the planner both ask here.
#pragma once

#include <cstdint>

namespace heddle {

// Lanes that share a row. The best on an H200, 2026-11:
//
//   entries a row   5   6 to 7   22 to 77   2,000
//   lanes           2   4        16         32
//
// And a giant row must not be left to two lanes: with 32 the web graph takes half the time, a full row of a million a
// tenth.
constexpr int csr_lanes(std::int64_t rows, std::int64_t entries, std::int64_t longest) {
  const std::int64_t mean = rows == 0 ? 0 : entries / rows;
  int lanes = 2;
  while (lanes < 16 && 3 * lanes <= mean) lanes *= 2;
  while (lanes < 32 && lanes * 64 <= longest) lanes *= 2;
  return lanes;
}

}  // namespace heddle
