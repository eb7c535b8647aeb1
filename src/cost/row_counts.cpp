#include "cost/row_counts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "layout/ell_and_rest.hpp"

namespace heddle {

namespace {

struct Long {
  double rows, entries;
};

// What the exact counts leave over: rows of short_row entries or more.
Long long_rows(const RowLengths& lengths, std::int64_t rows, std::int64_t nnz) {
  Long rest{static_cast<double>(rows), static_cast<double>(nnz)};
  for (std::size_t k = 0; k < lengths.counts.size(); ++k) {
    rest.rows -= static_cast<double>(lengths.counts[k]);
    rest.entries -= static_cast<double>(lengths.counts[k]) * static_cast<double>(k);
  }
  return rest;
}

template <class F>
double sum_of_short(const RowLengths& lengths, F f) {
  double sum = 0;
  for (std::size_t k = 0; k < lengths.counts.size(); ++k)
    if (lengths.counts[k] > 0) sum += static_cast<double>(lengths.counts[k]) * f(static_cast<double>(k));
  return sum;
}

double up(double number, double unit) { return std::ceil(number / unit) * unit; }

}  // namespace

double rounded_entries(const RowLengths& lengths, std::int64_t rows, std::int64_t nnz, std::int64_t unit) {
  const auto u = static_cast<double>(unit);
  const Long rest = long_rows(lengths, rows, nnz);
  return sum_of_short(lengths, [&](double k) { return up(k, u); }) + rest.entries + rest.rows * (u - 1) / 2;
}

double long_row_count(const RowLengths& lengths, std::int64_t rows) { return long_rows(lengths, rows, 0).rows; }

ShortRowSums rows_up_to(const RowLengths& lengths, std::int64_t limit) {
  ShortRowSums sum;
  for (std::size_t k = 0; k < lengths.counts.size() && static_cast<std::int64_t>(k) <= limit; ++k) {
    const auto rows = static_cast<double>(lengths.counts[k]), length = static_cast<double>(k);
    sum.rows += rows;
    sum.entries += rows * length;
    sum.squares += rows * length * length;
  }
  return sum;
}

double clipped_entries(const RowLengths& lengths, std::int64_t rows, std::int64_t nnz, std::int64_t limit) {
  const auto most = static_cast<double>(limit);
  const Long rest = long_rows(lengths, rows, nnz);
  return sum_of_short(lengths, [&](double k) { return std::min(k, most); }) + std::min(rest.entries, rest.rows * most);
}

std::int64_t two_thirds_width(const RowLengths& lengths, std::int64_t rows) {
  double longer = static_cast<double>(rows);
  for (std::size_t k = 0; k < lengths.counts.size(); ++k) {
    longer -= static_cast<double>(lengths.counts[k]);
    if (3 * longer <= static_cast<double>(rows)) return static_cast<std::int64_t>(k);
  }
  // Long rows are known by powers of two: the middle of the bin where a third is left.
  longer = static_cast<double>(rows);
  for (std::size_t bin = 0; bin < lengths.histogram.size(); ++bin) {
    longer -= static_cast<double>(lengths.histogram[bin]);
    if (3 * longer <= static_cast<double>(rows))
      return std::min<std::int64_t>(lengths.max, bin == 0 ? 0 : 3 * (std::int64_t{1} << bin) / 4);
  }
  return lengths.max;
}

double mispredicted_row_ends(const RowLengths& lengths, std::int64_t rows) {
  if (rows == 0) return 0;
  double alike = 0;
  for (const std::int64_t count : lengths.counts) {
    const double share = static_cast<double>(count) / static_cast<double>(rows);
    alike += share * share;
  }
  return static_cast<double>(rows) * (1 - alike);
}

double padding_of(const Structure& facts, int C, std::int64_t sigma) {
  const SlicePadding* best = nullptr;
  const auto distance = [&](const SlicePadding& p) {
    return std::abs(std::log2(static_cast<double>(p.C) / C)) +
           std::abs(std::log2(static_cast<double>(p.sigma) / static_cast<double>(sigma)));
  };
  for (const SlicePadding& p : facts.padding)
    if (!best || distance(p) < distance(*best)) best = &p;
  return best ? best->stored : 1;
}

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

}  // namespace

//  Rows of one length l fill whole warps of floor(32 / t) rows, t = ceil(l / M) lanes each, ceil(l / t) steps: sorted
//  by length, a warp mixes two lengths only where one ends and the next begins.
CsrEllShape csr_ell_shape(const Structure& facts) {
  const RowLengths& lengths = facts.rows_len;
  const Long rest = long_rows(lengths, facts.rows, facts.nnz);
  const double rows = static_cast<double>(facts.rows) - rest.rows;
  const double entries = static_cast<double>(facts.nnz) - rest.entries;
  CsrEllShape shape;
  shape.long_rows = rest.rows;
  shape.long_entries = rest.entries;
  if (rows == 0) {
    shape.pieces = rest.rows / 2 + rest.entries / 1024;
    shape.crossings = rest.rows;
    shape.steps = 32;
    return shape;
  }
  const double avg = entries / rows;
  const auto T = std::min<std::int64_t>(32 * (static_cast<std::int64_t>(avg) / 32 + 1), short_row);
  const double M = std::clamp(std::ceil(avg), 6.0, 32.0), L = 32 * M;
  if (lengths.max <= 8 && lengths.cv <= 0.05) return shape_of_escape(lengths, facts.rows);
  for (std::int64_t l = short_row - 1; l >= 0; --l) {
    const auto count = static_cast<double>(lengths.counts[static_cast<std::size_t>(l)]);
    if (count == 0) continue;
    const auto length = static_cast<double>(l);
    if (l >= T) {
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
  shape.pieces += rest.rows / 2 + rest.entries / L;
  shape.crossings = rest.entries > 0 ? std::min(rest.rows, rest.entries / L) : 0;
  if (shape.long_rows > 0) shape.steps = std::max(shape.steps, std::min(M, static_cast<double>(lengths.max) / 32));
  return shape;
}

}  // namespace heddle
