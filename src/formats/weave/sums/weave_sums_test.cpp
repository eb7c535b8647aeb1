// What is special about layout=sums: steps of distinct rows, entries that wait, row blocks and groups.
#include "formats/weave/sums/sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <heddle/heddle.hpp>

#include "support/oracle.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using weave::Sums;
using weave::SumsShape;

weave::SumsSettings settings_of(int kb, int threads = 1024) { return {.threads = threads, .kb = kb, .groups = 1}; }

struct Slot {
  Index row, col;  // row of the warp; column -1: no entry
};

// The 32 slots of every step of a warp.
template <int K, class V>
std::vector<std::vector<Slot>> batched_steps(const Sums<V>& A, std::int64_t warp) {
  std::vector<std::vector<Slot>> steps;
  for (Offset batch = A.start[warp]; batch < A.start[warp + 1]; ++batch)
    for (int i = 0; i < K; ++i) {
      std::vector<Slot> step;
      for (int lane = 0; lane < 32; ++lane)
        step.push_back({A.row[batch * K * 32 + place_in_pieces<std::uint16_t, K>(lane, i)],
                        A.col[batch * K * 32 + place_in_pieces<Index, K>(lane, i)]});
      steps.push_back(step);
    }
  return steps;
}
template <class V>
std::vector<std::vector<Slot>> steps_of(const Sums<V>& A, std::int64_t warp) {
  return A.shape.batch == 8 ? batched_steps<8>(A, warp) : batched_steps<4>(A, warp);
}

Csr<double> random_rows(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows));
  for (auto& length : lengths) length = dice.below(9);
  return with_lengths(lengths, cols, seed);
}

std::vector<double> integers(std::int64_t n, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& e : v) e = dice.integer();
  return v;
}

template <class V>
void expect_distinct_rows(const Sums<V>& A) {
  for (std::int64_t warp = 0; warp < A.shape.warps(); ++warp)
    for (const auto& step : steps_of(A, warp)) {
      std::set<Index> rows;
      for (const Slot& slot : step)
        if (slot.col >= 0) {
          EXPECT_TRUE(rows.insert(slot.row).second) << "row " << slot.row << " of warp " << warp;
        }
    }
}

TEST(WeaveSums, no_step_has_a_row_twice) {
  for (const Csr<double>& A :
       {random_rows(3000, 500, 1), random_rows(40, 2000, 2), with_lengths({90, 1, 2, 3}, 100, 3)}) {
    expect_distinct_rows(Sums<double>::build(A.view(), settings_of(4)));
    expect_distinct_rows(Sums<double>::build(A.view(), settings_of(4, 64)));
  }
}

TEST(WeaveSums, walks_along_the_columns_and_pads_random_matrices_little) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(2048, 16), 100000, 4);
  const auto made = Sums<double>::build(A.view(), settings_of(16));
  ASSERT_EQ(made.shape.warps(), 8);
  EXPECT_LT(static_cast<double>(made.col.size()), 1.05 * static_cast<double>(A.nnz()));
  for (std::int64_t warp = 0; warp < made.shape.warps(); ++warp) {
    const auto steps = steps_of(made, warp);
    for (std::size_t s = 0; s < steps.size() * 3 / 4; ++s) {  // entries wait for a few steps at most
      const auto by_column = [](const Slot& a, const Slot& b) { return a.col < b.col; };
      const auto filled_first = [](const Slot& a, const Slot& b) {  // the last steps of a part may have room
        return static_cast<std::uint32_t>(a.col) < static_cast<std::uint32_t>(b.col);
      };
      EXPECT_LT(std::max_element(steps[s].begin(), steps[s].end(), by_column)->col,
                std::min_element(steps[s + 4].begin(), steps[s + 4].end(), filled_first)->col + 2000);
    }
  }
}

TEST(WeaveSums, an_entry_whose_row_is_taken_waits_for_the_next_step) {
  //  row 0   0 1 . 3     by column: rows 0 0 1 0;   steps: {0, 1}, {0}, {0}
  //  row 1   . . 2 .
  const Csr<double> A = from_entries(2, 4, {{0, 0, 1}, {0, 1, 2}, {0, 3, 4}, {1, 2, 3}});
  const auto made = Sums<double>::build(A.view(), settings_of(1));
  const auto steps = steps_of(made, 0);
  ASSERT_EQ(steps.size(), 4u);
  const auto columns = [&](std::size_t s) {
    std::vector<Index> found;
    for (const Slot& slot : steps[s])
      if (slot.col >= 0) found.push_back(slot.col);
    return found;
  };
  EXPECT_EQ(columns(0), (std::vector<Index>{0, 2}));
  EXPECT_EQ(columns(1), (std::vector<Index>{1}));
  EXPECT_EQ(columns(2), (std::vector<Index>{3}));
  EXPECT_EQ(columns(3), (std::vector<Index>{}));
  EXPECT_TRUE(identical(made.restore(), A));
}

TEST(WeaveSums, restores_rows_whose_entries_waited_long) {
  std::vector<std::int64_t> lengths(200, 3);
  lengths[7] = lengths[100] = 600;  // more than may wait
  const Csr<double> A = with_lengths(lengths, 700, 5);
  EXPECT_TRUE(identical(Sums<double>::build(A.view(), settings_of(2)).restore(), A));
}

