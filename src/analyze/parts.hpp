// The questions `analyze` asks a matrix, one file each. All of them are threaded and read the matrix at most once.
#pragma once

#include <heddle/analyze.hpp>

#include "analyze/column_counts.hpp"

namespace heddle {

struct RowFacts {
  RowLengths lengths;
  std::vector<SlicePadding> padding;  // for (32, 1), (32, 256), (32, 1024), (128, 1)
};
// Every row is looked at, no entry.
RowFacts measure_rows(const PatternView& A);

// How far entries lie from the diagonal; not asked for planning.
struct Reach {
  Diagonals diagonals;  // count and occupancy
  std::int64_t bandwidth = 0, profile = 0;
  std::int64_t lowest = 0, highest = 0;  // of column - row; both 0 without entries
};
Reach measure_reach(const PatternView& A);

// Of a larger matrix only about `sample` entries are looked at: merging block rows costs about 60 ns per entry where
// blocks are empty, twenty times a multiplication.
// For planning, shapes beside 2x2 are left out where that one is too empty for any other to be full.
std::vector<BlockFill> measure_blocks(const PatternView& A, std::int64_t sample, Detail detail = Detail::all);

// What the columns of some windows of rows say, see windows.hpp.
struct SampledFacts : ColumnFacts {
  Diagonals diagonals;  // the sampled part
};
// by_degree: also what tiles of columns would gain by their order (column_degrees.hpp), which takes as long as the
// rest.
template <class V>
SampledFacts measure_columns(const CsrView<V>& A, std::int64_t sample, bool by_degree = true);

std::uint64_t hash_pattern(const PatternView& A);

struct Symmetry {
  bool structural = false, numerical = false;
};
template <class V>
Symmetry measure_symmetry(const CsrView<V>& A);

struct ValueFacts {
  std::int64_t distinct = 0;  // up to `cap`
  bool capped = false;        // there are more
  bool f32_exact = true;
  std::int64_t guess = 0;  // see Structure::distinct_guess
};
template <class V>
ValueFacts measure_values(std::span<const V> val, std::int64_t cap = distinct_cap);
inline constexpr std::int64_t planning_cap = 256;  // codes of a dictionary have a byte

}  // namespace heddle
