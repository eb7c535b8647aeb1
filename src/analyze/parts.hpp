// What `analyze` finds out about a matrix, one file each: by looks (looks.hpp), and for a full analysis by two
// functions more. All of it is threaded, and each reads the matrix at most once.
#pragma once

#include <heddle/analyze.hpp>

#include "analyze/column_counts.hpp"

namespace heddle {

struct RowFacts {
  RowLengths lengths;
  std::vector<SlicePadding> padding;  // for (32, 1), (32, 256), (32, 1024), (128, 1)
};

// How far entries lie from the diagonal; not asked for planning.
struct Reach {
  Diagonals diagonals;  // count and occupancy
  std::int64_t bandwidth = 0, profile = 0;
  std::int64_t lowest = 0, highest = 0;  // of column - row; both 0 without entries
};
Reach measure_reach(const PatternView& A);

// What the columns of some windows of rows say, see windows.hpp.
struct SampledFacts : ColumnFacts {
  Diagonals diagonals;  // the sampled part
};

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
inline constexpr std::int64_t planning_cap = 256;  // codes of a dictionary have a byte

}  // namespace heddle
