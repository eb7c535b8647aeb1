// Rows cut into pieces of about equal work, where a row costs one and each of its entries one: neither a million empty
// rows nor a few long ones end up in one piece. The cut depends on the matrix only, never on the number of threads.
#pragma once

#include <cstdint>

#include <heddle/matrix.hpp>

#include "core/parallel.hpp"

namespace heddle {

struct RowStretches {
  const PatternView& A;
  std::int64_t grain = 1 << 16;  // work of a piece

  std::int64_t count() const { return (A.nnz() + A.rows + grain - 1) / grain; }

  // The first row whose work begins at or after `work`.
  std::int64_t row_at(std::int64_t work) const {
    std::int64_t low = 0, high = A.rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (A.ptr[middle] + middle < work)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  std::int64_t begin(std::int64_t piece) const { return row_at(piece * grain); }
  std::int64_t end(std::int64_t piece) const { return piece + 1 == count() ? A.rows : row_at((piece + 1) * grain); }

  // f(piece, first row, last row + 1), pieces in parallel.
  template <class F>
  void for_each(F&& f) const {
    parallel_tasks(count(), [&](std::int64_t piece) { f(piece, begin(piece), end(piece)); });
  }
};

}  // namespace heddle
