#include "formats/csr_ell/csr_ell.hpp"

#include <gtest/gtest.h>

#include <heddle/operator.hpp>

#include "support/zoo.hpp"

namespace heddle {
namespace {

using test::with_lengths;

CsrEllSettings rules_for(const std::vector<std::int64_t>& lengths) {
  return csr_ell_rules(with_lengths(lengths, 4000, 1).view());
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

// Section 2.4 of the paper's specification: warp size 4, two lanes a row, M = 2.
TEST(CsrEll, packs_the_papers_worked_example) {
  const std::vector<Index> lengths{4, 3};  // row b (1,3,2,1) before row a (1,2,4)
  const Vector<EllWarp> warps = pack_rows(lengths, 2, false, 4);
  ASSERT_EQ(warps.size(), 1u);
  EXPECT_EQ(warps[0].lanes, 2);
  EXPECT_EQ(warps[0].rows, 2);
  EXPECT_EQ(warps[0].steps, 2);
}

TEST(CsrEll, lays_out_neighbouring_entries_of_a_row_in_neighbouring_lanes) {
  const Csr<double> A = with_lengths({7, 12}, 50, 4);
  const auto made = CsrEllFormat<double>::build({A.view()}, {.T = 32, .M = 6, .L = 192, .escape = 0});
  ASSERT_EQ(made.warp.size(), 1);
  ASSERT_EQ(made.warp[0].lanes, 2);  // ceil(12 / 6)
  EXPECT_EQ(made.ell_row[0], 1) << "the longer row comes first";
  for (int k = 0; k < 12; ++k) EXPECT_EQ(made.ell_col[k / 2 * 32 + k % 2], A.col[7 + k]);
  for (int k = 0; k < 7; ++k) EXPECT_EQ(made.ell_col[k / 2 * 32 + 2 + k % 2], A.col[k]);
  EXPECT_EQ(made.ell_col[3 * 32 + 3], -1) << "padding";
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

TEST(CsrEll, escapes_to_plain_ell_when_rows_are_short_and_alike) {
  EXPECT_EQ(rules_for(std::vector<std::int64_t>(500, 4)).escape, 1);
  EXPECT_EQ(rules_for(mean_of(500 * 4 + 250, 500)).escape, 0) << "lengths vary";
  EXPECT_EQ(rules_for(std::vector<std::int64_t>(500, 9)).escape, 0) << "rows too long";
}

}  // namespace
}  // namespace heddle
