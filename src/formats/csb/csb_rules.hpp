// How csb cuts rows into bands; building and the planner both ask here.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle {

// Rows whose sums stay in a core's own cache: 256 KB of them.
constexpr int csb_rows(int value_bytes) { return (1 << 18) / value_bytes; }

// Entries that end a band before it has so many rows: a 32nd of all, so that threads have bands enough. Rows are not
// cut, so that a band may have more.
constexpr std::int64_t csb_share(std::int64_t nnz) {
  constexpr std::int64_t bands = 32, few = 1 << 12;
  return std::max(nnz / bands, few);
}

}  // namespace heddle
