#include "formats/dia/dia.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/every_shape.hpp"

namespace heddle::test {
namespace {

template <class T>
std::vector<T> list(const Buffer<T>& buffer, std::int64_t count) {
  return {buffer.begin(), buffer.begin() + count};
}

TEST(Dia, stores_the_matrix_of_its_drawing) {
  const Csr<double> A =
      from_entries(4, 4, {{0, 0, 1}, {0, 1, 2}, {1, 1, 3}, {1, 2, 4}, {2, 0, 7}, {2, 3, 6}, {3, 3, 5}});
  const auto diagonals = DiaFormat<double>::build({A.view()}, {});
  EXPECT_EQ(diagonals.ld, 32);
  EXPECT_EQ(list(diagonals.offset, 2), (std::vector<Index>{0, 1}));
  EXPECT_EQ(diagonals.offset.size(), 2);
  EXPECT_EQ(list(diagonals.val, 4), (std::vector<double>{1, 3, 0, 5}));
  EXPECT_EQ(std::vector<double>(diagonals.val.begin() + 32, diagonals.val.begin() + 36),
            (std::vector<double>{2, 4, 6, 0}));
  EXPECT_EQ(list(diagonals.mask, 2), (std::vector<std::uint32_t>{0b1011, 0b0111}));
  ASSERT_EQ(diagonals.remainder.nnz(), 1);
  EXPECT_EQ(diagonals.remainder.col[0], 0);
  EXPECT_EQ(diagonals.remainder.val[0], 7);
}

TEST(Dia, stores_a_diagonal_from_min_occupancy_on) {
  std::vector<Entry> entries;
  for (Index row = 0; row < 100; ++row) {
    if (row < 50) entries.push_back({row, row, 1});
    if (row < 49) entries.push_back({row, row + 3, 1});
  }
  const Csr<double> A = from_entries(100, 110, entries);
  const auto half = DiaFormat<double>::build({A.view()}, {});
  EXPECT_EQ(half.offset.size(), 1);
  EXPECT_EQ(half.remainder.nnz(), 49);
  DiaSettings less;
  less.min_occupancy = 49;
  EXPECT_EQ(DiaFormat<double>::build({A.view()}, less).remainder.nnz(), 0);
}

TEST(Dia, takes_the_bytes_of_its_values_and_one_bit_each) {
  std::vector<Entry> entries;
  for (Index row = 0; row < 1000; ++row)
    for (Index col = std::max(0, row - 1); col <= std::min(999, row + 1); ++col) entries.push_back({row, col, 1});
  const Csr<double> A = from_entries(1000, 1000, entries);
  const Footprint need = footprint(A.view(), Plan::parse("dia"), 8);
  EXPECT_EQ(need.stored, 3 * 1024);
  EXPECT_EQ(need.bytes, 3 * 4 + 3 * 1024 * 8 + 3 * 1024 / 8);
}

TEST(Dia, tells_stored_zeros_from_fill_in) {
  const Csr<double> A = from_entries(3, 3, {{0, 0, 0.0}, {2, 2, 1}});
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const auto op = build(A, Plan::parse("dia"), {device});
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> x{infinity, infinity, 1};
    std::vector<double> y(3);
    op.multiply(x, y);
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ(y[1], 0);
    EXPECT_EQ(y[2], 1);
  }
}

TEST(Dia, multiplies_diagonals_and_remainder_together) {
  for (const char* plan : {"dia min_occupancy=1", "dia min_occupancy=20", "dia", "dia min_occupancy=100"})
    for (const Device device : {Device::cpu(), Device::emulator()}) {
      SCOPED_TRACE(plan + std::string(" on ") + to_string(device));
      expect_right_product(stripes_and_holes(), Plan::parse(plan), device);
    }
}

TEST(Dia, leaves_a_full_row_of_a_million_to_the_remainder) {
  const Csr<double> A = one_full_row(1'000'000);
  const Footprint need = footprint(A.view(), Plan::parse("dia"));
  EXPECT_TRUE(need.fits);
  EXPECT_EQ(need.stored, 1'000'000 + 999'999);
}

TEST(Dia, refuses_a_single_long_row) {  // 700 thousand diagonals of 32 places with one entry each
  EXPECT_FALSE(footprint(with_lengths({700'000}, 700'000, 5).view(), Plan::parse("dia")).fits);
}

TEST(Dia, needs_no_table_of_a_billion_columns_for_a_few_entries) {
  const Csr<double> A = from_entries(2, 2'000'000'000, {{0, 5, 1}, {1, 6, 1}, {1, 1'999'999'999, 1}});
  const auto diagonals = DiaFormat<double>::build({A.view()}, {});
  EXPECT_EQ(list(diagonals.offset, 2), (std::vector<Index>{5, 1'999'999'998}));
  expect_right_product(from_entries(2, 2'000'000, {{0, 5, 1}, {1, 6, 1}, {1, 1'999'999, 1}}), Plan::parse("dia"),
                       Device::cpu());
}

}  // namespace
}  // namespace heddle::test
