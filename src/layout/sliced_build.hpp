// From CSR to slices and back, on all cores. Host code only: kernels include layout/sliced.hpp alone.
#pragma once

#include <heddle/formats.hpp>

#include "core/grain.hpp"
#include "core/parallel.hpp"
#include "layout/sliced.hpp"

namespace heddle {

// The entries of one row that a layout stores: a run of neighbours. hyb cuts rows at K; ell16 leaves out both ends.
struct RowPiece {
  Offset first = 0;  // in the matrix's col and val
  Index length = 0;
};

// Pieces that are whole rows, or (with a limit) their first entries.
struct RowPieces {
  std::span<const Offset> ptr;
  Offset limit = INT32_MAX;
  RowPiece operator()(std::int64_t row) const {
    return {ptr[row], static_cast<Index>(std::min(ptr[row + 1] - ptr[row], limit))};
  }
};

// Lengths in stored order; an empty row_of leaves rows where they are.
template <class P>
Buffer<Index> stored_lengths(std::int64_t rows, std::span<const Index> row_of, const P& piece) {
  Buffer<Index> length(rows);
  parallel_ranges(rows, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) length[i] = piece(row_of.empty() ? i : row_of[i]).length;
  });
  return length;
}

// Where each slice starts, and the number of entries stored at the end (slices + 1 numbers).
Buffer<Offset> slice_starts(const Sliced& shape, std::span<const Index> length);

// Which of the optional arrays a format keeps.
struct SlicedArrays {
  bool start = true, length = true, row_of = false;
};

// Exact bytes and entries of a SlicedStore; fits = false when they cannot be counted in 63 bits.
Footprint sliced_footprint(const Sliced& shape, std::span<const Index> length, SlicedArrays kept, int entry_bytes);

namespace slicing {

inline constexpr std::int64_t block_places =
    256;  // neighbouring places written at once: some cache lines of each array

// f(slice, first row, number of rows) over blocks of rows that lie inside one slice, all slices, which have so many
// places.
template <class F>
void each_block(const Sliced& shape, Offset places, F f) {
  const std::int64_t block = std::min(shape.slice, std::max<std::int64_t>(1, block_places / shape.lanes));
  const std::int64_t blocks_per_slice = (shape.slice + block - 1) / block;
  const std::int64_t blocks = shape.slices() * blocks_per_slice;
  parallel_ranges(blocks, grain_for(blocks, places, 1024 / block), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const std::int64_t s = b / blocks_per_slice, first = b % blocks_per_slice * block;
      const std::int64_t count = std::min(block, shape.height(s) - first);
      if (count > 0) f(s, s * shape.slice + first, count);
    }
  });
}

// One block, written place by place: reads run along `count` rows of the CSR at once, writes are contiguous.
template <class V, class Codec, class P>
void scatter(const CsrView<V>& A, SlicedStore<V, Codec>& to, Offset place, Offset end, std::int64_t first,
             std::int64_t count, const P& piece) {
  const std::int64_t lanes = to.shape.lanes, stride = to.shape.stride(to.shape.slice_of(first));
  RowPiece from[block_places];
  std::int64_t row[block_places];
  for (std::int64_t p = 0; p < count; ++p) {
    const std::int64_t i = first + p;
    row[p] = i >= to.shape.rows || to.row_of.empty() ? i : to.row_of[i];
    from[p] = i < to.shape.rows ? piece(row[p]) : RowPiece{};
  }
  for (std::int64_t k = 0; place < end; k += lanes, place += stride)
    for (std::int64_t p = 0; p < count; ++p)
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const bool present = k + lane < from[p].length;
        const Offset source = from[p].first + k + lane, at = place + p * lanes + lane;
        to.col[at] = present ? Codec::encode(row[p], A.col[source]) : Codec::padding;
        to.val[at] = present ? A.val[source] : V(0);
      }
}

}  // namespace slicing

// Stores the pieces of A. An empty row_of keeps the rows in their order; with kept.length = false Codec must mark
// padding. Start and length are dropped afterwards when not kept.
template <class V, class Codec = Index32, class P>
SlicedStore<V, Codec> build_sliced(const CsrView<V>& A, const Sliced& shape, Buffer<Index> row_of, SlicedArrays kept,
                                   const P& piece) {
  SlicedStore<V, Codec> made{.shape = shape, .row_of = std::move(row_of)};
  made.length = stored_lengths(shape.rows, made.row_of, piece);
  made.start = slice_starts(shape, made.length);
  made.col = Buffer<typename Codec::Stored>(made.start[shape.slices()]);
  made.val = Buffer<V>(made.start[shape.slices()]);
  slicing::each_block(shape, made.start[shape.slices()], [&](std::int64_t s, std::int64_t first, std::int64_t count) {
    const Offset place = made.start[s] + shape.begin(first);
    slicing::scatter(A, made, place, made.start[s + 1], first, count, piece);
  });
  if (!kept.start) made.start = {};
  if (!kept.length) made.length = {};
  return made;
}

// Number of entries of stored row i.
template <class V, class Codec>
std::int64_t row_length(const SlicedView<V, Codec>& A, std::int64_t i) {
  if (A.length) return A.length[i];
  const std::int64_t s = A.shape.slice_of(i), lanes = A.shape.lanes, stride = A.shape.stride(s);
  const Offset begin = A.slice_begin(s) + A.shape.begin(i);
  const auto present = [&](std::int64_t k) { return A.col[begin + k / lanes * stride + k % lanes] >= 0; };
  std::int64_t low = 0, high = (A.slice_end(s) - A.slice_begin(s)) / stride * lanes;  // padding follows all entries
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    present(middle) ? low = middle + 1 : high = middle;
  }
  return low;
}

// length_of[r] becomes the number of entries stored of row r of the matrix.
template <class V, class Codec>
void stored_row_lengths(const SlicedView<V, Codec>& A, Offset* length_of) {
  parallel_ranges(A.shape.rows, 1 << 12, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) length_of[A.row_of ? A.row_of[i] : i] = row_length(A, i);
  });
}

// Copies the entries of row r of the matrix to col and val from first[r] on, in their order.
template <class V, class Codec>
void gather_rows(const SlicedView<V, Codec>& A, const Offset* first, Index* col, V* val) {
  const std::int64_t lanes = A.shape.lanes;
  parallel_ranges(A.shape.rows, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = A.row_of ? A.row_of[i] : i, s = A.shape.slice_of(i), stride = A.shape.stride(s);
      const Offset place = A.slice_begin(s) + A.shape.begin(i);
      const std::int64_t length = row_length(A, i);
      for (std::int64_t k = 0; k < length; ++k) {
        const Offset at = place + k / lanes * stride + k % lanes;
        col[first[row] + k] = Codec::decode(row, A.col[at]);
        val[first[row] + k] = A.val[at];
      }
    }
  });
}

// The matrix of everything stored.
template <class V, class Codec>
Csr<V> restore_sliced(const SlicedView<V, Codec>& A, std::int64_t cols) {
  Buffer<Offset> ptr(A.shape.rows + 1);
  ptr[0] = 0;
  stored_row_lengths(A, ptr.data() + 1);
  for (std::int64_t row = 0; row < A.shape.rows; ++row) ptr[row + 1] += ptr[row];
  Buffer<Index> col(ptr[A.shape.rows]);
  Buffer<V> val(ptr[A.shape.rows]);
  gather_rows(A, ptr.data(), col.data(), val.data());
  return {A.shape.rows, cols, std::move(ptr), std::move(col), std::move(val)};
}

}  // namespace heddle
