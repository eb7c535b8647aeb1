#include "formats/runs/runs_cut.hpp"

#include <gtest/gtest.h>

#include <vector>

#include <heddle/heddle.hpp>

#include "support/zoo.hpp"

namespace heddle::test {
namespace {

constexpr int dear = 1000, cheap = 1;  // what a gathered step costs

// Two whole diagonals, of which one ends at the border, and three entries beside them.
Csr<double> two_diagonals_and_strays(std::int64_t rows) {
  std::vector<Entry> entries;
  for (Index r = 0; r < rows; ++r) {
    entries.push_back({r, r, 1.0 + r});
    if (r + 1 < rows) entries.push_back({r, r + 1, -2.0});
  }
  const auto last = static_cast<Index>(rows - 1);
  for (const Entry& stray : {Entry{2, last, 6.0}, Entry{5, last - 2, 7.0}, Entry{9, last - 1, 8.0}})
    entries.push_back(stray);
  return from_entries(rows, rows, entries);
}

TEST(Runs, are_diagonals_of_16_rows_and_what_is_left_is_gathered) {
  const StepCut cut = cut_steps(two_diagonals_and_strays(32).view(), 0, 25);
  EXPECT_EQ(cut.full, 2);
  EXPECT_EQ(cut.runs, 2);
  EXPECT_EQ(cut.whole, 0);
  EXPECT_EQ(cut.partly, 1);
}

TEST(Runs, need_at_most_what_is_said_before_a_look_at_the_columns) {
  for (const char* text :
       {"stencil2d5,n=40", "random,rows=3000,per_row=9", "rmat,scale=10", "dense,rows=50", "arrow,rows=900"})
    for (const int gather : {5, 16, 25, 1000})
      for (const int value_bytes : {4, 8}) {
        const Csr<double> A = generate<double>(text);
        const RunsSettings settings{gather};
        const Footprint most = RunsFormat<double>::at_most(A.view(), settings, value_bytes),
                        need = RunsFormat<double>::footprint(A.view(), settings, value_bytes);
        EXPECT_GE(most.bytes, need.bytes) << text << " gather=" << gather;
        EXPECT_GE(most.stored, need.stored) << text << " gather=" << gather;
      }
}

TEST(Runs, are_all_there_is_where_gathering_is_dear_and_few_where_it_is_cheap) {
  const Csr<double> A = generate<double>("random,rows=16,cols=4000,per_row=9");
  const StepCut runs = cut_steps(A.view(), 0, dear), gathered = cut_steps(A.view(), 0, cheap);
  EXPECT_EQ(runs.gathered(), 0);
  EXPECT_GT(runs.runs, 100);
  EXPECT_EQ(gathered.runs, 0);
  EXPECT_EQ(gathered.whole, 9);
}

TEST(Runs, count_rows_behind_the_last_as_empty) {
  const StepCut cut = cut_steps(two_diagonals_and_strays(20).view(), 16, 25);
  EXPECT_EQ(cut.full, 0);
  EXPECT_EQ(cut.whole, 0);
  EXPECT_GT(cut.steps(), 0);
}

TEST(Runs, have_their_places_where_the_drawing_says) {
  const Csr<double> A = two_diagonals_and_strays(32);
  const auto made = RunsFormat<double>::build({A.view()}, {.gather = 25});
  ASSERT_EQ(made.slices.size(), 3);
  EXPECT_EQ(made.slices[1].step, 3);
  EXPECT_EQ(made.slices[1].before, 1);
  EXPECT_EQ(std::vector<Index>(made.run_col.begin(), made.run_col.begin() + 2), (std::vector<Index>{0, 1}));
  EXPECT_EQ(made.mask[2], 1u << 2 | 1u << 5 | 1u << 9);
  EXPECT_EQ(made.col[5], 29);
  EXPECT_EQ(made.val[2 * 16 + 5], 7.0);
}

TEST(Runs, give_the_same_product_however_they_are_cut) {
  const Csr<double> A = generate<double>("fem,n=4,dof=3");
  std::vector<double> x(static_cast<std::size_t>(A.cols)), expected(static_cast<std::size_t>(A.rows)), y(expected);
  Csr<double> integers = A;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 9) - 4;
  for (double& value : integers.val) value = static_cast<double>(static_cast<int>(value * 16) % 8);
  build(integers, Plan::parse("csr")).multiply(x, expected);
  for (const Device device : {Device::cpu(), Device::emulator()})
    for (const char* plan : {"runs", "runs gather=1", "runs gather=12", "runs gather=1000"}) {
      build(integers, Plan::parse(plan), {device}).multiply(x, y);
      EXPECT_EQ(y, expected) << plan;
    }
}

}  // namespace
}  // namespace heddle::test
