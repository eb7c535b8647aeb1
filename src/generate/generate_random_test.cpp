#include "generate/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heddle::synthetic {
namespace {

TEST(Random, draws_the_published_sequence_of_splitmix64) {
  EXPECT_EQ(mix(1234567 + golden), 6457827717110365317u);
  EXPECT_EQ(mix(1234567 + 2 * golden), 3203168211198807973u);
}

TEST(Random, pair_hash_ignores_the_order_and_plain_hash_does_not) {
  EXPECT_EQ(hash_pair(7, 3, 9), hash_pair(7, 9, 3));
  EXPECT_NE(hash(7, 3, 9), hash(7, 9, 3));
  EXPECT_NE(hash(7, 3, 9), hash(8, 3, 9));
}

TEST(Random, below_reaches_both_ends_and_never_the_bound) {
  EXPECT_EQ(below(0, 10), 0);
  EXPECT_EQ(below(~std::uint64_t{0}, 10), 9);
  EXPECT_EQ(below(~std::uint64_t{0}, 1), 0);
  EXPECT_EQ(below(~std::uint64_t{0}, max_dimension), max_dimension - 1);
}

TEST(Random, unit_stays_below_one) {
  EXPECT_EQ(unit(0), 0.0);
  EXPECT_LT(unit(~std::uint64_t{0}), 1.0);
  EXPECT_TRUE(chance(~std::uint64_t{0}, 1.0));
  EXPECT_FALSE(chance(0, 0.0));
}

TEST(Random, numbers_of_a_row_are_spread_evenly) {
  std::vector<int> seen(10);
  Draws draws(1, 42);
  for (int k = 0; k < 100000; ++k) ++seen[static_cast<std::size_t>(draws.below(10))];
  const auto [least, most] = std::minmax_element(seen.begin(), seen.end());
  EXPECT_GT(*least, 9700);
  EXPECT_LT(*most, 10300);
}

TEST(Random, sixteenth_power_agrees_with_square_roots) {
  EXPECT_EQ(sixteenth_power(0.25, 8), 0.5);
  EXPECT_EQ(sixteenth_power(1.0 / 65536, 1), 0.5);
  EXPECT_EQ(sixteenth_power(1.0 / 16, 12), 0.125);
  EXPECT_EQ(sixteenth_power(0.3, 16), 0.3);
  EXPECT_EQ(sixteenth_power(0.0625, 24), 1.0 / 64);
  EXPECT_EQ(sixteenth_power(0.3, 0), 1.0);
}

TEST(Random, shuffle_is_a_bijection_and_inverse_undoes_it) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 64, 65, 1000, 4097}) {
    const Shuffle order(11, n);
    std::vector<bool> seen(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t to = order(i);
      ASSERT_TRUE(to >= 0 && to < n) << n;
      EXPECT_FALSE(seen[static_cast<std::size_t>(to)]) << n << " " << i;
      seen[static_cast<std::size_t>(to)] = true;
      EXPECT_EQ(order.inverse(to), i) << n;
    }
  }
}

TEST(Random, shuffle_moves_nearly_everything) {
  const Shuffle order(3, 10000);
  int fixed = 0;
  for (std::int64_t i = 0; i < 10000; ++i) fixed += order(i) == i;
  EXPECT_LT(fixed, 12);  // one is expected
}

TEST(Random, distinct_columns_are_sorted_complete_and_in_range) {
  for (const std::int64_t cols : {1, 2, 9, 100, 5000})
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, cols / 5, cols / 2, cols}) {
      Draws draws(5, cols);
      Vector<Index> col{77};
      distinct_columns(draws, count, cols, col);
      ASSERT_EQ(static_cast<std::int64_t>(col.size()), count);
      EXPECT_TRUE(std::adjacent_find(col.begin(), col.end(), std::greater_equal<>()) == col.end());
      EXPECT_TRUE(count == 0 || (col.front() >= 0 && col.back() < cols));
    }
}

TEST(Random, sparse_and_dense_choices_of_columns_are_both_uniform) {
  for (const std::int64_t count : {4, 10}) {  // of 20: drawn one by one, and selected
    std::vector<int> seen(20);
    for (std::int64_t row = 0; row < 20000; ++row) {
      Draws draws(9, row);
      Vector<Index> col;
      distinct_columns(draws, count, 20, col);
      for (const Index c : col) ++seen[static_cast<std::size_t>(c)];
    }
    const auto [least, most] = std::minmax_element(seen.begin(), seen.end());
    EXPECT_GT(*least, 1000 * count * 95 / 100);
    EXPECT_LT(*most, 1000 * count * 105 / 100);
  }
}

}  // namespace
}  // namespace heddle::synthetic
