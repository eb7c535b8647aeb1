// What the planner counts for layouts of weave on a GPU, beside the bytes (plan/all_rules_test.cpp).
#include <gtest/gtest.h>

#include <algorithm>

#include <heddle/analyze.hpp>
#include <heddle/generate.hpp>

#include "plan/all_rules.hpp"
#include "plan/candidates.hpp"
#include "support/workload_of.hpp"

namespace heddle {
namespace {

Workload weave_rows(const Structure& facts, const char* settings) {
  return workload(*find_rules("weave"), {facts, 8, test::gpu_target},
                  Plan::parse(std::string("weave layout=rows ") + settings));
}

TEST(WorkloadWeave, counts_what_sorted_rows_read_again_where_the_cache_holds_them) {
  const auto more = [](const char* matrix) {
    const Structure facts = analyze(generate<double>(matrix), Detail::planning);
    const Workload sorted = weave_rows(facts, "sort=1024");
    return sorted.stream_bytes - sorted.bytes - 2.0 * 8 * static_cast<double>(facts.rows);
  };
  EXPECT_GT(more("band,rows=60000,width=10"), 60000.0 * (32 - 8));
  EXPECT_NEAR(more("band,rows=400000,width=10"), 0, 1);                        // 4 M doubles,
  EXPECT_NEAR(more("band,rows=800000,width=5"), 800000.0 * (32 - 8), 800000);  // but rows of 6, a lane each
}

// Snapshot.
TEST(WorkloadWeave, counts_the_steps_of_few_slices_as_waited_for_together) {
  const Structure facts = analyze(generate<double>("lengths,law=constant,max=7,rows=40000"), Detail::planning);
  EXPECT_EQ(weave_rows(facts, "lanes=1 per_lane=1 sort=1").chain, 2.5);
  EXPECT_EQ(weave_rows(facts, "lanes=1 per_lane=2 sort=1").chain, 7);
  EXPECT_EQ(weave_rows(facts, "lanes=1 per_lane=1 sort=1024").chain, 3.5);  // and for where sums go
  EXPECT_EQ(weave_rows(facts, "lanes=1 per_lane=2 sort=1024").chain, 7);
}

// Snapshot.
TEST(WorkloadWeave, counts_padded_steps_that_follow_those_under_way) {
  const auto chain = [](const char* matrix, const char* settings) {
    const Structure facts = analyze(generate<double>(matrix), Detail::planning);
    return workload(*find_rules("weave"), {facts, 8, test::gpu_target},
                    Plan::parse(std::string("weave layout=padded ") + settings))
        .chain;
  };
  EXPECT_EQ(chain("lengths,law=constant,max=12,rows=40000", "lanes=1 per_lane=1"), 1);     // few warps: twelve at once
  EXPECT_EQ(chain("lengths,law=constant,max=12,rows=150000", "lanes=1 per_lane=1"), 2.4);  // more: eight
  EXPECT_EQ(chain("lengths,law=constant,max=8,rows=150000", "lanes=1 per_lane=1"), 1);
  EXPECT_EQ(chain("lengths,law=constant,max=30,rows=40000", "lanes=1 per_lane=1"), 6);
}

TEST(WorkloadWeave, proposes_no_blocks_of_two_for_a_cpu) {
  const auto proposed = [](const char* matrix, bool on_gpu) {
    const Structure facts = analyze(generate<double>(matrix), Detail::planning);
    const std::vector<Plan> plans = candidate_plans(facts, {.target = test::target_of_kind(on_gpu)});
    return std::any_of(plans.begin(), plans.end(),
                       [](const Plan& plan) { return to_string(plan).find("layout=blocks") != std::string::npos; });
  };
  EXPECT_FALSE(proposed("fem,n=10,dof=2", false));
  EXPECT_TRUE(proposed("fem,n=10,dof=2", true));
  EXPECT_TRUE(proposed("fem,n=10,dof=3", false));
}

// Snapshot.
TEST(WorkloadWeave, proposes_no_padded_rows_that_keep_a_warp_busy_for_long) {
  const auto proposed = [](const char* matrix) {
    const Structure facts = analyze(generate<double>(matrix), Detail::planning);
    const std::vector<Plan> plans = candidate_plans(facts, {.target = test::gpu_target});
    return std::find(plans.begin(), plans.end(), Plan::parse("weave layout=padded")) != plans.end();
  };
  EXPECT_TRUE(proposed("dense,rows=30,cols=1024"));
  EXPECT_FALSE(proposed("dense,rows=30,cols=1025"));
}

}  // namespace
}  // namespace heddle
