// The diagonals that some windows of rows touch: how full they are, and whether one value fills them.
#pragma once

#include <heddle/analyze.hpp>

#include "analyze/windows.hpp"
#include "core/system.hpp"

namespace heddle {

// One diagonal as far as it was seen.
struct SeenDiagonal {
  std::int64_t distance;  // column - row
  std::int64_t entries;
  std::uint64_t bits;  // of its values, while they are all the same
  bool constant;
};

class SliceDiagonals {
 public:
  template <class V>
  void add(const CsrView<V>& A, const RowWindow& window);

  std::int64_t rows = 0, entries = 0;
  std::int64_t slice_places = 0;   // 128 * diagonals, over slices of 128 rows
  std::int64_t slice_entries = 0;  // of those slices
  Vector<SeenDiagonal> seen;       // of each window those in at least a quarter of its rows
};

// Sums over all windows.
struct DiagonalCounts {
  // More different diagonals that fill a quarter of a slice: nothing to store by diagonals, `full` is 0.
  static constexpr std::int64_t most = 8192;

  std::int64_t rows = 0, entries = 0, slice_places = 0, slice_entries = 0;
  std::int64_t different = 0;  // diagonals seen
  std::int64_t full = 0, constant = 0, on_full = 0;
};
DiagonalCounts counts_of(std::span<const SliceDiagonals> parts);
// Everything of Diagonals but count and occupancy.
Diagonals diagonal_facts(const DiagonalCounts& counts);

}  // namespace heddle
