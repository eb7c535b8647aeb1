// The questions `analyze` asks a matrix, one file each. All of them are threaded and read the matrix at most once.
#pragma once

#include <heddle/analyze.hpp>

#include "analyze/column_counts.hpp"

namespace heddle {

struct PatternFacts {
  RowLengths lengths;
  Diagonals diagonals;
  std::int64_t bandwidth = 0, profile = 0;
  std::int64_t lowest = 0, highest = 0;  // of column - row; both 0 without entries
};
// For planning the row lengths alone.
PatternFacts measure_pattern(const PatternView& A, Detail detail = Detail::all);

// Of a larger matrix only about `sample` entries are looked at: merging block rows costs about 60 ns per entry where
// blocks are empty, twenty times a multiplication.
// For planning, shapes beside 2x2 are left out where that one is too empty for any other to be full.
std::vector<BlockFill> measure_blocks(const PatternView& A, std::int64_t sample, Detail detail = Detail::all);

// (32, 1), (32, 256), (32, 1024), (128, 1): every row is looked at, no entry.
std::vector<SlicePadding> measure_padding(const PatternView& A);

// What the columns of some windows of rows say, see windows.hpp.
struct SampledFacts : ColumnFacts {
  Diagonals diagonals;  // the sampled part
};
template <class V>
SampledFacts measure_columns(const CsrView<V>& A, std::int64_t sample);

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
