#include "bench/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::bench {
namespace {

Result plan(const char* text, double seconds, double build) {
  Result made{.plan = text, .precision = "f64"};
  made.seconds = seconds;
  made.build_seconds = build;
  return made;
}

Result peer(const char* name, double seconds, double build) {
  Result made = plan("", seconds, build);
  made.peer = name;
  return made;
}

TEST(BreakEven, is_the_first_count_at_which_the_total_is_no_longer_larger) {
  const Result csr = plan("csr", 10, 100), sell = plan("sell", 7, 110);
  const double n = break_even(sell, csr);
  EXPECT_EQ(n, 4);  // 110 + 4 * 7 = 138 <= 100 + 4 * 10 = 140, but 131 > 130 at three
  EXPECT_EQ(break_even(csr, csr), 0);
  EXPECT_EQ(break_even(plan("sell", 9, 100), csr), 0);
}

TEST(BreakEven, never_comes_for_a_slower_multiplication_and_is_unknown_without_times) {
  const Result csr = plan("csr", 10, 100);
  EXPECT_EQ(break_even(plan("coo", 11, 1), csr), INFINITY);
  EXPECT_EQ(break_even(plan("coo", 10, 101), csr), INFINITY);
  Result failed = plan("ell", 1, 1);
  failed.status = "out of memory";
  EXPECT_TRUE(std::isnan(break_even(failed, csr)));
  EXPECT_TRUE(std::isnan(break_even(csr, failed)));
}

TEST(BreakEven, compares_with_the_fastest_csr_and_the_fastest_right_peer) {
  std::vector<Result> results{plan("csr lanes=1", 20, 0), plan("csr lanes=2", 10, 0), plan("csr_split", 1, 0),
                              plan("sell C=32", 5, 50),   peer("eigen", 9, 10),       peer("wrong", 1, 0)};
  results.back().status = "wrong result in row 0";
  put_break_even(results);
  EXPECT_EQ(results[3].break_even_csr, 10);
  EXPECT_EQ(results[3].break_even_peer, 10);
  EXPECT_EQ(results[0].break_even_csr, INFINITY);
  EXPECT_EQ(results[4].break_even_peer, 0);

  std::vector<Result> alone{plan("sell C=32", 5, 50)};
  put_break_even(alone);
  EXPECT_TRUE(std::isnan(alone[0].break_even_csr));
  EXPECT_TRUE(std::isnan(alone[0].break_even_peer));
}

TEST(Regret, is_what_the_chosen_plan_takes_beyond_the_fastest_plan) {
  const std::vector<Result> results{plan("csr", 10, 0), plan("sell", 8, 0), peer("eigen", 1, 0)};
  EXPECT_DOUBLE_EQ(regret(results, "csr"), 0.25);
  EXPECT_EQ(regret(results, "sell"), 0);
  EXPECT_TRUE(std::isnan(regret(results, "coo")));
  EXPECT_TRUE(std::isnan(regret(results, "csr", &Result::cold_seconds)));
}

TEST(Fastest, is_of_its_side_and_of_its_temperature) {
  std::vector<Result> results{plan("csr", 10, 0), plan("sell", 8, 0), peer("eigen", 9, 0)};
  results[0].cold_seconds = 11;
  results[1].cold_seconds = 12;
  EXPECT_EQ(fastest(results, Side::plans), &results[1]);
  EXPECT_EQ(fastest(results, Side::plans, &Result::cold_seconds), &results[0]);
  EXPECT_EQ(fastest(results, Side::peers), &results[2]);
  EXPECT_EQ(fastest(results, Side::peers, &Result::cold_seconds), nullptr);
}

}  // namespace
}  // namespace heddle::bench
