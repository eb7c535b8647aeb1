#include "bench/bound.hpp"

#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

namespace heddle::bench {
namespace {

Machine machine() {
  Machine m = built_in_machine(Device::Kind::gpu);
  m.read_gbps = 1000;
  m.launch_us = 4;
  m.repeat_us = 1;
  m.read = {{1 << 20, 4000}, {1 << 30, 1000}};
  m.gather = {{1 << 16, 400}, {1 << 24, 100}};
  return m;
}

// n rows of `length` entries in the first columns.
Csr<double> rows_of(std::int64_t n, std::int64_t length, std::int64_t cols, auto value) {
  std::vector<Offset> ptr{0};
  std::vector<Index> col;
  std::vector<double> val;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < length; ++j) {
      col.push_back(static_cast<Index>(j));
      val.push_back(value(i * length + j));
    }
    ptr.push_back(ptr.back() + length);
  }
  return make_csr<double>(n, cols, ptr, col, val);
}

Bound bound_of(const Csr<double>& A) { return physical_bound(A.view(), analyze(A), machine()); }

TEST(PhysicalBound, counts_values_used_columns_and_y) {
  const Csr<double> A = rows_of(1000, 5, 70, [](std::int64_t k) { return 1 / (3.0 + static_cast<double>(k)); });
  EXPECT_EQ(bound_of(A).bytes, 8.0 * (5000 + 5 + 1000));
}

TEST(PhysicalBound, counts_repeated_values_as_a_codec_would_store_them) {
  const auto bytes = [](auto value) { return bound_of(rows_of(1000, 5, 70, value)).bytes - 8.0 * (5 + 1000); };
  EXPECT_EQ(bytes([](std::int64_t) { return 0.1; }), 0);
  EXPECT_EQ(bytes([](std::int64_t k) { return k % 7 / 10.0; }), 5000);
  EXPECT_EQ(bytes([](std::int64_t k) { return static_cast<double>(k); }), 20000);  // floats hold them
}

TEST(PhysicalBound, is_the_larger_of_a_launch_and_of_moving_the_bytes_where_nothing_is_gathered) {
  const Bound small = bound_of(rows_of(10, 2, 2, [](std::int64_t k) { return 1 / (3.0 + static_cast<double>(k)); }));
  EXPECT_DOUBLE_EQ(small.seconds, 1e-6);
  EXPECT_DOUBLE_EQ(small.cold_seconds, 4e-6);
  const Bound large =
      bound_of(rows_of(200000, 5, 5, [](std::int64_t k) { return 1 / (3.0 + static_cast<double>(k)); }));
  EXPECT_DOUBLE_EQ(large.cold_seconds, large.bytes / 1000e9);
  EXPECT_LT(large.seconds, large.cold_seconds);
  EXPECT_GT(large.seconds, large.bytes / 4000e9);
}

double seconds_of(const Csr<double>& A, double giga) {  // of single elements a second
  Machine m = machine();
  m.gather = {{1 << 10, giga}, {1 << 30, giga}};
  return physical_bound(A.view(), analyze(A), m).cold_seconds;
}

TEST(PhysicalBound, counts_sectors_of_x_where_columns_lie_anywhere) {
  const Csr<double> A = generate<double>("random,rows=50000,cols=500000,per_row=8");
  EXPECT_NEAR(bound_of(A).gathers, 400000, 4000);
  EXPECT_DOUBLE_EQ(seconds_of(A, 0.1), bound_of(A).gathers / 0.1e9);
  EXPECT_LT(seconds_of(A, 1e3), 10e-6);
}

// By the size of x: from caches where they hold it.
TEST(PhysicalBound, reads_single_elements_as_fast_as_an_array_like_x_allows) {
  const Csr<double> near = generate<double>("random,rows=2000000,cols=8000,per_row=4");
  Machine slow = machine(), fast = machine();
  slow.gather = {{1 << 16, 1}, {1 << 24, 0.5}};
  fast.gather = {{1 << 16, 1}, {1 << 24, 0.1}};
  const Structure facts = analyze(near);
  EXPECT_DOUBLE_EQ(physical_bound(near.view(), facts, slow).seconds, physical_bound(near.view(), facts, fast).seconds);
  const Csr<double> far = generate<double>("random,rows=200000,cols=2100000,per_row=4");
  const Structure of_far = analyze(far);
  EXPECT_DOUBLE_EQ(physical_bound(far.view(), of_far, fast).seconds,
                   5 * physical_bound(far.view(), of_far, slow).seconds);
}

TEST(PhysicalBound, gathers_nothing_on_full_diagonals) {
  const Csr<double> A = generate<double>("stencil3d7,n=40");
  EXPECT_EQ(bound_of(A).gathers, 0);
  EXPECT_LT(seconds_of(A, 1e-3), 1e-3);
}

}  // namespace
}  // namespace heddle::bench
