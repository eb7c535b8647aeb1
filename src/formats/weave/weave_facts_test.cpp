// What the choice of a layout asks about a pattern is the same from the host and from a device.
#include "formats/weave/weave_facts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <heddle/io.hpp>

#include "formats/registered.hpp"
#include "formats/weave/weave.hpp"
#include "simt/emulator.hpp"
#include "support/builders.hpp"
#include "support/valued.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using namespace weave;

// What the choice of a layout asks is answered alike, so the choice is the same.
TEST(WeaveFacts, are_the_same_from_the_device) {
  std::vector<Specimen> all = chosen({"0x5", "5x0", "5x5_without_entries", "1x1000_full_row", "wide_10x1000", "dense",
                                      "first_last_middle_rows_empty", "lengths_0_to_129", "lengths_129_to_0",
                                      "power_law", "blocks_3_ragged", "blocks_with_holes", "rows_1025", "far_columns"});
  for (const char* matrix : {"gen:stencil3d7,n=13", "gen:fem,n=6,dof=3", "gen:fem,n=9,dof=6",
                             "gen:band,rows=1000,width=20", "gen:arrow,rows=3000", "gen:dense,rows=36,cols=3000"})
    all.push_back({matrix, read_matrix(matrix)});
  for (const auto& [name, A] : all) {
    SCOPED_TRACE(name);
    const auto here = facts_of(A.view()),
               there = facts_of(simt::Emulator{}, A.view(), facts_of(A.view())->longest(), Device::emulator());
    EXPECT_EQ(there->diagonal_fill(), here->diagonal_fill());
    EXPECT_EQ(there->sectors_per_fetch(), here->sectors_per_fetch());
    for (const int size : weave::block_sizes) EXPECT_EQ(there->block_fill(size), here->block_fill(size));
    const BlockSizes possible = possible_full_blocks(A.view());
    EXPECT_EQ(there->full_blocks(possible).bits, here->full_blocks(possible).bits);
    for (const int team : {32, 64, 1024}) EXPECT_EQ(there->team_steps(team), here->team_steps(team));
    EXPECT_EQ(there->quad_steps(64), here->quad_steps(64));
    EXPECT_EQ(there->rows_are_runs(), here->rows_are_runs());
    for (const TeamShape shape : {TeamShape{1, 4}, TeamShape{1, 2}, TeamShape{4, 2}, TeamShape{32, 1}})
      for (const int sort : {1, 1024}) EXPECT_EQ(there->slice_fill(shape, sort), here->slice_fill(shape, sort));
  }
}

// Questions that go with the first look are asked of arrays that may be no matrix: nothing outside them is read, and
// what comes back is a number, which nobody uses. (The sanitizers see what is read.)
TEST(WeaveFacts, of_arrays_that_are_no_matrix_read_nothing_outside) {
  for (const char* matrix : {"gen:fem,n=9,dof=3", "gen:stencil3d7,n=13", "gen:dense,rows=300,cols=400"}) {
    const Csr<double> A = read_matrix(matrix);
    for (const std::int64_t wrong : {std::int64_t{-9}, A.nnz() + 9, std::int64_t{1} << 40, std::int64_t{0}})
      for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{200}, A.rows}) {
        SCOPED_TRACE(testing::Message() << matrix << ", ptr[" << at << "] = " << wrong);
        Csr<double> broken = A;
        broken.ptr[at] = wrong;
        broken.col[at] = static_cast<Index>(wrong);
        const auto facts = facts_of(simt::Emulator{}, broken.view(), -1, Device::emulator());
        facts->expect({.windows = true,
                       .diagonals = true,
                       .blocks = true,
                       .slices = TeamShape{4, 2},
                       .long_rows = true,
                       .full_blocks = possible_full_blocks(broken.view()),
                       .unseen = true});
        EXPECT_TRUE(std::isfinite(facts->diagonal_fill()) && std::isfinite(facts->sectors_per_fetch()));
        for (const int size : weave::block_sizes) EXPECT_TRUE(std::isfinite(facts->block_fill(size)));
        for (const int sort : {1, 1024}) EXPECT_TRUE(std::isfinite(facts->slice_fill({4, 2}, sort)));
        EXPECT_GE(facts->team_steps(64), 0);
      }
  }
}

// An entry a row, on so many diagonals: three are as many places as count, a fourth is too many. All but the first
// appear once, in rows that one team of threads looks at.
Csr<double> entries_on_diagonals(int diagonals) {
  constexpr Index rows = 128, apart = 32;
  std::vector<Entry> entries;
  for (Index row = 0; row < rows; ++row)
    entries.push_back({row, row + (row % apart == 0 && row / apart < diagonals ? row / apart : 0), 1.0});
  return from_entries(rows, rows + 4, entries);
}

TEST(WeaveFacts, count_diagonals_up_to_where_they_are_hopeless) {
  for (const int diagonals : {1, 2, 3, 4}) {
    const Csr<double> A = entries_on_diagonals(diagonals);
    const auto there = facts_of(simt::Emulator{}, A.view(), 1, Device::emulator());
    EXPECT_EQ(there->diagonal_fill(), diagonals <= 3 ? diagonals : most_diagonal_fill) << diagonals;
    EXPECT_EQ(there->diagonal_fill(), facts_of(A.view())->diagonal_fill()) << diagonals;
  }
}

