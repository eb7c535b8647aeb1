// Facts of a matrix on a device against those of the host: every field of Detail::planning, to the last bit.
#pragma once

#include <gtest/gtest.h>

#include <heddle/analyze.hpp>

namespace heddle::test {

inline void expect_equal(const RowLengths& a, const RowLengths& b) {
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.empty, b.empty);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.stddev, b.stddev);
  EXPECT_EQ(a.cv, b.cv);
  EXPECT_EQ(a.histogram, b.histogram);
  EXPECT_EQ(a.counts, b.counts);
}

inline void expect_equal(const Diagonals& a, const Diagonals& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.occupancy, b.occupancy);
  EXPECT_EQ(a.full, b.full);
  EXPECT_EQ(a.constant, b.constant);
  EXPECT_EQ(a.full_share, b.full_share);
  EXPECT_EQ(a.slice_fill, b.slice_fill);
  EXPECT_EQ(a.patterns, b.patterns);
}

inline void expect_equal(const Columns& a, const Columns& b) {
  EXPECT_EQ(a.mean_run, b.mean_run);
  EXPECT_EQ(a.delta4, b.delta4);
  EXPECT_EQ(a.delta8, b.delta8);
  EXPECT_EQ(a.delta16, b.delta16);
  EXPECT_EQ(a.near16, b.near16);
  EXPECT_EQ(a.slices16, b.slices16);
  EXPECT_EQ(a.tile_rows, b.tile_rows);
  EXPECT_EQ(a.tile_rows_by_degree, b.tile_rows_by_degree);
}

inline void expect_equal(const Gather& a, const Gather& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.entries, b.entries);
  EXPECT_EQ(a.window, b.window);
}

inline void expect_equal(const std::vector<BlockFill>& a, const std::vector<BlockFill>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].r, b[i].r);
    EXPECT_EQ(a[i].c, b[i].c);
    EXPECT_EQ(a[i].fill, b[i].fill) << a[i].r << "x" << a[i].c;
  }
}

inline void expect_equal(const std::vector<SlicePadding>& a, const std::vector<SlicePadding>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].C, b[i].C);
    EXPECT_EQ(a[i].sigma, b[i].sigma);
    EXPECT_EQ(a[i].stored, b[i].stored) << "C=" << a[i].C << " sigma=" << a[i].sigma;
  }
}

inline void expect_equal(const Structure& a, const Structure& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  EXPECT_EQ(a.nnz, b.nnz);
  expect_equal(a.rows_len, b.rows_len);
  EXPECT_EQ(a.bandwidth, b.bandwidth);
  EXPECT_EQ(a.profile, b.profile);
  expect_equal(a.blocks, b.blocks);
  EXPECT_EQ(a.blocks_sampled, b.blocks_sampled);
  expect_equal(a.diagonals, b.diagonals);
  expect_equal(a.padding, b.padding);
  expect_equal(a.columns, b.columns);
  expect_equal(a.gather_f32, b.gather_f32);
  expect_equal(a.gather_f64, b.gather_f64);
  EXPECT_EQ(a.sampled_entries, b.sampled_entries);
  EXPECT_EQ(a.pattern_hash, b.pattern_hash);
  EXPECT_EQ(a.index_bits, b.index_bits);
  EXPECT_EQ(a.structurally_symmetric, b.structurally_symmetric);
  EXPECT_EQ(a.symmetric, b.symmetric);
  EXPECT_EQ(a.distinct_values, b.distinct_values);
  EXPECT_EQ(a.distinct_capped, b.distinct_capped);
  EXPECT_EQ(a.distinct_guess, b.distinct_guess);
  EXPECT_EQ(a.f32_exact, b.f32_exact);
}

template <class V>
void expect_same_facts(const Csr<V>& A, Device device) {
  expect_equal(analyze(A.to(device), Detail::planning), analyze(A, Detail::planning));
}

}  // namespace heddle::test
