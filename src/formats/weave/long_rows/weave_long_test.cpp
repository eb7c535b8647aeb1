// What is special about layout=long: columns as runs, neighbours in one warp, blocks that share a row.
#include "formats/weave/long_rows/long_rows.hpp"

#include <gtest/gtest.h>

#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "formats/registered.hpp"
#include "formats/weave/weave_settings.hpp"
#include "simt/simt.hpp"
#include "support/builders.hpp"
#include "support/every_shape.hpp"
#include "support/exact.hpp"

namespace heddle::test {
namespace {

// Rows of runs: of all lengths up to 9, and one of 700.
Csr<double> with_runs() {
  std::vector<Entry> entries;
  for (Index length = 0, column = 3; length < 10; ++length, column += 3 * length)
    for (Index row = 0; row < 12; ++row)
      for (Index k = 0; k < length; ++k) entries.push_back({row, column + row + k, 1.0 + row - k});
  for (Index k = 0; k < 700; ++k) entries.push_back({14, 50 + k, 2.0 - k % 5});
  return from_entries(16, 70'000, entries);
}

TEST(WeaveLong, stores_consecutive_columns_of_long_rows_as_one) {
  const Csr<double> A = with_runs();
  for (const char* values : {"raw", "f32", "dictionary", "dictionary16"})
    for (const char* team : {"32", "64"}) {
      const std::string plan = std::string("weave layout=long columns=quads team=") + team + " values=" + values;
      expect_exact(A, plan);
      expect_exact(convert<float>(A.view()), plan);
      const auto op = build(A, Plan::parse(plan));
      EXPECT_EQ(op.bytes(), footprint(A.view(), op.plan()).bytes);
    }
  expect_same_of_many(A, "weave layout=long columns=quads team=32");
  EXPECT_FALSE(footprint(A.view(), Plan::parse("weave layout=long columns=runs")).fits);
  EXPECT_THROW((void)build(A, Plan::parse("weave layout=long columns=runs")), Error);
  const auto made = weave::Long<double>::build(A.view(), {.team = 32, .columns = WeaveColumns::quads});
  EXPECT_EQ(made.begin[12], 12);  // 1 + 1 + 1 + 1 + 2 + 2 + 2 + 2 + 3 threads of 32
  EXPECT_EQ(weave::Quad::entries(made.quads[0]), 1);
  EXPECT_EQ(weave::Quad::column(made.quads[5]), weave::Quad::column(made.quads[4]) + 4);  // of a run of five
}

TEST(WeaveLong, stores_no_columns_of_rows_without_gaps) {
  std::vector<Entry> entries;
  for (Index row = 0; row < 20; ++row)
    for (Index k = 0; k < 37 * row % 500; ++k) entries.push_back({row, 5 * row + k, 1.0 + k % 7});
  const Csr<double> A = from_entries(20, 70'000, entries);
  for (const char* team : {"32", "128"}) {
    const std::string plan = std::string("weave layout=long columns=runs team=") + team;
    expect_exact(A, plan);
    expect_exact(convert<float>(A.view()), plan + " values=dictionary");
    expect_same_of_many(A, plan);
    const auto op = build(A, Plan::parse(plan));
    const Footprint need = footprint(A.view(), op.plan());
    EXPECT_EQ(op.bytes(), need.bytes);
    EXPECT_EQ(op.bytes(), 21 * 8 + 20 * 8 + 8 * need.stored);
  }
}

TEST(WeaveLong, takes_the_columns_of_long_rows_that_need_fewest_bytes) {
  const auto columns_of = [](const Csr<double>& A) {
    return setting(resolve(A.view(), Plan::parse("weave layout=long")), "columns");
  };
  EXPECT_EQ(columns_of(generate<double>("dense,rows=300")), "runs");
  EXPECT_EQ(columns_of(generate<double>("tomography,n=32")), "each");
  std::vector<Entry> entries;  // runs of twelve, beyond 65,535 columns
  for (Index row = 0; row < 8; ++row)
    for (Index k = 0; k < 1200; ++k) entries.push_back({row, k + k / 12 * 40 + row, 1});
  EXPECT_EQ(columns_of(from_entries(8, 70'000, entries)), "quads");
}

// 32 neighbours of a row are fetched together: place j of lane i has entry 32 j + i of a warp's 128.
TEST(WeaveLong, neighbours_of_a_row_are_in_neighbouring_lanes) {
  const Csr<double> A = with_lengths({300, 0, 5}, 70'000, 1);
  const auto made = weave::Long<double>::build(A.view(), {.team = 64, .columns = WeaveColumns::each});
  ASSERT_EQ(made.begin[3], 3);  // steps of 256 entries: two, none, one
  for (int k = 0; k < 300; ++k) {
    const int warp = k / 128, place = k / 32 % 4, lane = k % 32;
    EXPECT_EQ(made.wide[weave::LongShape::place<Index>(warp * 32 + lane, place)], A.col[k]) << k;
  }
}

// Rows without steps, of one, of some blocks and of all of them, and several rounds.
Csr<double> for_clusters() { return with_lengths({0, 1, 300, 255, 257, 2048, 2049, 9000, 0, 511}, 70'000, 3); }

TEST(WeaveLong, blocks_share_a_row) {
  const Csr<double> A = for_clusters();
  for (const char* groups : {"2", "4", "8"})
    for (const char* columns : {"each", "quads"}) {
      const std::string plan = std::string("weave layout=long team=64 columns=") + columns + " groups=" + groups;
      EXPECT_EQ(setting(build(A, Plan::parse(plan)).plan(), "groups"), groups);
      expect_exact(A, plan);
      expect_exact(convert<float>(A.view()), plan);
    }
  expect_same_of_many(A, "weave layout=long team=64 groups=4");
  std::vector<Entry> runs;
  for (Index row = 0; row < 3; ++row)
    for (Index k = 0; k < 1500 * row; ++k) runs.push_back({row, 7 * row + k, 1.0 + k % 9});
  expect_exact(from_entries(3, 4000, runs), "weave layout=long team=128 columns=runs groups=4");
}

// Sums that depend on their order: blocks and warps in reverse turn must give the same bits.
TEST(WeaveLong, what_blocks_share_does_not_depend_on_who_comes_first) {
  const Csr<double> A = for_clusters();
  const auto op = build(A, Plan::parse("weave layout=long team=64 groups=8"), {Device::emulator()});
  std::vector<double> x(70'000), y[2];
  Dice dice(11);
  for (double& e : x) e = 1 / (3 + static_cast<double>(dice.integer()) / 7);
  for (const auto order : {simt::emulator::Order::forward, simt::emulator::Order::reverse}) {
    std::vector<double>& to = y[order == simt::emulator::Order::reverse];
    to.resize(10);
    simt::emulator::set_order(order);
    op.multiply(x, to);
  }
  simt::emulator::set_order(simt::emulator::Order::forward);
  EXPECT_EQ(y[0], y[1]);
}

// Snapshot.
TEST(WeaveLong, few_and_long_rows_get_several_blocks_each) {
  const auto plan_of = [](std::int64_t rows, std::int64_t length, const char* plan = "weave layout=long") {
    const Csr<double> A = with_lengths(std::vector<std::int64_t>(static_cast<std::size_t>(rows), length), 20'000, 1);
    const Plan found = resolve(A.view(), Plan::parse(plan));
    return setting(found, "team") + " x " + setting(found, "groups");
  };
  EXPECT_EQ(plan_of(20, 10'000), "256 x 8");
  EXPECT_EQ(plan_of(100, 10'000), "256 x 4");
  EXPECT_EQ(plan_of(20, 3'000), "256 x 4");
  EXPECT_EQ(plan_of(20, 2'000), "256 x 2");
  EXPECT_EQ(plan_of(20, 1'000), "128 x 1");
  EXPECT_EQ(plan_of(20, 10'000, "weave layout=long team=1024"), "1024 x 1");
  EXPECT_EQ(plan_of(20, 10'000, "weave layout=long team=64 groups=7"), "64 x 4");
}

// Runs, and rows of any columns. What was found out while the plan was settled is not asked for again.
TEST(WeaveLong, is_stored_from_what_settling_has_found) {
  Csr<double> gaps = with_lengths(std::vector<std::int64_t>(520, 600), 3'000, 5);
  for (const Csr<double>& A : {read_matrix("gen:dense,rows=520"), gaps}) {
    const Making<double> making({A.view(), nullptr, Device::emulator(), 600}, "weave layout=long");
    ASSERT_TRUE(making.builder->settle(false));
    EXPECT_EQ(making.builder->plan(), settled<double>({A.view()}, "weave layout=long"));
    const auto made = making.builder->finish();
    ASSERT_TRUE(made);
    const Csr<double> back = made->restore();
    EXPECT_TRUE(std::equal(back.ptr.begin(), back.ptr.end(), A.ptr.begin(), A.ptr.end()));
    EXPECT_TRUE(std::equal(back.col.begin(), back.col.end(), A.col.begin(), A.col.end()));
    EXPECT_TRUE(std::equal(back.val.begin(), back.val.end(), A.val.begin(), A.val.end()));
  }
}

}  // namespace
}  // namespace heddle::test
