// The questions `analyze` asks a matrix, one file each. All of them are threaded and read the matrix at most once.
#pragma once

#include <heddle/analyze.hpp>

namespace heddle {

struct PatternFacts {
  RowLengths lengths;
  Diagonals diagonals;
  std::int64_t bandwidth = 0, profile = 0;
  std::int64_t lowest = 0, highest = 0;  // of column - row; both 0 without entries
};
PatternFacts measure_pattern(const PatternView& A);

// 2x2, 3x3, 4x4 and 6x6. Of a larger matrix only about `sample` entries are looked at: merging block rows costs about
// 60 ns per entry where blocks are empty, twenty times a multiplication.
inline constexpr std::int64_t block_sample = 1 << 17;
std::vector<BlockFill> measure_blocks(const PatternView& A, std::int64_t sample = block_sample);

struct Symmetry {
  bool structural = false, numerical = false;
};
template <class V>
Symmetry measure_symmetry(const CsrView<V>& A);

struct ValueFacts {
  std::int64_t distinct = 0;  // up to `cap`
  bool capped = false;        // there are more
  bool f32_exact = true;
};
template <class V>
ValueFacts measure_values(std::span<const V> val, std::int64_t cap = distinct_cap);

}  // namespace heddle
