// The diagonals that some windows of rows touch: how full they are, and whether one value fills them.
#pragma once

#include <heddle/analyze.hpp>

#include "analyze/pattern_hash.hpp"
#include "analyze/windows.hpp"
#include "core/system.hpp"

namespace heddle {

// An entry's part of the sum that tells the pattern of a slice from that of another.
SIMT_BOTH std::uint64_t slice_pattern(std::int64_t distance, std::int64_t row_in_slice) {
  return PatternHash::mixed(static_cast<std::uint64_t>(distance), static_cast<std::uint64_t>(row_in_slice) + 1);
}

// One diagonal as far as it was seen.
struct SeenDiagonal {
  std::int64_t distance;  // column - row
  std::int64_t entries;
  std::uint64_t bits;  // of its values, while they are all the same
  bool constant;
};

// The diagonals of one slice; its memory serves the next one.
class DiagonalSet {
 public:
  // Of rows first .. last - 1: finds those of this part, in the order they are met, and returns its share of the number
  // of their pattern.
  template <class V>
  std::uint64_t collect(const CsrView<V>& A, std::int64_t first, std::int64_t last, const PartOfWindow& part);
  std::span<const SeenDiagonal> found() const { return found_; }

 private:
  struct Slot {
    std::uint32_t distance = 0;  // as many as there are, modulo 2^32, are different
    Index place = -1;            // in `found_`; -1: it is free
  };
  SeenDiagonal& find(std::int64_t distance, std::uint64_t bits);
  Slot& slot_of(std::int64_t distance);
  void clear();
  void grow();

  Vector<Slot> slots_;  // open addressing: at most half of them are taken
  int shift_ = 0;
  Vector<SeenDiagonal> found_;
};

class SliceDiagonals {
 public:
  // The parts of a window have every so many diagonals each.
  template <class V>
  void add(const CsrView<V>& A, const RowWindow& window, const PartOfWindow& part, DiagonalSet& met);
  // The next part of the same window.
  void join(const SliceDiagonals& part);

  std::int64_t rows = 0, entries = 0;
  std::int64_t slice_places = 0;   // 128 * diagonals, over slices of 128 rows
  std::int64_t slice_entries = 0;  // of those slices
  Vector<SeenDiagonal> seen;       // of each window those in at least a quarter of its rows
  Vector<std::uint64_t> patterns;  // of each of those slices that has an entry, a number
};

// Sums over all windows.
struct DiagonalCounts {
  // More different diagonals that fill a quarter of a slice: nothing to store by diagonals, `full` is 0.
  static constexpr std::int64_t most = 8192;

  std::int64_t rows = 0, entries = 0, slice_places = 0, slice_entries = 0;
  std::int64_t different = 0;  // diagonals seen
  std::int64_t full = 0, constant = 0, on_full = 0;
  std::int64_t slices = 0, patterns = 0;  // slices with entries; their different patterns, `most_patterns` at most

  static constexpr std::int64_t most_patterns = 1024;
};
DiagonalCounts counts_of(std::span<const SliceDiagonals> windows);
// Everything of Diagonals but count and occupancy.
Diagonals diagonal_facts(const DiagonalCounts& counts, std::int64_t matrix_rows);

}  // namespace heddle
