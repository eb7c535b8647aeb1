#include "formats/csr_ell/csr_ell.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <heddle/operator.hpp>

#include "support/zoo.hpp"

namespace heddle {
namespace {

using test::with_lengths;

CsrEllSettings rules_for(const std::vector<std::int64_t>& lengths) {
  return csr_ell_by_rules(with_lengths(lengths, 4000, 1).view());
}

// Rows whose mean length is sum / count.
std::vector<std::int64_t> mean_of(std::int64_t sum, std::int64_t count) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(count), sum / count);
  for (std::int64_t i = 0; i < sum % count; ++i) ++lengths[static_cast<std::size_t>(i)];
  return lengths;
}

TEST(CsrEll, follows_the_papers_rules_for_T_M_and_L) {
  struct Case {
    std::int64_t sum, count;
    int T, M, L;
  };
  for (const Case& c : {Case{39, 10, 32, 6, 192}, Case{216, 10, 32, 22, 704}, Case{320, 10, 64, 32, 1024},
                        Case{533, 10, 64, 32, 1024}, Case{1193, 10, 128, 32, 1024}, Case{2500, 10, 256, 32, 1024}}) {
    const CsrEllSettings rule = rules_for(mean_of(c.sum, c.count));
    EXPECT_EQ(rule.T, c.T) << c.sum;
    EXPECT_EQ(rule.M, c.M) << c.sum;
    EXPECT_EQ(rule.L, c.L) << c.sum;
  }
}

TEST(CsrEll, leaves_rows_of_256_or_more_out_of_the_mean) {
  std::vector<std::int64_t> lengths(100, 4);
  lengths.push_back(3000);
  EXPECT_EQ(rules_for(lengths).M, 6);
  EXPECT_EQ(rules_for(lengths).T, 32);
}

TEST(CsrEll, stores_everything_as_csr_when_every_row_is_long) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(20, 300), 1000, 2);
  CsrEllSettings settings;
  CsrEllFormat<double>::settle(settings, A.view());
  EXPECT_EQ(settings.L, 1024);
  const auto made = CsrEllFormat<double>::build({A.view()}, settings);
  EXPECT_EQ(made.ell_row.size(), 0);
  EXPECT_EQ(made.piece.size(), 20);
}

TEST(CsrEll, never_gives_a_row_more_than_8_lanes_by_its_rules) {
  for (const std::int64_t longest : {5, 31, 40, 90, 130, 255}) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < 200; ++i) lengths.push_back(1 + i * 7 % longest);
    const Csr<double> A = with_lengths(lengths, 1000, 3);
    CsrEllSettings settings;
    CsrEllFormat<double>::settle(settings, A.view());
    for (const EllWarp& warp : CsrEllFormat<double>::build({A.view()}, settings).warp) EXPECT_LE(warp.lanes, 8);
  }
}

// The example of the paper's first figure: warps of 4 lanes, two a row, the shorter row first.
TEST(CsrEll, lays_out_the_papers_worked_example_as_printed) {
  const Vector<EllWarp> warps = pack_rows(std::vector<Index>{3, 4}, 2, 4);
  ASSERT_EQ(warps.size(), 1u);
  EXPECT_EQ(warps[0].lanes, 2);
  EXPECT_EQ(warps[0].rows, 2);
  EXPECT_EQ(warps[0].steps, 2);
  const std::vector<std::vector<int>> value{{1, 2, 4}, {1, 3, 2, 1}}, column{{1, 3, 4}, {1, 2, 5, 6}};
  constexpr int none = -1;
  std::vector<int> data(8, none), cols(8, none);
  for (std::size_t q = 0; q < 2; ++q)
    for (std::size_t k = 0; k < value[q].size(); ++k) {
      const auto at =
          static_cast<std::size_t>(packed_place(warps[0], static_cast<std::int64_t>(q), static_cast<Index>(k), 4));
      data[at] = value[q][k], cols[at] = column[q][k];
    }
  EXPECT_EQ(data, (std::vector<int>{1, 2, 1, 3, 4, none, 2, 1}));
  EXPECT_EQ(cols, (std::vector<int>{1, 3, 1, 2, 4, none, 5, 6}));
}

// What is meant by "as many as fit", row by row.
Vector<EllWarp> packed_one_by_one(const std::vector<Index>& lengths, int M, int width) {
  Vector<EllWarp> warps;
  const auto lanes_of = [&](std::size_t row) { return std::clamp((lengths[row] + M - 1) / M, 1, width); };
  Offset start = 0;
  for (std::size_t first = 0; first < lengths.size();) {
    std::size_t rows = 1;
    while (first + rows < lengths.size() && static_cast<int>(rows + 1) * lanes_of(first + rows) <= width) ++rows;
    const int lanes = lanes_of(first + rows - 1), steps = (lengths[first + rows - 1] + lanes - 1) / lanes;
    warps.push_back(
        {start, static_cast<Index>(first), static_cast<std::int16_t>(rows), static_cast<std::int16_t>(lanes), steps});
    start += Offset{steps} * width;
    first += rows;
  }
  return warps;
}

