#include "formats/sell/sell.hpp"

#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "core/isa.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

Csr<double> mixed_lengths() {
  std::vector<std::int64_t> lengths;
  for (std::int64_t r = 0; r < 500; ++r) lengths.push_back(r % 100 == 7 ? 30 + r / 100 : r * 7919 % 23);
  return with_lengths(lengths, 60, 3);
}

TEST(Sell, makes_each_slice_as_wide_as_its_own_longest_row) {
  const Csr<double> A = with_lengths({1, 2, 0, 5, 0, 0, 3}, 9, 4);
  const auto made = SellFormat<double>::build({A.view()}, {.C = 2});
  EXPECT_EQ(std::vector<Offset>(made.part.start.begin(), made.part.start.end()),
            (std::vector<Offset>{0, 4, 14, 14, 20}));
}

TEST(Sell, sorts_rows_by_falling_length_inside_windows_and_keeps_equal_ones_in_order) {
  const Csr<double> A = with_lengths({1, 2, 0, 2, 3, 1, 1, 4, 9}, 12, 5);
  const auto made = SellFormat<double>::build({A.view()}, {.C = 2, .sigma = 4});
  EXPECT_EQ(std::vector<Index>(made.part.row_of.begin(), made.part.row_of.end()),
            (std::vector<Index>{1, 3, 0, 2, 7, 4, 5, 6, 8}));
}

TEST(Sell, pads_less_the_larger_the_window) {
  const Csr<double> A = mixed_lengths();
  std::int64_t before = INT64_MAX;
  for (const char* plan : {"sell sigma=1", "sell sigma=64", "sell sigma=128", "sell sigma=512"}) {
    const std::int64_t stored = footprint(A.view(), Plan::parse(plan)).stored;
    EXPECT_LT(stored, before) << plan;
    before = stored;
  }
}

TEST(Sell, pads_more_the_larger_the_slice) {
  const Csr<double> A = mixed_lengths();
  std::int64_t before = 0;
  for (const char* plan : {"sell C=2", "sell C=4", "sell C=32", "sell C=128", "sell C=1024"}) {
    const std::int64_t stored = footprint(A.view(), Plan::parse(plan)).stored;
    EXPECT_GT(stored, before) << plan;
    before = stored;
  }
}

TEST(Sell, gives_the_same_product_for_every_slice_window_and_number_of_lanes) {
  const Csr<double> A = mixed_lengths();
  std::vector<double> x(60), expected(500), y(500);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 9) - 4;
  build(A, Plan::parse("csr")).multiply(x, expected);
  for (const Device device : {Device::cpu(), Device::emulator()})
    for (const char* plan : {"sell C=3 sigma=7 lanes=2", "sell C=33 sigma=500 lanes=32", "sell C=1024 sigma=2 lanes=16",
                             "sell C=1000 sigma=100000 lanes=4", "sell C=5 sigma=1 lanes=8"}) {
      build(A, Plan::parse(plan), {device}).multiply(x, y);
      EXPECT_EQ(y, expected) << plan;
    }
}

// y = A x goes through whole slices by a loop of its own, alpha A x through all of them by another. Doubling is exact:
// only another order of a sum, another row or another element of x would differ.
template <class V>
void expect_the_same_bits_doubled(const Csr<V>& A, const char* plan) {
  std::vector<V> x(static_cast<std::size_t>(A.cols)), y(static_cast<std::size_t>(A.rows), V(7)), doubled = y;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = V(0.1) * static_cast<V>(i % 9 + 1);
  const Operator<V> op = build(A, Plan::parse(plan));
  op.multiply(x, y);
  op.multiply(V(2), x, V(0), doubled);
  for (std::size_t row = 0; row < y.size(); ++row) EXPECT_EQ(doubled[row], 2 * y[row]) << plan << ", row " << row;
}
TEST(Sell, gives_the_same_bits_by_whole_slices_and_one_by_one) {
  const Csr<double> mixed = mixed_lengths(), many = generate<double>("lengths,law=uniform,max=9,rows=30007");
  for (const bool fast : {true, false})
    for (const char* plan : {"sell", "sell sigma=64", "sell sigma=1024"}) {
      gathers_pay = {fast, fast, fast};
      for (const Csr<double>* A : {&mixed, &many}) {  // the second does not fit a core's own cache
        expect_the_same_bits_doubled(*A, plan);
        expect_the_same_bits_doubled(convert<float>(A->view()), plan);
      }
    }
}

}  // namespace
}  // namespace heddle::test
