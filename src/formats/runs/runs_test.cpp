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

// A diagonal, in row 5 every second column besides, and in row 20 every third.
Csr<double> diagonal_with_long_rows() {
  std::vector<Entry> entries;
  for (Index r = 0; r < 40; ++r)
    for (Index c = 0; c < 900; ++c)
      if (c == r || (r == 5 && c % 2 == 0) || (r == 20 && c % 3 == 0)) entries.push_back({r, c, r - c * 0.5});
  return from_entries(40, 900, entries);
}

TEST(Runs, leave_a_row_aside_that_is_far_longer_than_its_neighbours) {
  const Csr<double> A = diagonal_with_long_rows();
  const StepCut first = cut_steps(A.view(), 0, 25), second = cut_steps(A.view(), 16, 25),
                last = cut_steps(A.view(), 32, 25);
  EXPECT_EQ(first.aside, 1u << 5);
  EXPECT_EQ(first.entries_aside, 451);
  EXPECT_EQ(first.steps(), 1);
  EXPECT_EQ(second.aside, 1u << 4);
  EXPECT_EQ(last.aside, 0);
  const auto made = RunsFormat<double>::build({A.view()}, {.gather = 25});
  EXPECT_EQ(std::vector<Index>(made.aside_row.begin(), made.aside_row.end()), (std::vector<Index>{5, 20}));
  EXPECT_EQ(made.slices[1].aside, 1);
  EXPECT_EQ(made.slices[2].aside, 2);
  EXPECT_EQ(made.aside_col[451], 0);
  const Csr<double> again = made.restore();
  EXPECT_TRUE(std::equal(again.ptr.begin(), again.ptr.end(), A.ptr.begin(), A.ptr.end()));
  EXPECT_TRUE(std::equal(again.col.begin(), again.col.end(), A.col.begin(), A.col.end()));
  EXPECT_TRUE(std::equal(again.val.begin(), again.val.end(), A.val.begin(), A.val.end()));
}

TEST(Runs, leave_no_row_aside_where_rows_are_alike) {
  for (const char* text : {"dense,rows=64", "random,rows=64,cols=4000,per_row=200", "stencil2d5,n=12"}) {
    const Csr<double> A = generate<double>(text);
    for (std::int64_t row = 0; row < A.rows; row += rows_of_run)
      EXPECT_EQ(cut_steps(A.view(), row, 25).aside, 0) << text;
  }
}

// alpha and beta reach a row aside once, and so does y = A x.
TEST(Runs, update_rows_that_are_aside_like_others) {
  const Csr<double> A = diagonal_with_long_rows();
  std::vector<double> x(static_cast<std::size_t>(A.cols)), y(static_cast<std::size_t>(A.rows)), expected(y);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 9) - 4;
  for (const Device device : {Device::cpu(), Device::emulator()})
    for (const double beta : {0.0, 3.0}) {
      std::fill(y.begin(), y.end(), 2.0);
      std::fill(expected.begin(), expected.end(), 2.0);
      build(A, Plan::parse("csr")).multiply(beta + 1, x, beta, expected);
      build(A, Plan::parse("runs gather=25"), {device}).multiply(beta + 1, x, beta, y);
      EXPECT_EQ(y, expected) << "beta " << beta;
    }
}

class RunsOf : public testing::TestWithParam<const char*> {};

TEST_P(RunsOf, give_the_same_product_however_they_are_cut) {
  const Csr<double> A = generate<double>(GetParam());
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

INSTANTIATE_TEST_SUITE_P(Matrices, RunsOf, testing::Values("fem,n=4,dof=3", "arrow,rows=300", "circuit,rows=600"));

}  // namespace
}  // namespace heddle::test
