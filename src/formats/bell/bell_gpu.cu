#include "core/dispatch.hpp"
#include "formats/bell/bell.hpp"

namespace heddle {

namespace {

// The piece of x is read once per block and used for all R rows. C = 0: the columns are known at run time only.
template <class V, int R, int C>
struct BlockRowSums {
  V sum[R] = {};

  SIMT_DEVICE void add_full(int c, const V* val, std::int64_t stride, const V* x) {
#pragma unroll
    for (int j = 0; j < (C > 0 ? C : c); ++j) {
      const V element = simt::cached_load(x + j);
#pragma unroll
      for (int i = 0; i < R; ++i) sum[i] += simt::stream_load(val + (i * c + j) * stride) * element;
    }
  }
  SIMT_DEVICE void add_masked(int c, std::uint64_t mask, const V* val, std::int64_t stride, const V* x) {
#pragma unroll 1
    for (int j = 0; j < c; ++j)
#pragma unroll
      for (int i = 0; i < R; ++i)
        if (mask >> (i * c + j) & 1) sum[i] += simt::stream_load(val + (i * c + j) * stride) * simt::cached_load(x + j);
  }
};

template <class V, int R, int C>
SIMT_KERNEL bell_thread_per_block_row(BellView<V> A, const V* x, Update<V> update) {
  const std::int64_t i = simt::global_thread();
  if (i >= A.slices.rows) return;
  const BlockShape shape{R, C > 0 ? C : A.shape.c};
  const std::int64_t s = A.slices.slice_of(i), stride = A.slices.stride(s), lane = A.slices.begin(i);
  const Index length = simt::cached_load(A.length + i);
  Offset q = simt::cached_load(A.start + s) + lane;
  std::uint64_t present = 0;
  BlockRowSums<V, R, C> sums;
  for (Index k = 0; k < length; ++k, q += stride) {
    const std::uint64_t mask = load_mask(A.mask, shape.mask_bytes(), q);
    const V* val = A.val + (q - lane) * shape.places() + lane;
    const V* block_x = x + std::int64_t{simt::stream_load(A.col + q)} * shape.c;
    present |= mask;
    if (mask == shape.full())
      sums.add_full(shape.c, val, stride, block_x);
    else
      sums.add_masked(shape.c, mask, val, stride, block_x);
  }
  const std::int64_t row = std::int64_t{simt::cached_load(A.row_of + i)} * R;
#pragma unroll
  for (int line = 0; line < R; ++line)
    if (row + line < A.rows) update.row(row + line, sums.sum[line], shape.line(present, line) != 0);
}

}  // namespace

template <class V>
void BellFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 128;
  const std::int64_t blocks = simt::blocks_for(slices.rows, threads);
  dispatch_int<1, 2, 3, 4, 5, 6, 7, 8>(shape.r, [&](auto r) {
    const auto kernel = shape.r == shape.c ? bell_thread_per_block_row<V, r, r> : bell_thread_per_block_row<V, r, 0>;
    simt::launch(here, {blocks, threads, 0, p.stream}, kernel, view(), p.x, p.update);
  });
}

template void BellFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void BellFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
