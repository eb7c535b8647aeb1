// What layouts of weave take where nothing is named, as functions of facts: building and the planner both ask here.
#pragma once

#include <cstdint>

namespace heddle::weave {

// Whether values are looked at for a shorter form. A small matrix is a matter of latency: a table is one more load to
// wait for, which padded rows, who wait for little else, feel longest.
constexpr std::int64_t fewest_looked_at = 1 << 18, fewest_looked_at_padded = 1 << 20;
constexpr bool small_values_pay(bool padded, std::int64_t entries) {
  return entries >= (padded ? fewest_looked_at_padded : fewest_looked_at);
}

// A table saves bytes and is one more load to wait for: of a matrix in the L2 that is a loss, and it takes as long to
// find as half of all else (H200, float: elasticity of 1.5 M entries in blocks 3.3 us raw and 3.5 with a table, when
// read from memory 6.9 and 6.6; of 5.2 M 5.3 and 5.8, 11.4 and 9.4; of 9 M 10.8 and 8.2, 17.1 and 13.0). Of segments in
// float it always is (9 M: 32 us and 34, from memory 41 and 47).
constexpr bool tables_pay(bool stays_in_cache, bool segments, int value_bytes) {
  return !stays_in_cache && (value_bytes == 8 || !segments);
}

// The block that stores least, or 0 when all store `most` places an entry or more; fill(size) says how many. The larger
// of two is taken unless the smaller one stores 2 % less.
template <class F>
int best_block(double most, F fill) {
  int best = 0;
  double least = most;
  for (const int size : {5, 4, 3, 2})
    if (const double its = fill(size); its < least - (best > 0 ? 0.02 : 0)) best = size, least = its;
  return best;
}

// Whether no row has far more entries than the others: sums have few places without an entry then.
constexpr bool has_even_rows(std::int64_t longest, double mean) { return static_cast<double>(longest) < 8 * mean + 64; }

// Rows are put in the order of their lengths where each has some entries, and where that saves so many places.
constexpr bool sorting_may_pay(double mean_row) { return mean_row >= 6; }
constexpr bool sorting_pays(double places, double sorted_places) { return places > 1.15 * sorted_places; }

// On a CPU slices are what threads share. Few long rows of blocks (a dense matrix) are spread over lanes until there are
// enough of them.
constexpr int cpu_lanes_of_blocks(std::int64_t rows, double mean_row, int block) {
  constexpr double enough_slices = 512, least_steps = 16;
  const double block_rows = static_cast<double>(rows) / block, blocks_of_row = mean_row / block;
  int lanes = 1;
  while (lanes < 8 && block_rows * lanes < 32 * enough_slices && blocks_of_row >= 2 * lanes * least_steps) lanes *= 2;
  return lanes;
}

// Blocks that a CPU multiplies by: full ones. Of 2 they were 1.1 to 1.9 times as slow as the best plan in all of 20
// cases, on 2 and on 16 cores.
constexpr bool blocks_suit_cpu(int block, double mean_row, double places) {
  return block > 2 && mean_row >= 8 && places <= 1.01;
}

// Rows that a CPU multiplies by diagonals: those that seldom leave the matrix, or sometimes, where instructions leave
// lanes out.
struct MostOfDiagonals {
  double mean, fill;
  std::int64_t longest = 256;
};
constexpr MostOfDiagonals cpu_diagonals(bool has_masks) {
  return has_masks ? MostOfDiagonals{128, 3} : MostOfDiagonals{64, 1.35};
}

// Sectors of x that are fetched for an entry where columns are far apart. From `scattered` on the quick choice takes
// tiles or sums unpriced; the planner prices them and so considers them earlier.
constexpr double scattered = 14.0 / 32, perhaps_scattered = 0.3;

// Threads of a row are halved while this many places per entry would be walked by more of them.
constexpr double most_team_places = 1.15;

}  // namespace heddle::weave
