// All 64 block shapes of a format, on both devices of the host, against the exact product.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <heddle/heddle.hpp>

#include "support/oracle.hpp"
#include "support/zoo.hpp"

namespace heddle::test {

// Full, holed and overhanging blocks for every shape: dense stripes, a dense corner and scattered entries; some rows
// are empty and some entries are stored zeros.
inline Csr<double> stripes_and_holes() {
  Dice dice(23);
  std::vector<Entry> entries;
  for (Index row = 0; row < 75; ++row)
    for (Index col = 0; col < 53; ++col) {
      const bool stripe = row < 60 && col / 16 == row / 16 % 3, corner = row > 66 && col > 44;
      if (row != 5 && row != 40 && (stripe || corner || dice.below(40) == 0))
        entries.push_back({row, col, dice.below(9) == 0 ? 0.0 : dice.integer()});
    }
  return from_entries(75, 53, entries);
}

template <class V>
void expect_right_product(const Csr<V>& A, const Plan& plan, Device device) {
  Dice dice(24);
  std::vector<V> x(static_cast<std::size_t>(A.cols)), y(static_cast<std::size_t>(A.rows));
  for (V& e : x) e = static_cast<V>(dice.integer());
  for (V& e : y) e = static_cast<V>(dice.integer());
  const auto op = build(A, plan, {device});
  EXPECT_TRUE(identical(op.restore(), A));
  EXPECT_EQ(op.bytes(), footprint(A.view(), plan, sizeof(V)).bytes);
  std::vector<V> got = y;
  op.multiply(V(2), x, V(-1), got);
  EXPECT_EQ(got, exact_product(A, V(2), x, V(-1), y));
  x[17] = std::numeric_limits<V>::infinity();
  got = y;
  op.multiply(V(1), x, V(1), got);
  for (std::int64_t row = 0; row < A.rows; ++row)
    EXPECT_EQ(class_of(got[row]), class_of_row(A, row, x)) << "row " << row;
}

inline void expect_every_shape_right(const std::string& format, const std::string& more = "") {
  const Csr<double> A = stripes_and_holes();
  const Csr<float> A32 = convert<float>(A.view());
  for (int r = 1; r <= 8; ++r)
    for (int c = 1; c <= 8; ++c) {
      const Plan plan = Plan::parse(format + " r=" + std::to_string(r) + " c=" + std::to_string(c) + more);
      for (const Device device : {Device::cpu(), Device::emulator()}) {
        SCOPED_TRACE(to_string(plan) + " on " + to_string(device));
        expect_right_product(A, plan, device);
        expect_right_product(A32, plan, device);
      }
    }
}

// One full row among a million rows of one entry.
inline Csr<double> one_full_row(std::int64_t n) {
  Csr<double> A{n, n, Buffer<Offset>(n + 1), Buffer<Index>(2 * n - 1), Buffer<double>(2 * n - 1)};
  A.ptr[0] = 0;
  for (std::int64_t row = 0; row < n; ++row) A.ptr[row + 1] = A.ptr[row] + (row == n / 2 ? n : 1);
  for (std::int64_t row = 0; row < n; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      A.col[k] = static_cast<Index>(row == n / 2 ? k - A.ptr[row] : row);
      A.val[k] = 1;
    }
  return A;
}

}  // namespace heddle::test
