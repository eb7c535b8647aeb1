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

// A symmetric band with holes, two entries without a twin (one of them below), and a far pair.
Csr<double> symmetric_with_holes(std::int64_t n) {
  std::vector<Entry> entries;
  const auto value = [](Index a, Index b) { return 1.0 + (a * 7 + b * 3) % 11; };
  for (Index row = 0; row < n; ++row)
    for (const Index o : {0, 1, 40})
      if (row + o < n && (row + o) % 9 != 5) {
        entries.push_back({row, row + o, value(row, row + o)});
        if (o > 0) entries.push_back({row + o, row, value(row, row + o)});
      }
  entries.push_back({4, 5, 3});
  entries.push_back({50, 49, 4});
  entries.push_back({0, static_cast<Index>(n - 1), 2});
  entries.push_back({static_cast<Index>(n - 1), 0, 2});
  return from_entries(n, n, entries);
}

TEST(DiaSymmetric, stores_the_upper_diagonals_alone) {
  const Csr<double> A = symmetric_with_holes(1000);
  DiaSettings settings;
  settings.values = static_cast<int>(StoredValues::symmetric);
  const auto half = DiaFormat<double>::build({A.view()}, settings);
  EXPECT_EQ(list(half.offset, half.offset.size()), (std::vector<Index>{0, 1, 40}));
  EXPECT_EQ(half.remainder.nnz(), 3);  // (50, 49), and the far pair
  EXPECT_TRUE(identical(half.restore(), A));
  const Footprint need = footprint(A.view(), Plan::parse("dia values=symmetric"), 8);
  EXPECT_EQ(need.bytes, build(A, Plan::parse("dia values=symmetric"), {Device::cpu()}).bytes());
  EXPECT_LT(need.bytes, footprint(A.view(), Plan::parse("dia"), 8).bytes * 65 / 100);
}

TEST(DiaSymmetric, gives_the_bits_of_the_whole_matrix) {
  for (const std::int64_t n : {60, 61, 333, 4000})
    for (const Device device : {Device::cpu(), Device::emulator()}) {
      SCOPED_TRACE(std::to_string(n) + " on " + to_string(device));
      Csr<double> A = symmetric_with_holes(n);
      for (double& v : A.val) v = 1 / v;
      std::vector<double> x(static_cast<std::size_t>(n)), whole(x.size()), half(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / (3.0 + static_cast<double>(i));
      build(A, Plan::parse("dia"), {device}).multiply(x, whole);
      build(A, Plan::parse("dia values=symmetric"), {device}).multiply(x, half);
      EXPECT_EQ(whole, half);
      expect_right_product(symmetric_with_holes(n), Plan::parse("dia values=symmetric"), device);
    }
}

// A kernel for each usual number of diagonals, with the main one, and one for any.
TEST(DiaSymmetric, gives_the_bits_of_the_whole_matrix_for_any_number_of_diagonals) {
  const Index n = 210;
  for (Index diagonals = 1; diagonals <= 16; ++diagonals)
    for (const Index first : {0, 1}) {
      std::vector<Entry> entries;
      for (Index row = 0; row < n; ++row)
        for (Index d = first; d < first + diagonals; ++d)
          if (const Index col = row + d * (d + 1) / 2; col < n) {
            entries.push_back({row, col, 1.0 / (1 + row + 3 * d)});
            if (col > row) entries.push_back({col, row, entries.back().value});
          }
      const Csr<double> A = from_entries(n, n, entries);
      std::vector<double> x(static_cast<std::size_t>(n)), whole(x.size()), half(x.size());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / (3.0 + static_cast<double>(i));
      const auto op = build(A, Plan::parse("dia values=symmetric min_occupancy=20"), {Device::emulator()});
      build(A, Plan::parse("dia min_occupancy=20"), {Device::emulator()}).multiply(x, whole);
      op.multiply(x, half);
      EXPECT_EQ(whole, half) << diagonals << " diagonals from " << first << " on";
      EXPECT_TRUE(identical(op.restore(), A));
    }
}

TEST(DiaSymmetric, refuses_values_that_are_not_and_keeps_the_operator_as_it_was) {
  Csr<double> A = symmetric_with_holes(100);
  auto op = build(A, Plan::parse("dia values=symmetric"), {Device::cpu()});
  std::vector<double> values(A.val.begin(), A.val.end());
  for (double& v : values) v *= 2;
  op.update_values(values);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), op.restore().val.begin()));
  auto broken = values;
  broken[1] += 1;  // (0, 1)
  try {
    op.update_values(broken);
    FAIL() << "values that are not symmetric were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  }
  EXPECT_TRUE(std::equal(values.begin(), values.end(), op.restore().val.begin()));
  A.val[1] += 1;
  EXPECT_THROW((void)build(A, Plan::parse("dia values=symmetric"), {Device::cpu()}), Error);
}

}  // namespace
}  // namespace heddle::test
