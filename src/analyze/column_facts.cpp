#include <algorithm>

#include "analyze/column_counts.hpp"

namespace heddle {

namespace {

// Every fact is a mean over entries: `weight` is one entry's share of the whole.
struct Sums {
  double entries = 0, deltas = 0, runs = 0;
  double delta4 = 0, delta8 = 0, delta16 = 0, near16 = 0, slices16 = 0, tile_rows = 0;
  double gather_f32[3] = {}, gather_f64[3] = {};

  void add(const WindowCounts& part, double weight) {
    entries += part.entries * weight;
    deltas += part.deltas * weight;
    runs += part.runs * weight;
    delta4 += part.delta4 * weight;
    delta8 += part.delta8 * weight;
    delta16 += part.delta16 * weight;
    near16 += part.near16 * weight;
    slices16 += part.slices16 * weight;
    tile_rows += part.tile_rows * weight;
    for (int i = 0; i < 3; ++i) {
      gather_f32[i] += part.gather_f32[i] * weight;
      gather_f64[i] += part.gather_f64[i] * weight;
    }
  }
};

}  // namespace

WindowCounts& WindowCounts::operator+=(const WindowCounts& part) {
  entries += part.entries, deltas += part.deltas, runs += part.runs;
  delta4 += part.delta4, delta8 += part.delta8, delta16 += part.delta16;
  near16 += part.near16, slices16 += part.slices16;
  tile_rows += part.tile_rows, degree_rows += part.degree_rows;
  for (int i = 0; i < 3; ++i) gather_f32[i] += part.gather_f32[i], gather_f64[i] += part.gather_f64[i];
  return *this;
}

std::int64_t column_sample(std::int64_t nnz, Detail detail) {
  const std::int64_t least = detail == Detail::all ? 1 << 14 : 1 << 13, most = 16 * least;
  return std::clamp(nnz / (detail == Detail::all ? 32 : 64), least, most);
}

ColumnFacts column_facts(std::span<const WindowCounts> windows, bool all_rows) {
  Sums sum;
  ColumnFacts facts;
  for (const WindowCounts& part : windows) {
    sum.add(part, all_rows || part.entries == 0 ? 1 : 1.0 / part.entries);
    facts.entries += part.entries;
  }
  if (sum.entries == 0) return facts;
  const auto share = [&](double count) { return count / sum.entries; };
  const auto of_deltas = [&](double count) { return sum.deltas > 0 ? count / sum.deltas : 1; };
  facts.columns = {sum.entries / sum.runs, of_deltas(sum.delta4), of_deltas(sum.delta8), of_deltas(sum.delta16),
                   share(sum.near16),      share(sum.slices16),   share(sum.tile_rows),  share(sum.tile_rows)};
  facts.gather_f32 = {share(sum.gather_f32[0]), share(sum.gather_f32[1]), share(sum.gather_f32[2])};
  facts.gather_f64 = {share(sum.gather_f64[0]), share(sum.gather_f64[1]), share(sum.gather_f64[2])};
  return facts;
}

double pairs_by_degree(std::span<const WindowCounts> windows) {
  double sum = 0;
  for (const WindowCounts& part : windows) sum += static_cast<double>(part.degree_rows) / part.entries;
  return sum / static_cast<double>(windows.size());
}

}  // namespace heddle
