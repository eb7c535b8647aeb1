#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <heddle/analyze.hpp>

#include "support/looks.hpp"

namespace heddle {
namespace {

struct Entry {
  Index row, col;
  double value;
};

template <class V = double>
Csr<V> matrix(std::int64_t rows, std::int64_t cols, const std::vector<Entry>& entries) {
  const auto size = static_cast<std::int64_t>(entries.size());
  Coo<V> coo{rows, cols, Buffer<Index>(size), Buffer<Index>(size), Buffer<V>(size)};
  for (std::int64_t k = 0; k < size; ++k) {
    coo.row[k] = entries[k].row;
    coo.col[k] = entries[k].col;
    coo.val[k] = static_cast<V>(entries[k].value);
  }
  return to_csr(coo);
}

std::vector<Entry> dense_entries(Index rows, Index cols) {
  std::vector<Entry> entries;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) entries.push_back({r, c, r + 10.0 * c});
  return entries;
}

Csr<double> tridiagonal(Index n, double below = -1) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    if (i > 0) entries.push_back({i, i - 1, below});
    entries.push_back({i, i, 2});
    if (i + 1 < n) entries.push_back({i, i + 1, -1});
  }
  return matrix(n, n, entries);
}

double fill_of(const Structure& facts, int size) {
  for (const BlockFill& block : facts.blocks)
    if (block.r == size && block.c == size) return block.fill;
  ADD_FAILURE() << "no " << size << "x" << size << " blocks";
  return -1;
}

TEST(Analyze, describes_a_tridiagonal_matrix) {
  const Structure facts = analyze(tridiagonal(6));
  EXPECT_EQ(facts.rows, 6);
  EXPECT_EQ(facts.cols, 6);
  EXPECT_EQ(facts.nnz, 16);
  EXPECT_EQ(facts.rows_len.min, 2);
  EXPECT_EQ(facts.rows_len.max, 3);
  EXPECT_EQ(facts.rows_len.empty, 0);
  EXPECT_DOUBLE_EQ(facts.rows_len.mean, 16.0 / 6);
  EXPECT_NEAR(facts.rows_len.stddev, std::sqrt(2.0) / 3, 1e-15);
  EXPECT_NEAR(facts.rows_len.cv, std::sqrt(2.0) / 8, 1e-15);
  EXPECT_EQ(facts.rows_len.histogram, (std::vector<std::int64_t>{0, 0, 6}));
  EXPECT_EQ(facts.bandwidth, 1);
  EXPECT_EQ(facts.profile, 5);
  EXPECT_EQ(facts.diagonals.count, 3);
  EXPECT_DOUBLE_EQ(facts.diagonals.occupancy, 1);
  EXPECT_EQ(facts.index_bits, 8);
  EXPECT_TRUE(facts.structurally_symmetric);
  EXPECT_TRUE(facts.symmetric);
  EXPECT_EQ(facts.distinct_values, 2);
  EXPECT_FALSE(facts.distinct_capped);
  EXPECT_TRUE(facts.f32_exact);
}

//  2x2 blocks of a tridiagonal 6 x 6: 3 on the diagonal and 4 off it; 3x3: 2 and 2; 4x4: 4 (2 of them at the edge)
TEST(Analyze, counts_the_blocks_of_a_tridiagonal_matrix) {
  const Structure facts = analyze(tridiagonal(6));
  EXPECT_DOUBLE_EQ(fill_of(facts, 2), 7 * 4 / 16.0);
  EXPECT_DOUBLE_EQ(fill_of(facts, 3), 4 * 9 / 16.0);
  EXPECT_DOUBLE_EQ(fill_of(facts, 4), 4 * 16 / 16.0);
  EXPECT_DOUBLE_EQ(fill_of(facts, 5), 4 * 25 / 16.0);
  EXPECT_DOUBLE_EQ(fill_of(facts, 6), 36 / 16.0);
  EXPECT_FALSE(facts.blocks_sampled);
}

TEST(Analyze, finds_full_blocks_where_every_block_is_full) {
  const Structure facts = analyze(matrix(60, 120, dense_entries(60, 120)));
  for (int size : {2, 3, 4, 5, 6}) EXPECT_DOUBLE_EQ(fill_of(facts, size), 1) << size;
}