TEST(WeaveSums, multiplies_in_several_row_blocks_and_groups) {
  const Csr<double> A = random_rows(1500, 900, 6);  // some rows are empty
  const Csr<float> A32 = convert<float>(A.view());
  const auto x = integers(A.cols, 7), y = integers(A.rows, 8);
  const auto expected = exact_product(A, 2.0, x, -3.0, y);
  for (const int kb : {1, 4, 128})
    for (const int groups : {1, 2, 5, 64}) {
      const Plan plan = Plan::parse("weave layout=sums kb=" + std::to_string(kb) + " groups=" + std::to_string(groups));
      for (const Device device : {Device::cpu(), Device::emulator()}) {
        SCOPED_TRACE(to_string(plan) + " on " + to_string(device));
        std::vector<double> got = y;
        const auto op = build(A, plan, {device});
        op.multiply(2.0, x, -3.0, got);
        EXPECT_EQ(got, expected);
        std::vector<float> x32(x.begin(), x.end()), got32(y.begin(), y.end());
        build(A32, plan, {device}).multiply(2.f, x32, -3.f, got32);
        EXPECT_EQ(std::vector<double>(got32.begin(), got32.end()), expected);
      }
    }
  EXPECT_EQ(SumsShape::of(A.rows, 8, 1).row_blocks(), 12);
  EXPECT_EQ(SumsShape::of(A.rows, 4, 1).row_blocks(), 6);
}

TEST(WeaveSums, takes_every_value_codec) {
  Csr<double> A = random_rows(400, 300, 9);
  for (const char* codec : {"raw", "f32", "dictionary"}) {
    const auto op =
        build(A, Plan::parse(std::string("weave layout=sums kb=1 groups=2 values=") + codec), {Device::emulator()});
    const auto x = integers(A.cols, 10), y = integers(A.rows, 11);
    std::vector<double> got = y;
    op.multiply(1.0, x, 1.0, got);
    EXPECT_EQ(got, exact_product(A, 1.0, x, 1.0, y)) << codec;
    EXPECT_TRUE(identical(op.restore(), A)) << codec;
    EXPECT_EQ(op.bytes(), footprint(A.view(), op.plan(), 8).bytes) << codec;
  }
}

TEST(WeaveSums, refuses_rows_that_leave_most_of_their_steps_empty) {
  std::vector<std::int64_t> lengths(1000, 2);
  EXPECT_TRUE(footprint(with_lengths(lengths, 30000, 12).view(), Plan::parse("weave layout=sums")).fits);
  lengths[500] = 20000;
  const Csr<double> A = with_lengths(lengths, 30000, 12);
  const Footprint need = footprint(A.view(), Plan::parse("weave layout=sums"));
  EXPECT_FALSE(need.fits);
  EXPECT_NE(need.reason.find("row"), std::string::npos) << need.reason;
  EXPECT_THROW((void)build(A, Plan::parse("weave layout=sums")), Error);
}

TEST(WeaveSums, deals_rows_out_evenly_within_the_memory_it_is_given) {
  for (const std::int64_t rows : {0, 1, 31, 33, 257, 1000, 5000, 32768, 32769, 100000, 1000000})
    for (const int kb : {1, 7, 32, 120, 128, 208})
      for (const int value_bytes : {4, 8})
        for (const int threads : {64, 512, 1024}) {
          SCOPED_TRACE(std::to_string(rows) + " rows, kb = " + std::to_string(kb));
          const auto shape = SumsShape::of(rows, value_bytes, kb, threads);
          EXPECT_EQ(shape.warp_rows % 32, 0);
          EXPECT_LE(shape.warp_rows, weave::most_warp_rows);
          EXPECT_LE(shape.block_warps, threads / 32);
          EXPECT_GE(shape.warps() * shape.warp_rows, rows);
          const int bytes = shape.block_warps * shape.warp_rows * value_bytes;
          EXPECT_LE(bytes, std::max(kb * 1024 * 5 / 4, 32 * value_bytes));
          EXPECT_LE(bytes, 208 * 1024);
        }
  EXPECT_EQ(SumsShape::of(1 << 20, 4, 128).row_blocks(), 32);
  EXPECT_EQ(SumsShape::of(1 << 20, 4, 128).block_warps, 32);
  EXPECT_EQ(SumsShape::of(100000, 4, 128).row_blocks(), 4);
  EXPECT_EQ(SumsShape::of(100000, 4, 128).warp_rows, 800) << "the last block is as full as the others";
}

TEST(WeaveSums, knows_how_many_entries_meet_in_a_sector) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(1000, 16), 4000, 13);
  EXPECT_DOUBLE_EQ(static_cast<double>(A.nnz()) / weave::sectors_of_sums(A.view(), 4), 32.0);
  EXPECT_DOUBLE_EQ(static_cast<double>(A.nnz()) / weave::sectors_of_sums(A.view(), 8), 16.0);
  EXPECT_DOUBLE_EQ(static_cast<double>(A.nnz()) / weave::sectors_of_sums(A.view(), 8, 4), 8.0);  // two row blocks
}

// Pattern of a matrix by its sizes alone.
// Snapshot.
TEST(WeaveSums, shares_rows_among_blocks_until_a_large_gpu_is_busy) {
  const auto groups = [](std::int64_t rows, std::int64_t per_row, int value_bytes) {
    return weave::sums_groups({rows, rows, rows * per_row}, value_bytes, weave::default_sums_kb, 1024);
  };
  EXPECT_EQ(groups(1 << 20, 16, 4), 4);  // 32 row blocks
  EXPECT_EQ(groups(1 << 20, 16, 8), 2);  // 64
  EXPECT_EQ(groups(2000, 4, 8), 1) << "too few entries a warp";
}

}  // namespace
}  // namespace heddle::test
