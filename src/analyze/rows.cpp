#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "analyze/diagonals.hpp"
#include "analyze/parts.hpp"
#include "analyze/row_facts.hpp"
#include "analyze/row_pieces.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

struct Partial : LengthCounts {
  std::int64_t profile = 0, lowest = INT64_MAX, highest = INT64_MIN;
};

void count_length(LengthCounts& part, std::int64_t length) {
  const auto square = static_cast<std::uint64_t>(length * length);
  part.min = std::min(part.min, length);
  part.max = std::max(part.max, length);
  part.squares_low += square & UINT32_MAX;
  part.squares_high += square >> 32;
  ++part.histogram[std::bit_width(static_cast<std::uint64_t>(length))];
  if (length < short_row) ++part.counts[length];
}

// Rows are sorted, so the first and the last entry say everything about the distance from the diagonal.
Partial look_at(const PatternView& A, std::int64_t first, std::int64_t last, DiagonalMarks* diagonals) {
  Partial part;
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t length = A.length(row);
    count_length(part, length);
    if (length == 0 || !diagonals) continue;
    const std::int64_t left = A.col[A.ptr[row]] - row, right = A.col[A.ptr[row + 1] - 1] - row;
    part.lowest = std::min(part.lowest, left);
    part.highest = std::max(part.highest, right);
    part.profile += std::max<std::int64_t>(0, -left);
    diagonals->add(row, row > first);
  }
  return part;
}

void add(Partial& sum, const Partial& part) {
  sum.min = std::min(sum.min, part.min);
  sum.max = std::max(sum.max, part.max);
  sum.squares_low += part.squares_low;
  sum.squares_high += part.squares_high;
  sum.lowest = std::min(sum.lowest, part.lowest);
  sum.highest = std::max(sum.highest, part.highest);
  sum.profile += part.profile;
  for (std::size_t k = 0; k < std::size(sum.histogram); ++k) sum.histogram[k] += part.histogram[k];
  for (int k = 0; k < short_row; ++k) sum.counts[k] += part.counts[k];
}

//  rows * sum of squares - (sum of lengths)^2  =  rows * sum of (length - mean)^2, in whole numbers
double variance(const LengthCounts& counts, std::int64_t rows, std::int64_t nnz) {
  __extension__ using Wide = __int128;
  const Wide squares = (static_cast<Wide>(counts.squares_high) << 32) + static_cast<Wide>(counts.squares_low);
  const Wide spread = rows * squares - static_cast<Wide>(nnz) * nnz;
  return static_cast<double>(spread) / static_cast<double>(rows) / static_cast<double>(rows);
}

}  // namespace

RowLengths length_facts(const LengthCounts& counts, std::int64_t rows, std::int64_t nnz) {
  RowLengths facts;
  facts.counts.assign(counts.counts, counts.counts + short_row);
  if (rows == 0) return facts;
  facts.min = counts.min;
  facts.max = counts.max;
  facts.empty = counts.histogram[0];
  facts.mean = static_cast<double>(nnz) / static_cast<double>(rows);
  facts.stddev = std::sqrt(variance(counts, rows, nnz));
  facts.cv = facts.mean > 0 ? facts.stddev / facts.mean : 0;
  const int bins = std::bit_width(static_cast<std::uint64_t>(counts.max)) + 1;
  facts.histogram.assign(counts.histogram, counts.histogram + bins);
  return facts;
}

PatternFacts measure_pattern(const PatternView& A, Detail detail) {
  const RowPieces pieces{A};
  std::optional<DiagonalMarks> diagonals;
  if (detail == Detail::all && A.rows > 0) diagonals.emplace(A);
  Vector<Partial> parts(static_cast<std::size_t>(pieces.count()));
  pieces.for_each([&](std::int64_t piece, std::int64_t first, std::int64_t last) {
    parts[piece] = look_at(A, first, last, diagonals ? &*diagonals : nullptr);
  });
  Partial sum;
  for (const Partial& part : parts) add(sum, part);
  PatternFacts facts;
  facts.lengths = length_facts(sum, A.rows, A.nnz());
  if (A.nnz() == 0 || !diagonals) return facts;
  facts.lowest = sum.lowest;
  facts.highest = sum.highest;
  facts.bandwidth = std::max(std::abs(sum.lowest), std::abs(sum.highest));
  facts.profile = sum.profile;
  facts.diagonals = diagonals->count();
  return facts;
}

}  // namespace heddle
