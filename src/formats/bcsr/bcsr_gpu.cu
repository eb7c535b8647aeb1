#include "core/dispatch.hpp"
#include "formats/bcsr/bcsr.hpp"
#include "formats/bcsr/bcsr_rules.hpp"

namespace heddle {

namespace {

// The C values of one row of a block times x: as few loads as the alignment of C values allows.
template <int C, class V>
SIMT_DEVICE V full_line_product(const V* val, const V* x) {
  constexpr int even = C % 4 == 0 ? 4 : C % 2 == 0 ? 2 : 1;
  constexpr int at_once = even * sizeof(V) > 16 ? 16 / sizeof(V) : even;
  using Values = simt::Pack<V, at_once>;
  V sum = 0;
#pragma unroll
  for (int j = 0; j < C; j += at_once) {
    const Values v = simt::stream_load(reinterpret_cast<const Values*>(val + j));
#pragma unroll
    for (int w = 0; w < at_once; ++w) sum += v.at[w] * simt::cached_load(x + j + w);
  }
  return sum;
}

template <int C, class V>
SIMT_DEVICE V masked_line_product(unsigned bits, const V* val, const V* x) {
  V sum = 0;
#pragma unroll
  for (int j = 0; j < C; ++j)
    if (bits >> j & 1) sum += simt::stream_load(val + j) * simt::cached_load(x + j);
  return sum;
}

// A team of r * slots lanes per block row; lane (slot, i) takes row i of every slots-th block. The values of a step are
// contiguous over the team.
template <class V, int C>
SIMT_KERNEL bcsr_lane_per_block_line(BcsrView<V> A, const V* x, Update<V> update) {
  const int team = A.r * A.slots, teams = simt::warp_size / team;  // of a warp; the lanes left over idle
  const int lane = simt::lane(), slot = lane % team / A.r, i = lane % A.r;
  const std::int64_t block_row = simt::global_thread() / simt::warp_size * teams + lane / team;
  const std::int64_t row = block_row * A.r + i;
  const bool present = lane < teams * team && row < A.rows;
  const Offset end = present ? simt::cached_load(A.ptr + block_row + 1) : 0;
  constexpr unsigned full = (1u << C) - 1;
  unsigned seen = 0;
  V sum = 0;
  for (Offset b = present ? simt::cached_load(A.ptr + block_row) + slot : 0; b < end; b += A.slots) {
    const unsigned bits = static_cast<unsigned>(load_mask(A.mask, A.mask_bytes, b) >> (i * C)) & full;
    const V* val = A.val + (b * A.r + i) * C;
    const V* block_x = x + std::int64_t{simt::stream_load(A.col + b)} * C;
    seen |= bits;
    sum += bits == full ? full_line_product<C>(val, block_x) : masked_line_product<C>(bits, val, block_x);
  }
  for (int step = A.slots / 2; step > 0; step /= 2) {
    sum += simt::shuffle_down(sum, step * A.r);
    seen |= simt::shuffle_down(seen, step * A.r);
  }
  if (present && slot == 0) update.row(row, sum, seen != 0);
}

}  // namespace

template <class V>
void BcsrFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  if (symmetric()) return multiply_symmetric(here, p);
  constexpr int threads = 128;
  const std::int64_t block_rows = shape.block_rows(rows);
  const int slots = bcsr_slots(static_cast<double>(col.size()), static_cast<double>(block_rows), shape.r);
  const std::int64_t rows_per_warp = simt::warp_size / (shape.r * slots);
  const std::int64_t blocks = simt::blocks_for(block_rows, rows_per_warp * (threads / simt::warp_size));
  const BcsrView<V> A{rows, shape.r, shape.mask_bytes(), slots, ptr.data(), col.data(), mask.data(), val.data()};
  dispatch_int<1, 2, 3, 4, 5, 6, 7, 8>(shape.c, [&](auto c) {
    simt::launch(here, {blocks, threads, 0, p.stream}, bcsr_lane_per_block_line<V, c>, A, p.x, p.update);
  });
}

template void BcsrFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void BcsrFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
