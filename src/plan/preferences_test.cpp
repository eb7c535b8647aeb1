// Candidates made by hand: no fitted cost decides here.
#include "plan/preferences.hpp"

#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "formats/format.hpp"
#include "support/workload_of.hpp"

namespace heddle {
namespace {

constexpr Score by_product{0};

Candidate candidate(const char* plan, double us, double megabytes, double build_us = 0, bool fits = true) {
  return {.plan = Plan::parse(plan),
          .bytes = static_cast<std::int64_t>(megabytes * (1 << 20)),
          .fits = fits,
          .predicted_seconds = us * 1e-6,
          .predicted_build_seconds = build_us * 1e-6};
}

using Candidates = std::vector<Candidate>;

std::string formats_of(const Candidates& candidates) {
  std::string all;
  for (const Candidate& c : candidates) all += (all.empty() ? "" : " ") + c.plan.format;
  return all;
}

const Structure no_facts{};

std::string with_fewer_bytes(Candidates candidates, bool on_device = false, Score score = by_product) {
  prefer_fewer_bytes(candidates, score, {no_facts, 8, test::gpu_target, on_device});
  return formats_of(candidates);
}

TEST(FewerBytes, are_taken_for_4_percent_of_time_if_they_are_half) {
  EXPECT_EQ(with_fewer_bytes({candidate("csr", 100, 10), candidate("ell", 101, 9), candidate("sell", 103.9, 5)}),
            "sell csr ell");
  EXPECT_EQ(with_fewer_bytes({candidate("csr", 100, 10), candidate("sell", 104.1, 1)}), "csr sell");
  EXPECT_EQ(with_fewer_bytes({candidate("csr", 100, 10), candidate("sell", 101, 5.1)}), "csr sell");
  EXPECT_EQ(with_fewer_bytes({candidate("csr", 100, 10), candidate("sell", 101, 5, 0, false)}), "csr sell");
  EXPECT_EQ(with_fewer_bytes({candidate("csr", 100, 10, 0, false), candidate("sell", 101, 5)}), "csr sell");
  EXPECT_EQ(with_fewer_bytes({}), "");
}

TEST(FewerBytes, are_of_a_plan_that_is_built_where_the_first_one_is) {
  ASSERT_FALSE(registered_format("hyb").builds_there);
  ASSERT_TRUE(registered_format("csr").builds_there);
  const Candidates both{candidate("csr", 100, 10), candidate("hyb", 100, 5)};
  EXPECT_EQ(with_fewer_bytes(both), "hyb csr");
  EXPECT_EQ(with_fewer_bytes(both, true), "csr hyb");
}

TEST(FewerBytes, count_building_where_few_products_are_expected) {
  const Candidates both{candidate("csr", 100, 10, 100), candidate("sell", 100, 5, 160)};
  EXPECT_EQ(with_fewer_bytes(both, false, Score{1}), "csr sell");    // 200 and 260 us
  EXPECT_EQ(with_fewer_bytes(both, false, Score{100}), "sell csr");  // 10.1 and 10.16 ms
}

std::string with_little_to_read(Candidates candidates, Score score = by_product) {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.core_read = {{1 << 20, 100}, {64 << 20, 8}};  // half a megabyte from memory: 66 us, a sixteenth of it 4.1
  prefer_little_to_read(candidates, score, machine);
  return formats_of(candidates);
}

TEST(LittleToRead, is_worth_a_sixteenth_of_what_one_core_reads_of_it) {
  EXPECT_EQ(with_little_to_read({candidate("ellr", 2, 0.5), candidate("csr", 5, 0.1)}), "csr ellr");
  EXPECT_EQ(with_little_to_read({candidate("ellr", 2, 0.5), candidate("csr", 5.5, 0.1)}), "ellr csr");
  EXPECT_EQ(with_little_to_read({candidate("ellr", 2, 0.5), candidate("csr", 3, 0.1, 0, false)}), "ellr csr");
  EXPECT_EQ(with_little_to_read({}), "");
}

TEST(LittleToRead, counts_no_more_than_half_a_megabyte) {
  EXPECT_EQ(with_little_to_read({candidate("ellr", 100, 50), candidate("csr", 101, 1)}), "ellr csr");
  EXPECT_EQ(with_little_to_read({candidate("ellr", 100, 50), candidate("csr", 101, 0.3)}), "csr ellr");
}

TEST(LittleToRead, counts_for_every_product_that_is_expected) {
  // Ten products: 30 us and ten sixteenths of 66 us against 55 + 8.
  EXPECT_EQ(with_little_to_read({candidate("ellr", 2, 0.5, 10), candidate("csr", 5, 0.1, 5)}, Score{10}), "csr ellr");
  EXPECT_EQ(with_little_to_read({candidate("ellr", 2, 0.5, 10), candidate("csr", 5, 0.1, 25)}, Score{10}), "ellr csr");
}

std::string with_steady(Candidates candidates) {
  prefer_steady(candidates, by_product);
  return formats_of(candidates);
}

TEST(Steady, is_taken_for_10_percent_where_csr_is_larger_than_caches) {
  EXPECT_EQ(with_steady({candidate("csr", 100, 16), candidate("sell", 101, 16), candidate("runs", 109.9, 16)}),
            "runs csr sell");
  EXPECT_EQ(with_steady({candidate("csr", 100, 16), candidate("runs", 110.1, 16)}), "csr runs");
  EXPECT_EQ(with_steady({candidate("csr", 100, 15.9), candidate("runs", 101, 16)}), "csr runs");
  EXPECT_EQ(with_steady({candidate("csr", 100, 16), candidate("runs", 101, 16, 0, false)}), "csr runs");
  EXPECT_EQ(with_steady({candidate("sell", 100, 16), candidate("runs", 101, 16)}), "sell runs");
  EXPECT_EQ(with_steady({}), "");
}

}  // namespace
}  // namespace heddle
