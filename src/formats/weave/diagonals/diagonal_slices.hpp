// How the host goes through the slices of diagonals of a matrix.
#pragma once

#include "core/grain.hpp"
#include "formats/weave/diagonals/diagonals.hpp"

namespace heddle::weave {

// Whether a row has its entries on the diagonals of the row before it.
inline bool repeats(const PatternView& A, std::int64_t row) {
  const Offset begin = A.ptr[row], length = A.length(row);
  if (A.length(row - 1) != length) return false;
  const Index *its = A.col.data() + begin, *before = its - length;
  Index differs = 0;
  for (Offset k = 0; k < length; ++k) differs |= (its[k] - before[k]) ^ 1;
  return differs == 0;
}

inline std::int64_t slice_count(std::int64_t rows) { return (rows + slice_rows - 1) / slice_rows; }
inline std::int64_t slices_at_once(const PatternView& A) { return grain_for(slice_count(A.rows), A.nnz(), 64); }

}  // namespace heddle::weave
