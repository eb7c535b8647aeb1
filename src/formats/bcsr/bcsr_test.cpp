#include "formats/bcsr/bcsr.hpp"

#include <gtest/gtest.h>

#include "support/every_shape.hpp"

namespace heddle::test {
namespace {

template <class T>
std::vector<T> list(const Buffer<T>& buffer) {
  return {buffer.begin(), buffer.end()};
}

TEST(Bcsr, stores_the_matrix_of_its_drawing) {
  const Csr<double> A =
      from_entries(4, 4, {{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {1, 2, 4}, {2, 2, 5}, {2, 3, 6}, {3, 2, 7}, {3, 3, 8}});
  BcsrSettings settings;
  settings.r = settings.c = 2;
  const auto blocks = BcsrFormat<double>::build({A.view()}, settings);
  EXPECT_EQ(list(blocks.ptr), (std::vector<Offset>{0, 2, 3}));
  EXPECT_EQ(list(blocks.col), (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(list(blocks.mask), (std::vector<std::uint8_t>{0b0111, 0b0100, 0b1111}));
  EXPECT_EQ(list(blocks.val), (std::vector<double>{1, 2, 3, 0, 0, 0, 4, 0, 5, 6, 7, 8}));
}

// Paper 3's example: 13 entries in 3 of the 4 tiles of an 8 x 8 matrix, row lengths 2,1,1,1,1,2,3,2.
TEST(Bcsr, stores_48_values_for_the_13_entries_of_paper_3) {
  const Csr<double> A = from_entries(8, 8,
                                     {{0, 0, 1},
                                      {0, 3, 1},
                                      {1, 1, 1},
                                      {2, 2, 1},
                                      {3, 3, 1},
                                      {4, 4, 1},
                                      {5, 1, 1},
                                      {5, 5, 1},
                                      {6, 0, 1},
                                      {6, 5, 1},
                                      {6, 6, 1},
                                      {7, 2, 1},
                                      {7, 7, 1}});
  ASSERT_EQ(A.nnz(), 13);
  const Footprint need = footprint(A.view(), Plan::parse("bcsr"), 4);
  EXPECT_EQ(need.stored, 48);
  EXPECT_EQ(need.stored - A.nnz(), 35);
  EXPECT_EQ(100 * A.nnz() / need.stored, 27);
  EXPECT_EQ(need.bytes, 3 * (16 * 4 + 4 + 2) + 3 * 8 + 2 * 4);  // tiles with column and mask; ptr; one CPU task
}

TEST(Bcsr, multiplies_and_restores_in_every_shape) { expect_every_shape_right("bcsr"); }

TEST(Bcsr, tells_stored_zeros_from_fill_in) {
  const Csr<double> A = from_entries(2, 2, {{0, 0, 0.0}, {0, 1, 1}, {1, 0, 1}});
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const auto op = build(A, Plan::parse("bcsr r=2 c=2"), {device});
    std::vector<double> x{std::numeric_limits<double>::infinity(), 1}, y(2);
    op.multiply(x, y);
    EXPECT_TRUE(std::isnan(y[0])) << "0 * Inf counts where the zero is stored";
    x = {1, std::numeric_limits<double>::infinity()};
    op.multiply(x, y);
    EXPECT_EQ(y[1], 1) << "fill-in does not touch x";
  }
}

TEST(Bcsr, takes_one_full_row_but_refuses_scattered_entries_in_large_blocks) {
  const Csr<double> full_row = one_full_row(1'000'000);
  EXPECT_TRUE(footprint(full_row.view(), Plan::parse("bcsr r=8 c=8")).fits);  // 64 * 250 thousand blocks
  std::vector<std::int64_t> lengths(8 * 320'000, 0);
  for (std::size_t row = 0; row < lengths.size(); row += 8) lengths[row] = 1;
  const Csr<double> scattered = with_lengths(lengths, 1, 3);
  EXPECT_FALSE(footprint(scattered.view(), Plan::parse("bcsr r=8 c=8")).fits);
  EXPECT_TRUE(footprint(scattered.view(), Plan::parse("bcsr r=1 c=1")).fits);
}

// A symmetric matrix of blocks on a path of nodes with a few far couplings. holes: some pairs of entries are missing,
// some rows are empty. The last block hangs over where `size` does not divide n.
Csr<double> symmetric_blocks(int size, std::int64_t n, bool holes) {
  Dice dice(static_cast<std::uint64_t>(31 + size));
  std::vector<Entry> entries;
  for (Index row = 0; row < n; ++row)
    for (Index col = row; col < n; ++col) {
      const Index apart = col / size - row / size;
      if ((apart > 1 && apart != 7) || (holes && (dice.below(4) == 0 || row % 23 == 5 || col % 23 == 5))) continue;
      const double value = dice.below(9) == 0 ? 0.0 : dice.integer();
      entries.push_back({row, col, value});
      if (col > row) entries.push_back({col, row, value});
    }
  return from_entries(n, n, entries);
}

TEST(BcsrSymmetric, stores_the_blocks_of_its_drawing) {
  const Csr<double> A = symmetric_blocks(2, 6, false);
  BcsrSettings settings;
  settings.r = settings.c = 2;
  settings.values = static_cast<int>(StoredValues::symmetric);
  const auto half = BcsrFormat<double>::build({A.view()}, settings);
  EXPECT_EQ(list(half.ptr), (std::vector<Offset>{0, 2, 5, 7}));
  EXPECT_EQ(list(half.col), (std::vector<Index>{0, 1, 0, 1, 2, 1, 2}));
  EXPECT_EQ(list(half.own), (std::vector<Offset>{0, 2, 4, 5}));
  EXPECT_EQ(list(half.at), (std::vector<Index>{1, 3}));
  EXPECT_TRUE(half.mask.empty()) << "every block is full";
  EXPECT_EQ(half.val.size(), 5 * 4);
  EXPECT_FALSE(BcsrFormat<double>::build({symmetric_blocks(2, 6, true).view()}, settings).mask.empty());
}

TEST(BcsrSymmetric, multiplies_and_restores_in_every_size) {
  for (const int size : {2, 3, 4, 5})
    for (const bool holes : {false, true})
      for (const std::int64_t n : {size * 12, 61}) {
        const Csr<double> A = symmetric_blocks(size, n, holes);
        const Csr<float> A32 = convert<float>(A.view());
        const std::string shape = std::to_string(size);
        const Plan plan = Plan::parse("bcsr values=symmetric r=" + shape + " c=" + shape);
        for (const Device device : {Device::cpu(), Device::emulator()}) {
          SCOPED_TRACE(to_string(plan) + (holes ? ", holes, " : ", ") + std::to_string(n) + " on " + to_string(device));
          expect_right_product(A, plan, device);
          expect_right_product(A32, plan, device);
        }
      }
}

TEST(BcsrSymmetric, takes_little_more_than_half_the_memory) {
  const Csr<double> A = symmetric_blocks(3, 3000, false);
  const std::int64_t whole = footprint(A.view(), Plan::parse("bcsr r=3 c=3")).bytes;
  EXPECT_LT(footprint(A.view(), Plan::parse("bcsr r=3 c=3 values=symmetric")).bytes, whole * 66 / 100);
}

TEST(BcsrSymmetric, refuses_what_is_not) {
  const auto refused = [](const Csr<double>& A, const char* shape) {
    try {
      (void)build(A, Plan::parse(shape + std::string(" values=symmetric")), {Device::cpu()});
      return false;
    } catch (const Error& error) {
      return error.kind() == ErrorKind::unavailable;
    }
  };
  Csr<double> A = symmetric_blocks(3, 36, true);
  EXPECT_FALSE(refused(A, "bcsr r=3 c=3"));
  EXPECT_TRUE(refused(A, "bcsr r=3 c=2"));
  EXPECT_TRUE(refused(A, "bcsr r=6 c=6"));
  A.val[1] += 1;
  EXPECT_TRUE(refused(A, "bcsr r=3 c=3")) << "two values differ";
  EXPECT_TRUE(refused(from_entries(6, 6, {{0, 0, 1}, {1, 0, 2}}), "bcsr r=3 c=3")) << "no twin in the same block";
  const Csr<double> lower = from_entries(6, 6, {{0, 0, 1}, {5, 0, 2}}), upper = transpose(lower.view());
  EXPECT_TRUE(refused(lower, "bcsr r=3 c=3")) << "no block to be read instead";
  EXPECT_FALSE(footprint(lower.view(), Plan::parse("bcsr r=3 c=3 values=symmetric")).fits);
  EXPECT_TRUE(refused(upper, "bcsr r=3 c=3")) << "no block that reads it";
}

}  // namespace
}  // namespace heddle::test
