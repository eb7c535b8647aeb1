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
PatternFacts measure_pattern(const PatternView& A, Detail detail = Detail::all);

// Of a larger matrix only about `sample` entries are looked at: merging block rows costs about 60 ns per entry where
// blocks are empty, twenty times a multiplication.
// For planning, shapes beside 2x2 are left out where that one is too empty for any other to be full.
std::vector<BlockFill> measure_blocks(const PatternView& A, std::int64_t sample, Detail detail = Detail::all);
std::int64_t block_sample(std::int64_t nnz, Detail detail);  // all of a small matrix, a sixty-fourth of a large one

// (32, 1), (32, 256), (32, 1024), (128, 1): every row is looked at, no entry.
std::vector<SlicePadding> measure_padding(const PatternView& A);

// What the columns of some windows of rows say, see windows.hpp.
struct ColumnFacts {
  Columns columns;
  Gather gather_f32, gather_f64;
  Diagonals diagonals;  // the sampled part
  std::int64_t entries = 0;
};
template <class V>
ColumnFacts measure_columns(const CsrView<V>& A, std::int64_t sample);
// About this many entries are looked at: a thirty-second or less of a large matrix, all of a small one.
std::int64_t column_sample(std::int64_t nnz, Detail detail);

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
};
template <class V>
ValueFacts measure_values(std::span<const V> val, std::int64_t cap = distinct_cap);
inline constexpr std::int64_t planning_cap = 4096;  // more distinct values are not worth a dictionary

}  // namespace heddle
