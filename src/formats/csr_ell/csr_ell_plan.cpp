// What csr_ell costs: short rows packed by length, long ones in pieces.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cost/workload_parts.hpp"
#include "formats/csr_ell/csr_ell_shape.hpp"
#include "layout/ell_and_rest.hpp"

namespace heddle {

namespace {

// Rows short and alike are stored as hyb with K by Cusp's rule; what that leaves over goes by the name of long rows.
CsrEllShape shape_of_escape(const RowLengths& lengths, std::int64_t rows) {
  const auto longer_than = [&](std::int64_t k) {
    return std::accumulate(lengths.counts.begin() + k + 1, lengths.counts.begin() + lengths.max + 1, std::int64_t{0});
  };
  const std::int64_t K = ell_width(longer_than, rows, lengths.max, cusp);
  CsrEllShape shape;
  shape.escapes = true;
  shape.packed_rows = static_cast<double>(rows);
  shape.warps = std::ceil(shape.packed_rows / 32);
  shape.packed_places = shape.warps * 32 * static_cast<double>(K);
  shape.steps = static_cast<double>(K);
  for (std::int64_t l = 1; l <= lengths.max; ++l) {
    const auto count = static_cast<double>(lengths.counts[static_cast<std::size_t>(l)]);
    shape.packed_entries += count * static_cast<double>(std::min(l, K));
    shape.long_entries += count * static_cast<double>(std::max<std::int64_t>(0, l - K));
  }
  if (shape.long_entries > 0) shape.long_rows = shape.crossings = static_cast<double>(longer_than(K));
  return shape;
}

// Longer rows are not counted one by one.
RowLengthSums sums_of(const RowLengths& lengths) {
  RowLengthSums sums;
  for (std::int64_t l = 0; l < std::ssize(lengths.counts); ++l) {
    const std::int64_t count = lengths.counts[static_cast<std::size_t>(l)];
    sums.rows += count, sums.entries += count * l;
    if (l <= RowLengthSums::very_short) sums.squares += count * l * l;
  }
  sums.longest = lengths.max;
  return sums;
}

}  // namespace

//  Rows of one length l fill whole warps of floor(32 / t) rows, t = ceil(l / M) lanes each, ceil(l / t) steps: sorted
//  by length, a warp mixes two lengths only where one ends and the next begins.
CsrEllShape csr_ell_shape(const Structure& facts, CsrEllSettings settings) {
  const RowLengths& lengths = facts.rows_len;
  const RowLengthSums sums = sums_of(lengths);
  settle_by(settings, sums, facts.rows, facts.nnz);
  if (settings.escape == 1 && lengths.max < short_row) return shape_of_escape(lengths, facts.rows);
  const double M = settings.M, L = settings.L, rest_rows = static_cast<double>(facts.rows - sums.rows),
               rest_entries = static_cast<double>(facts.nnz - sums.entries);
  CsrEllShape shape;
  shape.long_rows = rest_rows;
  shape.long_entries = rest_entries;
  shape.pieces = rest_rows / 2 + rest_entries / L;
  if (sums.rows == 0) {
    shape.crossings = rest_rows;
    shape.steps = M;
    return shape;
  }
  for (std::int64_t l = short_row - 1; l >= 0; --l) {
    const auto count = static_cast<double>(lengths.counts[static_cast<std::size_t>(l)]);
    if (count == 0) continue;
    const auto length = static_cast<double>(l);
    if (l >= settings.T) {
      shape.long_rows += count;
      shape.long_entries += count * length;
      shape.pieces += count * std::ceil(length / L);
      continue;
    }
    const double t = std::clamp(std::ceil(length / M), 1.0, 32.0);
    const double warps = count / std::floor(32 / t), steps = std::ceil(length / t);
    shape.packed_rows += count;
    shape.packed_entries += count * length;
    shape.warps += warps;
    shape.packed_places += warps * steps * 32;
    shape.steps = std::max(shape.steps, steps);
  }
  shape.warps = std::ceil(shape.warps);
  shape.crossings = rest_entries > 0 ? std::min(rest_rows, rest_entries / L) : 0;
  if (shape.long_rows > 0) shape.steps = std::max(shape.steps, std::min(M, static_cast<double>(lengths.max) / 32));
  return shape;
}

namespace {

Workload csr_ell_gpu(const Subject& s, const Plan& plan) {
  CsrEllSettings named;
  read_settings(named.fields(), plan);
  const CsrEllShape shape = csr_ell_shape(s.facts, named);
  const double entry = index_bytes + s.value_bytes;
  const double described =
      shape.escapes ? shape.long_entries * index_bytes : shape.warps * 24 + shape.packed_rows * 2 * index_bytes;
  const double bytes = described + shape.packed_places * entry + shape.pieces * 24 + shape.long_rows * index_bytes +
                       shape.long_entries * entry + shape.crossings * (12 + s.value_bytes) +
                       shape.pieces * s.value_bytes;
  Workload w =
      start(s, bytes, shape.packed_places + shape.long_entries, shape.packed_places + up(shape.long_entries, 32));
  // Sorting takes neighbours apart unless rows are all alike.
  const double apart = s.facts.rows_len.cv > 0.05 ? 1 : 0;
  const double share = s.nnz() > 0 ? shape.packed_entries / s.nnz() : 0;
  w.sectors += s.nnz() * (share * s.gather().rows + (1 - share) * s.gather().entries);
  w.sectors += apart * s.rows();  // of y
  w.misses *= 1 + 0.5 * apart * share;
  w.teams = shape.warps + shape.pieces;
  w.chain = shape.steps + (shape.crossings > 0 ? s.longest() / 1024 / 32 : 0);
  w.launches = shape.crossings > 0 ? 2 : 1;
  return w;
}

Workload csr_ell_cpu(const Subject& s, const Plan& plan) {
  Workload w = as_on_cpu(s, csr_ell_gpu(s, plan), Walk::sorted, 2, 0);
  w.false_sharing = s.rows();
  return w;
}

}  // namespace

extern const Rules csr_ell_rules{.format = "csr_ell",
                                 .turn = 2,
                                 .plans = [](const Structure&, const Target&) { return parse_plans({"csr_ell"}); },
                                 .gpu = csr_ell_gpu,
                                 .cpu = csr_ell_cpu,
                                 .suits =
                                     [](const Structure& facts, const Plan& plan) {
                                       return row_text(facts, plan) +
                                              ": short ones are packed by length, long ones shared by warps";
                                     },
                                 .selector = "csr_ell_rules",
                                 .selected = [] { return parse_plans({"csr_ell"}); }};

}  // namespace heddle
