#include "formats/bell/bell.hpp"

#include <gtest/gtest.h>

#include "support/every_shape.hpp"

namespace heddle::test {
namespace {

template <class T>
std::vector<T> list(const Buffer<T>& buffer) {
  return {buffer.begin(), buffer.end()};
}

BellFormat<double> built(const Csr<double>& A, int r, int c, int slice) {
  BellSettings settings;
  settings.r = r, settings.c = c, settings.slice = slice;
  return BellFormat<double>::build({A.view()}, settings);
}

TEST(Bell, puts_block_rows_with_most_blocks_first_and_keeps_ties_in_order) {
  const Csr<double> A =
      from_entries(5, 6, {{0, 0, 1}, {1, 0, 1}, {1, 2, 1}, {1, 4, 1}, {3, 1, 1}, {4, 0, 1}, {4, 5, 1}});
  const auto blocks = built(A, 1, 2, 2);
  EXPECT_EQ(list(blocks.row_of), (std::vector<Index>{1, 4, 0, 3, 2}));
  EXPECT_EQ(list(blocks.length), (std::vector<Index>{3, 2, 1, 1, 0}));
  EXPECT_EQ(list(blocks.start), (std::vector<Offset>{0, 6, 8, 8}));  // widths 3, 1, 0
  EXPECT_EQ(list(blocks.col), (std::vector<Index>{0, 0, 1, 2, 2, -1, 0, 0}));
}

TEST(Bell, interleaves_the_values_of_neighbouring_block_rows) {
  std::vector<Entry> entries;
  for (Index row = 0; row < 4; ++row)
    for (Index col = 0; col < 2; ++col) entries.push_back({row, col, 10.0 * row + col});
  const auto blocks = built(from_entries(4, 2, entries), 2, 2, 2);
  EXPECT_EQ(list(blocks.val), (std::vector<double>{0, 20, 1, 21, 10, 30, 11, 31}));
  EXPECT_EQ(list(blocks.mask), (std::vector<std::uint8_t>{0b1111, 0b1111}));
}

TEST(Bell, multiplies_and_restores_in_every_shape) { expect_every_shape_right("bell"); }

TEST(Bell, multiplies_and_restores_in_slices_that_are_no_warp) { expect_every_shape_right("bell", " slice=5"); }

TEST(Bell, has_the_width_of_each_slice_not_of_the_matrix) {
  std::vector<std::int64_t> lengths(64, 1);
  lengths[40] = 64;
  const Csr<double> A = with_lengths(lengths, 64, 4);
  EXPECT_EQ(footprint(A.view(), Plan::parse("bell r=1 c=1")).stored, 32 * 64 + 32);
}

TEST(Bell, refuses_one_full_row_of_a_million) {
  const Csr<double> A = one_full_row(1'000'000);
  EXPECT_FALSE(footprint(A.view(), Plan::parse("bell")).fits);
  EXPECT_THROW((void)build(A, Plan::parse("bell"), {}), Error);
}

}  // namespace
}  // namespace heddle::test
