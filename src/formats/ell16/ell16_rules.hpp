// What ell16 takes where nothing is named; building and the planner both ask here.
#pragma once

namespace heddle {

// Whether all rows are padded to the longest: Cusp's bound for plain ELLPACK; padding is stored, never read.
template <class Number>
constexpr bool ell16_pads(Number rows, Number longest, Number entries) {
  return rows * longest <= 3 * entries;
}

}  // namespace heddle
