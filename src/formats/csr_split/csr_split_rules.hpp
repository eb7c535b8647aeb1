// What csr_split takes where nothing is named; building and the planner both ask here.
#pragma once

#include <cstdint>

namespace heddle {

// Entries of a warp: enough warps to fill a large GPU (8,448 of them) before shares grow.
constexpr int csr_split_share(std::int64_t entries) {
  return entries < (1 << 21) ? 128 : entries < (1 << 23) ? 256 : 512;
}

}  // namespace heddle
