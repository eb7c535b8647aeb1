// The bits and ranks that say where rows end, and rows that shares of every size cut.
#include "formats/csr_split/csr_split.hpp"

#include <gtest/gtest.h>

#include <array>

#include <heddle/heddle.hpp>

#include "formats/csr_split/csr_split_rules.hpp"
#include "support/exact.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

template <class T>
std::vector<T> list(const Buffer<T>& array) {
  return {array.begin(), array.end()};
}

// It may borrow arrays of A.
CsrSplitFormat<double> built(const Csr<double>& A, int share) {
  return CsrSplitFormat<double>::build({A.view()}, {.share = share});
}

std::vector<int> row_ends(const CsrSplitFormat<double>& A) {
  std::vector<int> ends;
  for (std::int64_t k = 0; k < 32 * A.row_end.size(); ++k)
    if ((A.row_end[k / 32] >> (k % 32) & 1u) != 0) ends.push_back(static_cast<int>(k));
  return ends;
}

// Rows a 100, b 50, c none, d 200, e none, f 6: 356 entries.
const Csr<double>& lettered() {
  static const Csr<double> A = with_lengths({100, 50, 0, 200, 0, 6}, 300, 3);
  return A;
}

TEST(CsrSplit, marks_the_last_entry_of_every_row_and_lists_those_without) {
  const auto split = built(lettered(), 128);
  EXPECT_EQ(row_ends(split), (std::vector<int>{99, 149, 349, 355}));
  EXPECT_EQ(split.row_end.size() % 4, 0) << "the GPU reads four words at a time";
  EXPECT_EQ(list(split.row_of), (std::vector<Index>{0, 1, 3, 5}));
  EXPECT_EQ(list(split.empty), (std::vector<Index>{2, 4}));
  const Csr<double> B = with_lengths({1, 2, 3}, 5, 4);
  const auto whole = built(B, 128);
  EXPECT_TRUE(whole.row_of.empty()) << "every row has entries";
  EXPECT_TRUE(whole.empty.empty());
}

// (row, share where it begins, further shares)
using Cut = std::array<std::int64_t, 3>;

std::vector<Cut> cuts(const CsrSplitFormat<double>& A) {
  std::vector<Cut> all;
  for (const Crossing& c : A.crossing) all.push_back({c.row, c.share, c.count});
  return all;
}

TEST(CsrSplit, knows_how_many_rows_end_before_each_share_and_which_rows_cross_shares) {
  const auto small = built(lettered(), 128), middle = built(lettered(), 256), large = built(lettered(), 512);
  EXPECT_EQ(list(small.rank), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(cuts(small), (std::vector<Cut>{{1, 0, 1}, {3, 1, 1}}));
  EXPECT_EQ(list(middle.rank), (std::vector<Index>{0, 2}));
  EXPECT_EQ(cuts(middle), (std::vector<Cut>{{3, 0, 1}}));
  EXPECT_EQ(list(large.rank), std::vector<Index>{0});
  EXPECT_EQ(cuts(large), std::vector<Cut>{});
}

// Snapshot.
TEST(CsrSplit, takes_larger_shares_for_more_entries) {
  EXPECT_EQ(csr_split_share((1 << 21) - 1), 128);
  EXPECT_EQ(csr_split_share(1 << 21), 256);
  EXPECT_EQ(csr_split_share((1 << 23) - 1), 256);
  EXPECT_EQ(csr_split_share(1 << 23), 512);
  EXPECT_EQ(to_string(build(lettered(), Plan::parse("csr_split")).plan()), "csr_split share=128");
}

TEST(CsrSplit, multiplies_rows_that_are_cut_and_rows_without_entries_by_shares_of_every_size) {
  for (const char* plan : {"csr_split share=128", "csr_split share=256", "csr_split share=512", "csr_split share=1024"})
    for (const auto& lengths : {std::vector<std::int64_t>{100, 50, 0, 200, 0, 6},
                                {0, 0, 5000, 0},
                                {512, 512, 1024},
                                {1023, 2, 1023},
                                {127, 1, 1, 255, 0, 0, 257, 3000, 1, 0}}) {
      const Csr<double> A = with_lengths(lengths, 6000, 5);
      expect_exact(A, plan);
      expect_exact(convert<float>(A.view()), plan);
    }
}

}  // namespace
}  // namespace heddle::test