TEST(Analyze, sees_that_an_upper_entry_without_mirror_breaks_symmetry) {
  EXPECT_FALSE(analyze(matrix(3, 3, {{0, 0, 1}, {0, 2, 5}})).structurally_symmetric);
  EXPECT_FALSE(analyze(matrix(3, 3, {{0, 0, 1}, {2, 0, 5}})).structurally_symmetric);
  // As many above as below, but not mirrored.
  EXPECT_FALSE(analyze(matrix(3, 3, {{0, 1, 5}, {2, 0, 5}})).structurally_symmetric);
}

TEST(Analyze, tells_a_symmetric_pattern_from_symmetric_values) {
  const Structure facts = analyze(tridiagonal(50, -1.0000000000000002));
  EXPECT_TRUE(facts.structurally_symmetric);
  EXPECT_FALSE(facts.symmetric);
  EXPECT_FALSE(analyze(matrix(2, 3, {{0, 0, 1}})).structurally_symmetric);
}

TEST(Analyze, compares_values_by_their_bits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(analyze(matrix(2, 2, {{0, 1, nan}, {1, 0, nan}})).symmetric);
  EXPECT_FALSE(analyze(matrix(2, 2, {{0, 1, 0.0}, {1, 0, -0.0}})).symmetric);
  EXPECT_EQ(analyze(matrix(2, 2, {{0, 1, 0.0}, {1, 0, -0.0}, {1, 1, nan}})).distinct_values, 3);
}

TEST(Analyze, knows_which_values_a_float_can_hold) {
  EXPECT_TRUE(analyze(matrix(1, 3, {{0, 0, 0.5}, {0, 1, -3}, {0, 2, INFINITY}})).f32_exact);
  EXPECT_FALSE(analyze(matrix(1, 2, {{0, 0, 0.5}, {0, 1, 0.1}})).f32_exact);
  EXPECT_FALSE(analyze(matrix(1, 1, {{0, 0, 1e300}})).f32_exact);
  EXPECT_FALSE(analyze(matrix(1, 1, {{0, 0, 1e-310}})).f32_exact);
  EXPECT_TRUE(analyze(matrix<float>(1, 1, {{0, 0, 0.1}})).f32_exact);
}

TEST(Analyze, counts_distinct_values_up_to_the_cap_and_no_further) {
  std::vector<double> values(1000);
  for (int k = 0; k < 1000; ++k) values[k] = k % 100;
  const std::span<const double> all = values;
  EXPECT_EQ(test::values_of(all, 200).distinct, 100);
  EXPECT_EQ(test::values_of(all, 100).distinct, 100);
  EXPECT_FALSE(test::values_of(all, 100).capped);
  EXPECT_EQ(test::values_of(all, 99).distinct, 99);
  EXPECT_TRUE(test::values_of(all, 99).capped);
}

TEST(Analyze, caps_a_large_set_of_distinct_values) {
  Csr<double> A = matrix(300, 300, dense_entries(300, 300));
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = static_cast<double>(k) * 0.1;
  const Structure facts = analyze(A);
  EXPECT_EQ(facts.distinct_values, distinct_cap);
  EXPECT_TRUE(facts.distinct_capped);
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = static_cast<double>(k % distinct_cap);
  EXPECT_EQ(analyze(A).distinct_values, distinct_cap);
  EXPECT_FALSE(analyze(A).distinct_capped);
}

TEST(Analyze, says_how_many_bits_hold_the_distance_from_the_diagonal) {
  EXPECT_EQ(analyze(matrix(1, 200, {{0, 127, 1}})).index_bits, 8);
  EXPECT_EQ(analyze(matrix(1, 200, {{0, 128, 1}})).index_bits, 16);
  EXPECT_EQ(analyze(matrix(200, 1, {{128, 0, 1}})).index_bits, 8);
  EXPECT_EQ(analyze(matrix(200, 1, {{129, 0, 1}})).index_bits, 16);
  EXPECT_EQ(analyze(matrix(1, 70000, {{0, 32767, 1}})).index_bits, 16);
  EXPECT_EQ(analyze(matrix(1, 70000, {{0, 32768, 1}})).index_bits, 32);
}

TEST(Analyze, survives_matrices_without_rows_columns_or_entries) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}, {5, 5}}) {
    const Structure facts = analyze(matrix(rows, cols, {}));
    EXPECT_EQ(facts.nnz, 0);
    EXPECT_EQ(facts.rows_len.empty, rows);
    EXPECT_EQ(facts.rows_len.max, 0);
    EXPECT_EQ(facts.rows_len.min, 0);
    EXPECT_EQ(facts.rows_len.mean, 0);
    EXPECT_EQ(facts.rows_len.cv, 0);
    EXPECT_EQ(facts.bandwidth, 0);
    EXPECT_EQ(facts.diagonals.count, 0);
    EXPECT_EQ(facts.diagonals.occupancy, 0);
    EXPECT_EQ(facts.distinct_values, 0);
    EXPECT_EQ(facts.structurally_symmetric, rows == cols);
    EXPECT_FALSE(to_string(facts).empty());
  }
}

