#include "formats/bell/bell.hpp"

#include "formats/registered.hpp"
#include "layout/sliced_build.hpp"
#include "reorder/rows_by_length.hpp"

namespace heddle {

namespace {

// Everything about the layout that follows from the pattern.
struct BlockRowOrder {
  Sliced slices;
  Buffer<Index> row_of, length;
  Buffer<Offset> start;

  BlockRowOrder(const PatternView& A, BlockShape shape, int slice)
      : slices{.rows = shape.block_rows(A.rows), .slice = slice, .cut = true} {
    const Buffer<Offset> block_ptr = block_starts(A, shape);
    row_of = rows_by_length({slices.rows, A.cols, block_ptr, {}}).new_to_old;
    length = stored_lengths(slices.rows, row_of, RowPieces{block_ptr});
    start = slice_starts(slices, length);
  }
  Offset slots() const { return start[slices.slices()]; }
};

}  // namespace

template <class V>
FormatInfo BellFormat<V>::about() {
  return {.name = "bell",
          .summary = "slices of blocked ELLPACK, block rows sorted by their number of blocks, a thread per block row",
          .origin = "BELLPACK (Choi, Singh and Vuduc)",
          .drawing =
              "  block rows a..d, slices of 4     slot  0  1  2  3 | 4  5  6  7 | 8 ..\n"
              "                                   col   a0 b0 c0 d0| a1 b1 .. ..| a2 .. .. ..\n"
              "  values of slots 0..3, 2 x 2 blocks:    a b c d | a b c d | a b c d | a b c d\n"
              "                                          (0,0)     (0,1)     (1,0)     (1,1)\n"
              "  block k of stored block row i is slot q = start[i/S] + k*S + i%S;\n"
              "  its entry (m, j) is at val[(q - i%S)*r*c + (m*c + j)*S + i%S]\n",
          .settings = {}};
}

// No product here can overflow: a slice is as wide as its longest block row, so slots <= 1024 * entries, and a slot
// takes at most 64 * 8 + 12 bytes.
template <class V>
Footprint BellFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  const BlockShape shape{settings.r, settings.c};
  const BlockRowOrder order(A, shape, settings.slice);
  const std::int64_t index = sizeof(Index);
  const std::int64_t slot = std::int64_t{shape.places()} * value_bytes + shape.mask_bytes() + index;
  return {
      .bytes = static_cast<std::int64_t>(order.start.bytes()) + 2 * order.slices.rows * index + order.slots() * slot,
      .stored = order.slots() * shape.places()};
}

namespace {

// Stored block row i, and empty slots up to the width of its slice.
template <class V>
void fill_lane(const CsrView<V>& A, BellFormat<V>& to, std::int64_t i) {
  const std::int64_t s = to.slices.slice_of(i), stride = to.slices.stride(s), lane = to.slices.begin(i);
  const BlockShape shape = to.shape;
  Offset q = to.start[s] + lane;
  const auto values = [&] { return to.val.data() + (q - lane) * shape.places() + lane; };
  const auto put = [&](const BlockEntries& entries) {
    to.col[q] = entries.col;
    store_mask(to.mask.data(), shape.mask_bytes(), q, fill_block(A, shape, entries, values(), stride));
    q += stride;
  };
  each_block(A, shape, to.row_of[i], put);
  while (q < to.start[s + 1]) put({.col = -1});
}

}  // namespace

template <class V>
BellFormat<V> BellFormat<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V>& A = source.view;
  const BlockShape shape{settings.r, settings.c};
  BlockRowOrder order(A, shape, settings.slice);
  const Offset slots = order.slots();
  BellFormat made{A.rows,
                  A.cols,
                  shape,
                  order.slices,
                  std::move(order.start),
                  std::move(order.length),
                  std::move(order.row_of),
                  Buffer<Index>(slots),
                  Buffer<std::uint8_t>(slots * shape.mask_bytes()),
                  Buffer<V>(slots * shape.places())};
  const std::int64_t at_once = block_rows_at_once(made.slices.rows, A.nnz());
  parallel_ranges(made.slices.rows, at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) fill_lane(A, made, i);
  });
  return made;
}

template <class V>
StoredBlock<V> BellFormat<V>::block(std::int64_t i, std::int64_t k) const {
  const std::int64_t s = slices.slice_of(i), stride = slices.stride(s), lane = slices.begin(i);
  const Offset q = start[s] + k * stride + lane;
  return {col[q], load_mask(mask.data(), shape.mask_bytes(), q), val.data() + (q - lane) * shape.places() + lane,
          stride};
}

template <class V>
Csr<V> BellFormat<V>::restore() const {
  return restore_blocks<V>(*this);
}

template struct BellFormat<float>;
template struct BellFormat<double>;

const Format& bell_format() { return registered<BellFormat>(); }

}  // namespace heddle
