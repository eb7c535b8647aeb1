// The two rules for K (fixture F6) and the split.
#include <gtest/gtest.h>

#include <algorithm>

#include <heddle/heddle.hpp>

#include "formats/hyb/hyb.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

std::string width(const std::vector<std::int64_t>& lengths, const std::string& rule) {
  const std::int64_t cols = std::max<std::int64_t>(1, *std::max_element(lengths.begin(), lengths.end()));
  return *resolve(with_lengths(lengths, cols, 1).view(), Plan::parse("hyb rule=" + rule)).find("K");
}

TEST(Hyb, finds_the_widths_of_fixture_F6) {
  EXPECT_EQ(width({1, 1, 1, 9}, "two_thirds"), "1");
  EXPECT_EQ(width({1, 1, 1, 9}, "cusp"), "0");
}

TEST(Hyb, two_thirds_rule_lets_exactly_a_third_of_the_rows_be_longer) {
  EXPECT_EQ(width({2, 2, 9}, "two_thirds"), "2");
  EXPECT_EQ(width({2, 9, 9}, "two_thirds"), "9");
  EXPECT_EQ(width({0, 0, 0}, "two_thirds"), "0");
  EXPECT_EQ(width({4, 7, 1, 9, 2, 8}, "two_thirds"), "7");
}

TEST(Hyb, cusp_rule_needs_4096_longer_rows_and_a_third_of_all_to_widen) {
  const auto lengths = [](std::int64_t short_rows, std::int64_t long_rows) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(short_rows), 2);
    all.insert(all.end(), static_cast<std::size_t>(long_rows), 5);
    return all;
  };
  EXPECT_EQ(width(lengths(0, 4095), "cusp"), "0") << "fewer than 4096 rows";
  EXPECT_EQ(width(lengths(0, 4096), "cusp"), "5");
  EXPECT_EQ(width(lengths(8192, 4096), "cusp"), "5") << "a third is not fewer than a third";
  EXPECT_EQ(width(lengths(8193, 4096), "cusp"), "2");
  EXPECT_EQ(width(lengths(5000, 4095), "cusp"), "2") << "4095 longer rows are too few, however large their share";
}

TEST(Hyb, stores_the_first_K_entries_of_a_row_column_by_column_and_the_rest_as_coordinates) {
  //  row 0: a . . . . .    row 1: b c . . d e    row 2: empty    row 3: . . f g . h
  const Csr<double> A =
      from_entries(4, 6, {{0, 0, 1}, {1, 0, 2}, {1, 1, 3}, {1, 4, 4}, {1, 5, 5}, {3, 2, 6}, {3, 3, 7}, {3, 5, 8}});
  const auto hyb = HybFormat<double>::build({A.view()}, {.K = 2});
  const auto& [ell, rest] = hyb.parts;
  ASSERT_EQ(ell.col.size(), 2 * 32);
  EXPECT_EQ(std::vector<Index>(ell.col.begin(), ell.col.begin() + 5), (std::vector<Index>{0, 0, -1, 2, -1}));
  EXPECT_EQ(std::vector<Index>(ell.col.begin() + 32, ell.col.begin() + 37), (std::vector<Index>{-1, 1, -1, 3, -1}));
  EXPECT_EQ(std::vector<double>(ell.val.begin() + 32, ell.val.begin() + 36), (std::vector<double>{0, 3, 0, 7}));
  EXPECT_EQ(std::vector<Index>(rest.row.begin(), rest.row.end()), (std::vector<Index>{1, 1, 3}));
  EXPECT_EQ(std::vector<Index>(rest.col.begin(), rest.col.end()), (std::vector<Index>{4, 5, 5}));
  EXPECT_EQ(std::vector<double>(rest.val.begin(), rest.val.end()), (std::vector<double>{4, 5, 8}));
}

TEST(Hyb, stores_a_diagonal_with_one_full_row_in_linear_space) {  // fixture F3: ELLPACK alone would take n^2
  const Index n = 20000;
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({7, i, 1});
    if (i != 7) entries.push_back({i, i, 1});
  }
  const Footprint need = footprint(from_entries(n, n, entries).view(), Plan::parse("hyb"));
  EXPECT_TRUE(need.fits);
  EXPECT_EQ(need.stored, 2 * n - 1);
  EXPECT_FALSE(footprint(from_entries(n, n, entries).view(), Plan::parse("hyb K=20000")).fits);
}

}  // namespace
}  // namespace heddle::test
