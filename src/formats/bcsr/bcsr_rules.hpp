// What building and the planner both ask of bcsr.
#pragma once

#include "simt/simt.hpp"

namespace heddle {

// Lanes of a team for each row of a block: the power of two at or below the mean number of blocks, as far as the warp
// reaches.
inline int bcsr_slots(double blocks, double block_rows, int r) {
  int slots = 1;
  while (2 * slots * r <= simt::warp_size && 2 * slots * block_rows <= blocks) slots *= 2;
  return slots;
}

}  // namespace heddle