TEST(Analyze, measures_one_entry_in_the_far_corner) {
  const Structure facts = analyze(matrix(1, 2000000, {{0, 1999999, 4}}));
  EXPECT_EQ(facts.bandwidth, 1999999);
  EXPECT_EQ(facts.diagonals.count, 1);
  EXPECT_EQ(facts.diagonals.occupancy, 1);
  EXPECT_EQ(facts.index_bits, 32);
  EXPECT_EQ(facts.profile, 0);
}

// What `analyze` must say, computed entry by entry with sets.
void expect_same_as_counting(const Csr<double>& A) {
  std::set<std::int64_t> diagonals;
  std::map<int, std::set<std::pair<std::int64_t, std::int64_t>>> blocks;
  std::map<std::pair<std::int64_t, std::int64_t>, double> at;
  std::set<double> values;
  std::int64_t diagonal_length = 0, bandwidth = 0;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const std::int64_t c = A.col[k];
      diagonals.insert(c - row);
      for (int size : {2, 3, 4, 5, 6}) blocks[size].insert({row / size, c / size});
      at[{row, c}] = A.val[k];
      values.insert(A.val[k]);
      bandwidth = std::max(bandwidth, std::abs(c - row));
    }
  for (std::int64_t d : diagonals)
    for (std::int64_t row = 0; row < A.rows; ++row) diagonal_length += row + d >= 0 && row + d < A.cols;
  bool structural = A.rows == A.cols, numerical = structural;
  for (const auto& [place, value] : at) {
    const auto mirror = at.find({place.second, place.first});
    structural = structural && mirror != at.end();
    numerical = numerical && structural && mirror->second == value;
  }
  const Structure facts = analyze(A);
  EXPECT_EQ(facts.diagonals.count, static_cast<std::int64_t>(diagonals.size()));
  EXPECT_DOUBLE_EQ(facts.diagonals.occupancy, static_cast<double>(A.nnz()) / static_cast<double>(diagonal_length));
  EXPECT_EQ(facts.distinct_values, static_cast<std::int64_t>(values.size()));
  EXPECT_EQ(facts.bandwidth, bandwidth);
  EXPECT_EQ(facts.structurally_symmetric, structural);
  EXPECT_EQ(facts.symmetric, numerical);
  for (int size : {2, 3, 4, 5, 6})
    EXPECT_DOUBLE_EQ(fill_of(facts, size),
                     static_cast<double>(blocks[size].size()) * size * size / static_cast<double>(A.nnz()));
}

TEST(Analyze, agrees_with_counting_entry_by_entry) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const auto rows = static_cast<Index>(1 + random() % 60), cols = static_cast<Index>(1 + random() % 60);
    std::map<std::pair<Index, Index>, double> chosen;
    for (unsigned k = 1 + random() % 300; k > 0; --k)
      chosen[{static_cast<Index>(random() % rows), static_cast<Index>(random() % cols)}] = random() % 9;
    if (round % 2 == 0)  // every other matrix is made symmetric where its shape allows
      for (const auto& [place, value] : std::map(chosen))
        if (place.second < rows && place.first < cols) chosen[{place.second, place.first}] = value;
    std::vector<Entry> entries;
    for (const auto& [place, value] : chosen) entries.push_back({place.first, place.second, value});
    SCOPED_TRACE(round);
    expect_same_as_counting(matrix(rows, cols, entries));
  }
}

TEST(Analyze, says_the_same_with_one_thread_and_with_five) {
  const Csr<double> A = tridiagonal(300000);
  set_threads(1);
  const std::string alone = to_string(analyze(A));
  set_threads(5);
  const std::string together = to_string(analyze(A));
  EXPECT_EQ(alone, together);
  EXPECT_NE(alone.find("300000 x 300000, 899998 entries, symmetric\n"), std::string::npos) << alone;
}

TEST(Analyze, estimates_blocks_of_a_large_matrix_from_a_sample) {
  const Csr<double> A = tridiagonal(120000);
  const std::vector<BlockFill> all = test::blocks_of(A.view(), A.nnz()), sampled = test::blocks_of(A.view(), 20000);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(sampled[i].fill, all[i].fill, 0.01 * all[i].fill);
}

}  // namespace
}  // namespace heddle
