// What is stored, and rows that shares of 256 entries cut.
#include "formats/coo/coo.hpp"

#include <gtest/gtest.h>

#include <array>

#include <heddle/heddle.hpp>

#include "support/exact.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

template <class T>
std::vector<T> list(const Buffer<T>& array) {
  return {array.begin(), array.end()};
}

// It may borrow arrays of A.
CooFormat<double> built(const Csr<double>& A) { return CooFormat<double>::build({A.view()}, {}); }

TEST(Coo, stores_where_every_entry_is) {
  //  row 0: a . b    row 1: empty    row 2: c d .
  const Csr<double> A = from_entries(3, 3, {{0, 0, 1}, {0, 2, 2}, {2, 0, 3}, {2, 1, 4}});
  const auto coo = built(A);
  EXPECT_EQ(list(coo.entries.row), (std::vector<Index>{0, 0, 2, 2}));
  EXPECT_EQ(list(coo.entries.col), (std::vector<Index>{0, 2, 0, 1}));
  EXPECT_EQ(list(coo.entries.val), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_FALSE(coo.uses_scratch());
}

// (row, share where it begins, further shares)
using Cut = std::array<std::int64_t, 3>;

std::vector<Cut> cuts(const std::vector<std::int64_t>& lengths) {
  const Csr<double> A = with_lengths(lengths, 2000, 1);
  const auto coo = built(A);
  EXPECT_EQ(coo.uses_scratch(), !coo.entries.crossing.empty());
  std::vector<Cut> all;
  for (const Crossing& c : coo.entries.crossing) all.push_back({c.row, c.share, c.count});
  return all;
}

TEST(Coo, puts_rows_together_that_cross_shares_of_256_entries) {
  EXPECT_EQ(cuts({256, 256}), std::vector<Cut>{}) << "rows end where shares do";
  EXPECT_EQ(cuts({255, 2, 255}), (std::vector<Cut>{{1, 0, 1}}));
  EXPECT_EQ(cuts({100, 0, 1000, 0, 300}), (std::vector<Cut>{{2, 0, 4}, {4, 4, 1}}));
  EXPECT_EQ(cuts({0, 0, 512, 0}), (std::vector<Cut>{{2, 0, 1}}));
}

TEST(Coo, multiplies_rows_that_are_cut_and_rows_without_entries) {
  for (const auto& lengths : {std::vector<std::int64_t>{256, 256, 256},
                              {255, 2, 255},
                              {0, 0, 1500, 0},
                              {700, 0, 900},
                              {1, 255, 1, 0, 0, 254, 257, 513, 0, 3}}) {
    const Csr<double> A = with_lengths(lengths, 2000, 2);
    expect_exact(A, "coo");
    expect_exact(convert<float>(A.view()), "coo");
  }
}

}  // namespace
}  // namespace heddle::test
