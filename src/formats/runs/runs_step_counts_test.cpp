#include "formats/runs/runs_step_counts.hpp"

#include <gtest/gtest.h>

#include <heddle/analyze.hpp>
#include <heddle/choose.hpp>
#include <heddle/formats.hpp>
#include <heddle/generate.hpp>

#include "plan/all_rules.hpp"
#include "support/workload_of.hpp"

namespace heddle {
namespace {

// What `runs` stores by the sampled slices, over what it stores.
double predicted_share(const char* text) {
  const Csr<double> A = generate<double>(text);
  const Structure facts = analyze(A, Detail::planning);
  const StepCounts steps = count_steps(A.view(), facts.rows_len.max, sizeof(double));
  const Plan plan = Plan::parse("runs");
  const Workload work = workload(*find_rules("runs"), {facts, sizeof(double), test::cpu_target, false, &steps}, plan);
  return work.bytes / static_cast<double>(footprint(A.view(), plan, sizeof(double)).bytes);
}

TEST(StepCounts, predict_what_runs_stores) {
  for (const char* text : {"stencil2d5,n=80", "fem,n=8,dof=3", "mesh,rows=5000", "random,rows=20000,per_row=8"})
    EXPECT_NEAR(predicted_share(text), 1, 0.1) << text;
}

// A slice of 16 rows is as high as its longest row: one such slice stores more than all others together, and is seldom
// among those that are spread evenly.
TEST(StepCounts, slices_with_a_long_row_are_not_missed) {
  for (const char* text : {"arrow,rows=10000,tip=last", "circuit,rows=20000", "rmat,scale=13", "web,rows=20000"})
    EXPECT_NEAR(predicted_share(text), 1, 0.15) << text;
}

// Of slices with more entries than are sampled the first columns stand for all.
TEST(StepCounts, of_very_long_rows_are_those_of_their_first_columns) {
  for (const char* text : {"dense,rows=16,cols=9000", "dense,rows=37,cols=6000", "lp,rows=40,cols=50000,per_row=9000",
                           "random,rows=20,cols=40000,per_row=7000", "arrow,rows=90000,tip=last"})
    EXPECT_NEAR(predicted_share(text), 1, 0.1) << text;
}

TEST(StepCounts, of_no_entries_are_none) {
  const StepCounts steps = count_steps(generate<double>("empty,rows=100,share=1").view(), 0, sizeof(double));
  EXPECT_EQ(steps.runs + steps.gathered, 0);
}

// The prediction for a plan alone is the one it was chosen by.
TEST(StepCounts, a_prediction_of_runs_is_that_of_the_choice) {
  const Machine machine = built_in_machine(Device::Kind::cpu);
  const Csr<double> A = generate<double>("stencil2d5,n=80");
  const Structure facts = analyze(A, Detail::planning);
  for (const Candidate& c : choose(A, facts, machine).candidates)
    EXPECT_DOUBLE_EQ(predict(A, facts, machine, c.plan), c.predicted_seconds) << to_string(c.plan);
}

}  // namespace
}  // namespace heddle
