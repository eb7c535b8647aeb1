// Full blocks are found by hosts and devices alike, wherever a block has a hole, and in arrays that are no matrix too.
#include "formats/weave/blocks/full_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

#include <heddle/io.hpp>

#include "simt/emulator.hpp"

namespace heddle::test {
namespace {

using namespace weave;

constexpr BlockSizes every{1u << 2 | 1u << 3 | 1u << 4 | 1u << 5};

// What the device says; what the host says is the same, unless the arrays are no matrix.
std::uint32_t found_there(const PatternView& A) {
  FullBlocksQuestion question;
  question.ask(simt::Emulator{}, A, every, Device::emulator(), false, nullptr);
  return question.heard().bits;
}
std::uint32_t found(const Csr<double>& A) {
  const std::uint32_t there = found_there(A.view());
  EXPECT_EQ(there, full_blocks(A.view(), possible_full_blocks(A.view())).bits);
  return there;
}

// `blocks` blocks in a row of blocks, of which there are `block_rows`; with one column between them.
Csr<double> blocked(int size, int block_rows, int blocks) {
  Csr<double> A{size * block_rows, 2 * size * blocks, Buffer<Offset>(size * block_rows + 1), {}, {}};
  std::vector<Index> col;
  A.ptr[0] = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    for (int b = 0; b < blocks; ++b)
      for (int j = 0; j < size; ++j) col.push_back(2 * b * size + j);
    A.ptr[row + 1] = static_cast<Offset>(col.size());
  }
  A.col = Buffer<Index>::copy_of(col);
  A.val = Buffer<double>(static_cast<std::int64_t>(col.size()));
  return A;
}

TEST(WeaveFullBlocks, are_those_of_as_many_unknowns) {
  EXPECT_EQ(found(read_matrix("gen:fem,n=4,dof=2")), 1u << 2);
  EXPECT_EQ(found(read_matrix("gen:fem,n=4,dof=3")), 1u << 3);
  EXPECT_EQ(found(read_matrix("gen:fem,n=4,dof=4")), 1u << 4 | 1u << 2);
  EXPECT_EQ(found(read_matrix("gen:fem,n=4,dof=6")), 1u << 3 | 1u << 2);
  EXPECT_EQ(found(read_matrix("gen:fem,n=3,dof=5")), 1u << 5);
  EXPECT_EQ(found(read_matrix("gen:fem,n=3,dof=7")), 0u);
  EXPECT_EQ(found(read_matrix("gen:fem,n=3,dof=10")), 1u << 5 | 1u << 2);
  EXPECT_EQ(found(read_matrix("gen:dense,rows=60")), every.bits);
  EXPECT_EQ(found(read_matrix("gen:stencil2d5,n=12")), 0u);
  EXPECT_EQ(BlockSizes{1u << 3 | 1u << 2}.largest(), 3);
  EXPECT_EQ(BlockSizes{}.largest(), 0);
}

// Twelve rows are looked at together, or ten, and 32 entries of each: more, fewer, and not whole ones of either.
TEST(WeaveFullBlocks, of_any_number_of_rows_and_of_any_length) {
  for (const int size : block_sizes)
    for (const int block_rows : {1, 2, 5, 13})
      for (const int blocks : {1, 8, 11, 24, 33, 70}) {
        SCOPED_TRACE(testing::Message() << size << ' ' << block_rows << ' ' << blocks);
        EXPECT_TRUE(BlockSizes{found(blocked(size, block_rows, blocks))}.has(size));
      }
}

TEST(WeaveFullBlocks, are_not_looked_for_in_rows_too_long_for_a_warp) {
  EXPECT_TRUE(BlockSizes{found(blocked(2, 2, longest_in_blocks / 2))}.has(2));
  EXPECT_EQ(found(blocked(2, 2, longest_in_blocks / 2 + 1)), 0u);
}

// All rows of the block have the hole, so that only the columns of one row tell; every place of it in 96 entries is
// another lane of a warp, or another of its steps.
TEST(WeaveFullBlocks, have_no_run_that_ends_early) {
  for (const int size : block_sizes)
    for (int k = 0; k < 40 * size; ++k) {
      if (k % size == 0) continue;
      Csr<double> A = blocked(size, 3, 40);
      for (int line = 0; line < size; ++line)
        for (int j = k; j % size != 0; ++j) A.col[A.ptr[size + line] + j] += static_cast<Index>(size);
      EXPECT_FALSE(BlockSizes{found(A)}.has(size)) << size << ": " << k;
    }
}

TEST(WeaveFullBlocks, have_no_row_with_another_column) {
  for (const int size : block_sizes)
    for (int row = 0; row < 6 * size; ++row) {
      Csr<double> A = blocked(size, 6, 40);
      A.col[A.ptr[row] + 39 * size] += static_cast<Index>(size);  // the last block of this row alone lies elsewhere
      for (int j = 1; j < size; ++j) A.col[A.ptr[row] + 39 * size + j] += static_cast<Index>(size);
      EXPECT_FALSE(BlockSizes{found(A)}.has(size)) << size << ": " << row;
    }
}

TEST(WeaveFullBlocks, do_not_begin_between_multiples) {
  for (const int size : block_sizes) {
    Csr<double> A = blocked(size, 4, 10);
    for (Index& column : A.col) ++column;
    EXPECT_FALSE(BlockSizes{found(A)}.has(size)) << size;
  }
}

TEST(WeaveFullBlocks, are_not_possible_where_rows_or_entries_do_not_divide) {
  const Csr<double> A = blocked(3, 4, 5);
  EXPECT_TRUE(possible_full_blocks(A.view()).has(3));
  EXPECT_FALSE(possible_full_blocks({A.rows - 1, A.cols, A.nnz()}).has(3));
  EXPECT_EQ(possible_full_blocks({0, 3, 0}).bits, 0u);
}

// Warps for a large GPU, none of them without a block, and near the size of the L2 few places behind rows.
// Snapshot.
TEST(WeaveFullBlocks, are_shared_by_as_many_lanes_as_have_something_to_do) {
  const auto lanes = [](std::int64_t block_rows, std::int64_t of_row, int size, int value_bytes) {
    return lanes_of_block_rows(block_rows * size, block_rows * of_row * size * size, size, value_bytes);
  };
  EXPECT_EQ(lanes(4000, 24, 4, 4), 16);  // 32 by size, but rows have 24 blocks
  EXPECT_EQ(lanes(4000, 40, 4, 4), 32);
  EXPECT_EQ(lanes(7000, 25, 5, 4), 16);   // 17 MB: 28 places of 4 lanes are no reason yet
  EXPECT_EQ(lanes(7000, 25, 5, 8), 4);    // 35 MB: they are
  EXPECT_EQ(lanes(18'000, 49, 3, 8), 4);  // not 1: a lane would have 49 steps
  EXPECT_EQ(lanes(1'000'000, 27, 3, 8), 1);
  EXPECT_EQ(lanes(0, 0, 3, 8), 1);
}

// Nobody has looked at them: nothing outside the arrays is read, whatever they say.
TEST(WeaveFullBlocks, of_arrays_that_are_no_matrix_are_none) {
  const Csr<double> A = blocked(3, 8, 40);
  for (const std::int64_t wrong : {std::int64_t{-1}, A.nnz() + 1, std::int64_t{1} << 40, std::int64_t{0}})
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{13}, A.rows}) {
      Csr<double> broken = A;
      if (broken.ptr[at] == wrong) continue;
      broken.ptr[at] = wrong;
      EXPECT_EQ(found_there(broken.view()), 0u) << wrong << " at " << at;
    }
  Csr<double> wild = A;
  for (std::int64_t k = 0; k < wild.nnz(); ++k) wild.col[k] = static_cast<Index>(k * 2654435761u);
  EXPECT_EQ(found_there(wild.view()), 0u);
}

}  // namespace
}  // namespace heddle::test
