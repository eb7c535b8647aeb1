// From CSR to blocks (layout/blocks.hpp) and back, on all cores. Host code only.
#pragma once

#include <algorithm>
#include <bit>

#include "core/grain.hpp"
#include "core/parallel.hpp"
#include "layout/blocks.hpp"

namespace heddle {

inline constexpr int most_block_rows = 8;  // r and c are at most this

// Of a task, where all rows of blocks have so many entries.
inline std::int64_t block_rows_at_once(std::int64_t block_rows, std::int64_t entries) {
  return grain_for(block_rows, entries, 512);
}

// Where each block row starts among the blocks, and their number at the end.
Buffer<Offset> block_starts(const PatternView& A, BlockShape shape);

void store_mask(std::uint8_t* masks, int bytes, Offset block, std::uint64_t mask);

// The entries of one block: from[i] .. to[i]-1 for its row i.
struct BlockEntries {
  Index col = 0;  // block column
  Offset from[most_block_rows] = {}, to[most_block_rows] = {};
};

// f(BlockEntries) for every block of a block row, by ascending column: the rows are merged.
template <class F>
void each_block(const PatternView& A, BlockShape shape, std::int64_t block_row, F f) {
  const std::int64_t first = block_row * shape.r;
  const int lines = static_cast<int>(std::min<std::int64_t>(shape.r, A.rows - first));
  constexpr Index none = INT32_MAX;  // columns are below it
  BlockEntries block;
  Offset end[most_block_rows];
  Index next[most_block_rows];  // the first column of each row that is not yet in a block
  std::fill(next, next + most_block_rows, none);
  for (int i = 0; i < lines; ++i) {
    block.to[i] = A.ptr[first + i];
    end[i] = A.ptr[first + i + 1];
    if (block.to[i] < end[i]) next[i] = A.col[block.to[i]];
  }
  for (;;) {
    const Index lowest = *std::min_element(next, next + most_block_rows);
    if (lowest == none) return;
    block.col = lowest / shape.c;
    const auto limit = static_cast<Index>(std::min<std::int64_t>((std::int64_t{block.col} + 1) * shape.c, none));
    for (int i = 0; i < lines; ++i) {
      block.from[i] = block.to[i];
      while (next[i] < limit) {
        ++block.to[i];
        next[i] = block.to[i] < end[i] ? A.col[block.to[i]] : none;
      }
    }
    f(block);
  }
}

// Writes all places of a block, `stride` apart, and gives its mask.
template <class V>
std::uint64_t fill_block(const CsrView<V>& A, BlockShape shape, const BlockEntries& block, V* val,
                         std::int64_t stride) {
  for (int place = 0; place < shape.places(); ++place) val[place * stride] = V(0);
  const auto corner = static_cast<Index>(std::int64_t{block.col} * shape.c);
  std::uint64_t mask = 0;
  for (int i = 0; i < shape.r; ++i)
    for (Offset k = block.from[i]; k < block.to[i]; ++k) {
      const int place = i * shape.c + (A.col[k] - corner);
      val[place * stride] = A.val[k];
      mask |= std::uint64_t{1} << place;
    }
  return mask;
}

template <class V>
struct StoredBlock {
  Index col = 0;
  std::uint64_t mask = 0;
  const V* val = nullptr;
  std::int64_t stride = 1;  // between its places
  bool transposed = false;  // (i, j) is at the place of (j, i); as many rows as columns

  V at(BlockShape shape, int place) const {
    return val[(transposed ? place % shape.c * shape.r + place / shape.c : place) * stride];
  }
};

namespace blocks_restore {

// The entries of the stored block row, appended row by row from next[i] on.
template <class V, class F>
void append(const F& format, std::int64_t stored_row, Offset* next, Csr<V>& A) {
  const BlockShape shape = format.shape;
  for (std::int64_t k = 0; k < format.blocks_of(stored_row); ++k) {
    const StoredBlock<V> block = format.block(stored_row, k);
    for (std::uint64_t left = block.mask; left != 0; left &= left - 1) {
      const int place = std::countr_zero(left), i = place / shape.c;
      A.col[next[i]] = static_cast<Index>(std::int64_t{block.col} * shape.c + place % shape.c);
      A.val[next[i]] = block.at(shape, place);
      ++next[i];
    }
  }
}

// ptr[row + 1] = length of the row, for the rows of the stored block row.
template <class F>
void count(const F& format, std::int64_t stored_row, Buffer<Offset>& ptr) {
  Offset length[most_block_rows] = {};
  for (std::int64_t k = 0; k < format.blocks_of(stored_row); ++k) {
    const std::uint64_t mask = format.block(stored_row, k).mask;
    for (int i = 0; i < format.shape.r; ++i) length[i] += std::popcount(format.shape.line(mask, i));
  }
  const std::int64_t first = format.block_row_of(stored_row) * format.shape.r;
  for (int i = 0; i < format.shape.r && first + i < format.rows; ++i) ptr[first + i + 1] = length[i];
}

}  // namespace blocks_restore

// The matrix a format of blocks was built from. The format gives rows, cols, shape, and for each stored block row
// block_row_of(i), blocks_of(i) and block(i, k), by ascending column.
template <class V, class F>
Csr<V> restore_blocks(const F& format) {
  constexpr std::int64_t at_once = 64;
  const std::int64_t stored_rows = format.shape.block_rows(format.rows);
  Csr<V> A{format.rows, format.cols, Buffer<Offset>(format.rows + 1), {}, {}};
  A.ptr[0] = 0;
  parallel_ranges(stored_rows, at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) blocks_restore::count(format, i, A.ptr);
  });
  for (std::int64_t row = 0; row < A.rows; ++row) A.ptr[row + 1] += A.ptr[row];
  A.col = Buffer<Index>(A.ptr[A.rows]);
  A.val = Buffer<V>(A.ptr[A.rows]);
  parallel_ranges(stored_rows, at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Offset next[most_block_rows] = {};
      const std::int64_t first = format.block_row_of(i) * format.shape.r;
      for (int line = 0; line < format.shape.r && first + line < A.rows; ++line) next[line] = A.ptr[first + line];
      blocks_restore::append(format, i, next, A);
    }
  });
  return A;
}

}  // namespace heddle
