#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "analyze/diagonals.hpp"
#include "analyze/parts.hpp"
#include "analyze/row_pieces.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

struct Partial {
  std::int64_t min = INT64_MAX, max = 0, profile = 0;
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  double deviation = 0;  // sum of (length - mean)^2
  std::int64_t histogram[64] = {};
  std::int64_t counts[short_row] = {};
};

// Rows are sorted, so the first and the last entry say everything about the distance from the diagonal.
Partial look_at(const PatternView& A, std::int64_t first, std::int64_t last, double mean, DiagonalMarks* diagonals) {
  Partial part;
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t length = A.length(row);
    part.min = std::min(part.min, length);
    part.max = std::max(part.max, length);
    part.deviation += (static_cast<double>(length) - mean) * (static_cast<double>(length) - mean);
    ++part.histogram[std::bit_width(static_cast<std::uint64_t>(length))];
    if (length < short_row) ++part.counts[length];
    if (length == 0) continue;
    const std::int64_t left = A.col[A.ptr[row]] - row, right = A.col[A.ptr[row + 1] - 1] - row;
    part.lowest = std::min(part.lowest, left);
    part.highest = std::max(part.highest, right);
    part.profile += std::max<std::int64_t>(0, -left);
    if (diagonals) diagonals->add(row, row > first);
  }
  return part;
}

void add(Partial& sum, const Partial& part) {
  sum.min = std::min(sum.min, part.min);
  sum.max = std::max(sum.max, part.max);
  sum.lowest = std::min(sum.lowest, part.lowest);
  sum.highest = std::max(sum.highest, part.highest);
  sum.profile += part.profile;
  sum.deviation += part.deviation;
  for (int k = 0; k < 64; ++k) sum.histogram[k] += part.histogram[k];
  for (int k = 0; k < short_row; ++k) sum.counts[k] += part.counts[k];
}

}  // namespace

PatternFacts measure_pattern(const PatternView& A, Detail detail) {
  PatternFacts facts;
  facts.lengths.counts.assign(short_row, 0);
  if (A.rows == 0) return facts;
  const double mean = static_cast<double>(A.nnz()) / static_cast<double>(A.rows);
  const RowPieces pieces{A};
  std::optional<DiagonalMarks> diagonals;
  if (detail == Detail::all) diagonals.emplace(A);
  Vector<Partial> parts(static_cast<std::size_t>(pieces.count()));
  pieces.for_each([&](std::int64_t piece, std::int64_t first, std::int64_t last) {
    parts[piece] = look_at(A, first, last, mean, diagonals ? &*diagonals : nullptr);
  });
  Partial sum;
  for (const Partial& part : parts) add(sum, part);

  RowLengths& lengths = facts.lengths;
  lengths.min = sum.min;
  lengths.max = sum.max;
  lengths.empty = sum.histogram[0];
  lengths.mean = mean;
  lengths.stddev = std::sqrt(sum.deviation / static_cast<double>(A.rows));
  lengths.cv = mean > 0 ? lengths.stddev / mean : 0;
  const int bins = std::bit_width(static_cast<std::uint64_t>(sum.max)) + 1;
  lengths.histogram.assign(sum.histogram, sum.histogram + bins);
  lengths.counts.assign(sum.counts, sum.counts + short_row);
  if (A.nnz() == 0) return facts;
  facts.lowest = sum.lowest;
  facts.highest = sum.highest;
  facts.bandwidth = std::max(std::abs(sum.lowest), std::abs(sum.highest));
  facts.profile = sum.profile;
  if (diagonals) facts.diagonals = diagonals->count();
  return facts;
}

}  // namespace heddle
