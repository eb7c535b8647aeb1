// The rules of the paper: T, M and L from the row lengths, and which rows share a warp.
#include <algorithm>
#include <cmath>

#include "formats/csr_ell/csr_ell.hpp"

namespace heddle {

CsrEllSettings csr_ell_by_rules(const RowLengthSums& sums, std::int64_t rows, std::int64_t nnz) {
  CsrEllSettings rule;
  if (sums.rows == 0) {  // every row is long, or there is none
    rule.T = 1, rule.M = 32, rule.L = 1024, rule.escape = 0;
    return rule;
  }
  const double avg = static_cast<double>(sums.entries) / static_cast<double>(sums.rows);
  rule.T = static_cast<int>(std::min(32 * (sums.entries / sums.rows / 32 + 1), RowLengthSums::short_row));
  rule.M = std::clamp(static_cast<int>(std::ceil(avg)), 6, 32);
  rule.L = 32 * rule.M;
  const double mean = static_cast<double>(nnz) / static_cast<double>(rows);
  const double variance = std::max(0.0, static_cast<double>(sums.squares) / static_cast<double>(rows) - mean * mean);
  rule.escape = sums.longest <= RowLengthSums::very_short && std::sqrt(variance) <= 0.05 * mean;
  return rule;
}

RowLengthSums row_length_sums(const PatternView& A) {
  RowLengthSums sums;
  for (std::int64_t row = 0; row < A.rows; ++row) sums.add_row(A.length(row));
  return sums;
}

CsrEllSettings csr_ell_by_rules(const PatternView& A) { return csr_ell_by_rules(row_length_sums(A), A.rows, A.nnz()); }

void settle_by(CsrEllSettings& settings, const RowLengthSums& sums, std::int64_t rows, std::int64_t nnz) {
  const CsrEllSettings rule = csr_ell_by_rules(sums, rows, nnz);
  if (settings.T == automatic) settings.T = rule.T;
  if (settings.M == automatic) settings.M = rule.M;
  if (settings.L == automatic) settings.L = rule.L;
  if (settings.escape == automatic) settings.escape = rule.escape;
}

Vector<WarpRun> pack_runs(std::span<const Index> first_of_length, int M, int width) {
  Vector<WarpRun> runs;
  const auto lengths = static_cast<std::int64_t>(first_of_length.size());
  const Index count = first_of_length.back();
  const auto lanes_of = [&](Index row) {  // of a row of its length
    const auto longer = std::upper_bound(first_of_length.begin(), first_of_length.end(), row);
    const auto length = longer - first_of_length.begin() - 1;
    return std::clamp(static_cast<int>((length + M - 1) / M), 1, width);
  };
  const auto end_of = [&](int lanes) {  // of the rows that take so many lanes, or fewer
    if (lanes == width) return count;
    return first_of_length[static_cast<std::size_t>(std::min(std::int64_t{lanes} * M + 1, lengths - 1))];
  };
  auto add = [&, warp = std::int64_t{0}](Index first, std::int64_t warps, Index rows, int lanes) mutable {
    runs.push_back({warp, first, static_cast<std::int16_t>(rows), static_cast<std::int16_t>(lanes)});
    warp += warps;
  };
  for (Index row = 0; row < count;) {
    int lanes = lanes_of(row);
    const Index full = width / lanes, warps = (end_of(lanes) - row) / full;
    if (warps > 0) add(row, warps, full, lanes), row += warps * full;
    // What is left of them shares a warp with the next longer ones, as far as lanes go round.
    Index rows = end_of(lanes) - row;
    if (rows == 0) continue;
    while (row + rows < count) {
      const int more = lanes_of(row + rows);
      const Index room = width / more;
      if (room <= rows) break;
      lanes = more;
      rows = std::min(room, end_of(more) - row);
    }
    add(row, 1, rows, lanes), row += rows;
  }
  return runs;
}

Vector<EllWarp> pack_rows(std::span<const Index> lengths, int M, int width) {
  Vector<EllWarp> warps;
  if (lengths.empty()) return warps;
  Vector<Index> first_of_length(static_cast<std::size_t>(lengths.back()) + 2);
  for (std::size_t l = 0; l < first_of_length.size(); ++l)
    first_of_length[l] =
        static_cast<Index>(std::lower_bound(lengths.begin(), lengths.end(), static_cast<Index>(l)) - lengths.begin());
  const Vector<WarpRun> runs = pack_runs(first_of_length, M, width);
  Offset start = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const WarpRun& run = runs[r];
    const Index end = r + 1 < runs.size() ? runs[r + 1].first : static_cast<Index>(lengths.size());
    for (Index first = run.first; first < end; first += run.rows) {
      const Index longest = lengths[static_cast<std::size_t>(first + run.rows - 1)];
      const int steps = (longest + run.lanes - 1) / run.lanes;
      warps.push_back({start, first, run.rows, run.lanes, steps});
      start += Offset{steps} * width;
    }
  }
  return warps;
}

}  // namespace heddle
