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
  const auto longer_than = [&](std::int64_t k) {
    return rows - std::accumulate(lengths.counts.begin(), lengths.counts.begin() + k + 1, std::int64_t{0});
  };
  const std::int64_t counted = std::ssize(lengths.counts) - 1;
  if (counted >= 0 && 3 * longer_than(counted) <= rows) return ell_width(longer_than, rows, counted, two_thirds);
  // Long rows are known by powers of two: the middle of the bin where a third is left.
  auto longer = static_cast<double>(rows);
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

}  // namespace heddle
