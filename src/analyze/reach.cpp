#include <cstdlib>

#include "analyze/diagonals.hpp"
#include "analyze/parts.hpp"
#include "analyze/row_pieces.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

struct Partial {
  std::int64_t profile = 0, lowest = INT64_MAX, highest = INT64_MIN;
};

// Rows are sorted, so the first and the last entry say everything about the distance from the diagonal.
Partial look_at(const PatternView& A, std::int64_t first, std::int64_t last, DiagonalMarks& diagonals) {
  Partial part;
  for (std::int64_t row = first; row < last; ++row) {
    if (A.length(row) == 0) continue;
    const std::int64_t left = A.col[A.ptr[row]] - row, right = A.col[A.ptr[row + 1] - 1] - row;
    part.lowest = std::min(part.lowest, left);
    part.highest = std::max(part.highest, right);
    part.profile += std::max<std::int64_t>(0, -left);
    diagonals.add(row, row > first);
  }
  return part;
}

}  // namespace

Reach measure_reach(const PatternView& A) {
  if (A.nnz() == 0) return {};
  DiagonalMarks diagonals(A);
  const RowStretches pieces{A};
  Vector<Partial> parts(static_cast<std::size_t>(pieces.count()));
  pieces.for_each([&](std::int64_t piece, std::int64_t first, std::int64_t last) {
    parts[piece] = look_at(A, first, last, diagonals);
  });
  Partial sum;
  for (const Partial& part : parts) {
    sum.lowest = std::min(sum.lowest, part.lowest);
    sum.highest = std::max(sum.highest, part.highest);
    sum.profile += part.profile;
  }
  return {diagonals.count(), std::max(std::abs(sum.lowest), std::abs(sum.highest)), sum.profile, sum.lowest,
          sum.highest};
}

}  // namespace heddle
