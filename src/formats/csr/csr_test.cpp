#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "layout/row_tasks.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

// Whole numbers: every order of the sums gives the same, and an entry that is left out or counted twice shows.
Csr<double> whole_numbers(const std::vector<std::int64_t>& lengths, std::int64_t cols) {
  Csr<double> A = with_lengths(lengths, cols, 1);
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = static_cast<double>(k % 7 + 1);
  return A;
}

void expect_every_entry_once(const Csr<double>& A) {
  Buffer<double> x(A.cols), y(A.rows);
  for (std::int64_t i = 0; i < A.cols; ++i) x[i] = static_cast<double>(i % 5 + 1);
  const Operator<double> csr = build(A, Plan::parse("csr"));
  for (const int count : {1, 2, 5}) {
    set_threads(count);
    for (std::int64_t i = 0; i < A.rows; ++i) y[i] = -1;
    csr.multiply(x, y);
    for (std::int64_t row = 0; row < A.rows; ++row) {
      double sum = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sum += A.val[k] * x[A.col[k]];
      ASSERT_EQ(y[row], sum) << "row " << row << ", " << count << " threads";
    }
  }
  set_threads(0);
}

TEST(Csr, shares_long_rows_and_keeps_the_others_whole) {
  expect_every_entry_once(
      whole_numbers({20000, 1, 0, 4095, 4096, 4097, 3, 9000, 9000, 0, 0, 2047, 2048, 2049, 6143, 12288, 5}, 20000));
  expect_every_entry_once(whole_numbers({4096}, 5000));
  expect_every_entry_once(whole_numbers({0, 0, 50000}, 50000));
}

// Up to 1,024 entries and rows are one task, entry by entry where rows are short.
TEST(Csr, multiplies_tiny_matrices) {
  expect_every_entry_once(whole_numbers({1}, 1));
  expect_every_entry_once(whole_numbers({0, 3, 0, 1, 7, 2, 0}, 9));
  expect_every_entry_once(whole_numbers({0, 30, 8, 8, 9, 17}, 40));
  expect_every_entry_once(whole_numbers(std::vector<std::int64_t>(256, 3), 10));
  expect_every_entry_once(whole_numbers(std::vector<std::int64_t>(257, 3), 10));
  const Csr<double> A = whole_numbers({2, 0, 3}, 4);
  const Operator<double> csr = build(A, Plan::parse("csr"), {.device = Device::cpu()});
  const std::vector<double> x{1, 2, 3, 4};
  std::vector<double> plain(3), y{1, 1, 1};
  csr.multiply(x, plain);
  csr.multiply(2, x, -3, y);
  for (std::size_t row = 0; row < 3; ++row) EXPECT_EQ(y[row], 2 * plain[row] - 3);
  y.assign(3, std::nan(""));
  csr.multiply(2, x, 0, y);
  for (std::size_t row = 0; row < 3; ++row) EXPECT_EQ(y[row], 2 * plain[row]) << "y is not read";
}

TEST(Csr, shares_rows_of_matrices_with_more_work_than_parts) {
  std::vector<std::int64_t> lengths(500'000, 1);
  for (const std::int64_t row : {0, 1, 7, 100'000, 499'999}) lengths[static_cast<std::size_t>(row)] = 400'000;
  for (std::int64_t row = 200'000; row < 200'100; ++row) lengths[static_cast<std::size_t>(row)] = 6'200;
  expect_every_entry_once(whole_numbers(lengths, 400'000));
}

TEST(Csr, cuts_small_matrices_into_tasks_of_equal_work) {
  const Csr<double> A = whole_numbers(std::vector<std::int64_t>(2600, 1), 10);  // 5,200 entries and rows: 6 tasks
  const Buffer<Index> first = row_tasks(A.view());
  ASSERT_EQ(first.size(), 7);
  for (std::int64_t t = 0; t < 6; ++t) EXPECT_NEAR(first[t + 1] - first[t], 2600 / 6.0, 3) << t;
  EXPECT_EQ(row_tasks(whole_numbers({}, 1).view()).size(), 1);
}

// 0.1 has no exact double: another order of the sums would have other bits.
TEST(Csr, gives_the_same_bits_of_long_rows_on_any_number_of_threads) {
  Csr<double> A = with_lengths({30000, 5, 7000, 100000, 2, 4096}, 100000, 1);
  Buffer<double> x(A.cols), y(A.rows), alone(A.rows);
  for (std::int64_t i = 0; i < A.cols; ++i) x[i] = 0.1 * static_cast<double>(i % 11);
  const Operator<double> csr = build(A, Plan::parse("csr"));
  set_threads(1);
  csr.multiply(x, alone);
  for (const int count : {2, 3, 8}) {
    set_threads(count);
    csr.multiply(x, y);
    for (std::int64_t row = 0; row < A.rows; ++row) EXPECT_EQ(y[row], alone[row]) << count << " threads";
  }
}

}  // namespace
}  // namespace heddle::test