TEST(CsrEll, packs_as_many_rows_into_a_warp_as_fit) {
  test::Dice dice(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<Index> lengths(static_cast<std::size_t>(dice.below(400)));
    const auto longest = 1 + dice.below(300);
    for (Index& length : lengths) length = static_cast<Index>(dice.below(longest));
    std::sort(lengths.begin(), lengths.end());
    const int M = static_cast<int>(1 + dice.below(40)), width = round % 3 == 0 ? 4 : 32;
    const Vector<EllWarp> got = pack_rows(lengths, M, width), expected = packed_one_by_one(lengths, M, width);
    ASSERT_EQ(got.size(), expected.size()) << "round " << round;
    for (std::size_t w = 0; w < got.size(); ++w) {
      EXPECT_EQ(got[w].start, expected[w].start);
      EXPECT_EQ(got[w].first, expected[w].first);
      EXPECT_EQ(got[w].rows, expected[w].rows);
      EXPECT_EQ(got[w].lanes, expected[w].lanes);
      EXPECT_EQ(got[w].steps, expected[w].steps);
    }
  }
}

TEST(CsrEll, lays_out_neighbouring_entries_of_a_row_in_neighbouring_lanes) {
  const Csr<double> A = with_lengths({12, 7}, 50, 4);
  const auto made = CsrEllFormat<double>::build({A.view()}, {.T = 32, .M = 6, .L = 192, .escape = 0});
  ASSERT_EQ(made.warp.size(), 1);
  ASSERT_EQ(made.warp[0].lanes, 2);  // ceil(12 / 6)
  EXPECT_EQ(made.ell_row[0], 1) << "the shorter row comes first";
  for (int k = 0; k < 7; ++k) EXPECT_EQ(made.ell_col[k / 2 * 32 + k % 2], A.col[12 + k]);
  for (int k = 0; k < 12; ++k) EXPECT_EQ(made.ell_col[k / 2 * 32 + 2 + k % 2], A.col[k]);
  EXPECT_EQ(made.ell_col[3 * 32 + 1], -1) << "padding";
}

TEST(CsrEll, cuts_a_long_row_into_pieces_of_L) {
  const Csr<double> A = with_lengths({3, 1000, 2}, 1000, 5);
  const auto made = CsrEllFormat<double>::build({A.view()}, {.T = 32, .M = 6, .L = 192, .escape = 0});
  ASSERT_EQ(made.piece.size(), 6);
  EXPECT_EQ(made.piece[5].end - made.piece[5].begin, 1000 - 5 * 192);
  ASSERT_EQ(made.crossing.size(), 1);
  EXPECT_EQ(made.crossing[0].row, 1);
  EXPECT_EQ(made.crossing[0].count, 5);
}

TEST(CsrEll, escapes_when_rows_are_short_and_alike) {
  EXPECT_EQ(rules_for(std::vector<std::int64_t>(500, 4)).escape, 1);
  EXPECT_EQ(rules_for(mean_of(500 * 4 + 250, 500)).escape, 0) << "lengths vary";
  EXPECT_EQ(rules_for(std::vector<std::int64_t>(500, 9)).escape, 0) << "rows too long";
  std::vector<std::int64_t> one_long(500, 4);
  one_long.push_back(300);
  EXPECT_EQ(rules_for(one_long).escape, 0) << "one row is long";
}

// The paper falls back to Bell and Garland's hyb: the same arrays, and the same bits.
TEST(CsrEll, escapes_to_hyb_by_cusps_rule) {
  std::vector<std::int64_t> lengths(9000, 4);
  for (std::size_t i = 0; i < lengths.size(); i += 40) lengths[i] = 5;
  const Csr<double> A = with_lengths(lengths, 9000, 6);
  CsrEllSettings settings;
  CsrEllFormat<double>::settle(settings, A.view());
  ASSERT_EQ(settings.escape, 1);
  const auto made = CsrEllFormat<double>::build({A.view()}, settings);
  EXPECT_EQ(made.warp.size(), 0);
  EXPECT_EQ(made.hyb.ell.col.size(), 4 * 9024) << "225 longer rows are too few to widen";
  EXPECT_EQ(made.hyb.rest.nnz(), 225);
  const Plan hyb = Plan::parse("hyb rule=cusp"), csr_ell = Plan::parse("csr_ell");
  EXPECT_EQ(footprint(A.view(), csr_ell).bytes, footprint(A.view(), hyb).bytes);
  const std::vector<double> x(9000, 1.5);
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    std::vector<double> y(9000), expected(9000);
    build(A, csr_ell, {.device = device}).multiply(x, y);
    build(A, hyb, {.device = device}).multiply(x, expected);
    EXPECT_EQ(y, expected);
  }
}

}  // namespace
}  // namespace heddle