// All of a small matrix; windows of a larger one, among them parts of a row; tiles wider than the matrix.
TEST(WeaveFacts, of_column_tiles_are_the_same_from_the_device) {
  std::vector<Specimen> all = chosen({"5x0", "power_law", "two_giant_rows_touching"});
  all.push_back({"rmat", read_matrix("gen:rmat,scale=11,edges=16")});
  all.push_back({"windows inside rows", read_matrix("gen:dense,rows=36,cols=30000")});
  for (const auto& [name, A] : all)
    for (const std::int64_t width : {32, 1000, 60000}) {
      SCOPED_TRACE(name + ", " + std::to_string(width));
      const auto here = facts_of(A.view()), there = facts_of(simt::Emulator{}, A.view(), 0, Device::emulator());
      EXPECT_EQ(there->column_tiles(width).natural, here->column_tiles(width).natural);
      EXPECT_EQ(there->column_tiles(width).by_degree, here->column_tiles(width).by_degree);
    }
}

template <class V>
void expect_same_plan(const Csr<V>& A, const char* plan) {
  const Source<V> there{A.view(), nullptr, Device::emulator(), facts_of(A.view())->longest()};
  EXPECT_EQ(settled<V>(there, plan), settled<V>({A.view()}, plan));
}

// More than 2^18 entries, from where on values are looked at.
TEST(WeaveFacts, give_the_plan_that_the_host_gives) {
  expect_same_plan(read_matrix("gen:stencil3d7,n=34"), "weave");
  expect_same_plan(convert<float>(read_matrix("gen:fem,n=12,dof=3").view()), "weave");
  expect_same_plan(convert<float>(read_matrix("gen:fem,n=9,dof=6").view()), "weave");
  expect_same_plan(read_matrix("gen:fem,n=9,dof=6"), "weave layout=blocks");
  expect_same_plan(with_float_values(read_matrix("gen:band,rows=13200,width=20")), "weave layout=rows");
  expect_same_plan(with_few_values(read_matrix("gen:circuit,rows=50000")), "weave layout=blocks");
  expect_same_plan(read_matrix("gen:rmat,scale=11,edges=16"), "weave layout=tiles width=64");
  expect_same_plan(read_matrix("gen:random,rows=2000,per_row=9"), "weave layout=sums");
  expect_same_plan(with_many_values(read_matrix("gen:band,rows=13200,width=20")), "weave layout=rows");
  expect_same_plan(with_one_value(read_matrix("gen:fem,n=12,dof=3")), "weave layout=rows");
}

// Each question that is asked in vain takes as long as one or two products of the matrix.
TEST(WeaveFacts, tell_where_tiles_of_segments_are_worth_counting_early) {
  const auto counted = [](const char* matrix) {
    const Csr<float> A = convert<float>(read_matrix(matrix).view());
    return segments_may_follow({}, *facts_of(A.view()), sizeof(float));
  };
  EXPECT_TRUE(counted("gen:circuit,rows=100000"));
  EXPECT_TRUE(counted("gen:random,rows=20001,per_row=31"));
  EXPECT_FALSE(counted("gen:stencil3d27,n=31"));             // narrow, with the entries of a grid: padded
  EXPECT_FALSE(counted("gen:random,rows=60000,per_row=9"));  // narrow and short
  EXPECT_FALSE(counted("gen:fem,n=20,dof=3"));               // blocks that may all be full
  EXPECT_FALSE(counted("gen:dense,rows=300"));
}

// What lets nobody ask for blocks where all diagonals are known: rows of full blocks are on a diagonal more than they
// have entries.
TEST(WeaveFacts, have_more_diagonals_than_entries_where_blocks_are_full) {
  const auto excess = [](const char* matrix) {
    const Csr<double> A = read_matrix(matrix);
    const auto facts = facts_of(A.view());
    return (facts->diagonal_fill() - 1) * facts->shape().mean();
  };
  for (const char* blocks : {"gen:fem,n=9,dof=2", "gen:fem,n=8,dof=3", "gen:fem,n=7,dof=5", "gen:dense,rows=60"})
    EXPECT_GE(excess(blocks), 1) << blocks;
  EXPECT_LT(excess("gen:stencil3d27,nx=200,ny=60,nz=60"), 0.95);
}

TEST(WeaveFacts, know_the_entries_of_a_grid) {
  const auto is_grid = [](const char* matrix) { return has_entries_of_grid(read_matrix(matrix).view()); };
  for (const char* grid : {"gen:stencil2d5,n=50", "gen:stencil2d9,n=60", "gen:stencil3d7,n=20", "gen:stencil3d27,n=17"})
    EXPECT_TRUE(is_grid(grid)) << grid;
  for (const char* other : {"gen:circuit,rows=9000", "gen:random,rows=3000,per_row=8", "gen:fem,n=7,dof=3"})
    EXPECT_FALSE(is_grid(other)) << other;
}

}  // namespace
}  // namespace heddle::test
