// Half of the blocks are stored: a warp takes a row of blocks, a lane a place of a block, several blocks at a step.
//
//   3 x 3: lanes 0..8 are places of one block, 9..17 of the next, 18..26 of the one behind it; 27..31 idle
//
// So the values of a block come as one piece, from wherever it lies: 72 bytes anywhere are three sectors. A lane that
// reads place (j, i) instead of (i, j) has the transposed block, at the same cost.
#include "formats/bcsr/bcsr.hpp"

namespace heddle {

namespace {

template <class V>
struct SymmetricView {
  std::int64_t rows, block_rows;
  const Offset *ptr, *own;
  const Index *col, *at;
  const std::uint8_t* mask;  // null: every block is full
  const V* val;
};

// Blocks of a row of them, as a lane sees them.
template <int B>
struct LanePlace {
  static constexpr int places = B * B, slots = simt::warp_size / places;  // the lanes left over idle

  int slot = simt::lane() / places, place = simt::lane() % places;
  bool busy = slot < slots;
  int i = place / B, j = place % B;
};

// Steps whose loads are in flight together.
template <int B>
inline constexpr int steps_at_once = B == 2   ? 2
                                     : B == 3 ? 3
                                              : 4;

template <class V, int B, bool masked>
SIMT_KERNEL bcsr_symmetric_warp_per_block_row(SymmetricView<V> A, const V* x, Update<V> update) {
  constexpr int steps = steps_at_once<B>, mask_bytes = BlockShape{B, B}.mask_bytes();
  const std::int64_t block_row = simt::global_thread() / simt::warp_size;
  if (block_row >= A.block_rows) return;
  const LanePlace<B> lane;
  const Offset begin = simt::cached_load(A.ptr + block_row), own = simt::cached_load(A.own + block_row);
  const auto length = static_cast<Index>(simt::cached_load(A.ptr + block_row + 1) - begin);
  const Index left = length - static_cast<Index>(simt::cached_load(A.own + block_row + 1) - own);
  const Index *col = A.col + begin, *at = A.at + (begin - own);
  const V* own_val = A.val + (own - left) * lane.places + lane.place;
  const V* mirrored_val = A.val + (lane.j * B + lane.i);
  const V* element = x + lane.j;
  bool seen = false;
  V sum = 0;
  for (Index first = lane.slot; first < length; first += steps * lane.slots) {
    Index column[steps], stored[steps];
    bool there[steps];
#pragma unroll
    for (int u = 0; u < steps; ++u) {
      const Index k = first + u * lane.slots;
      there[u] = lane.busy && k < length;
      column[u] = there[u] ? simt::cached_load(col + k) : 0;
      stored[u] = there[u] && k < left ? simt::cached_load(at + k) : 0;
    }
    V value[steps], factor[steps];
#pragma unroll
    for (int u = 0; u < steps; ++u) {
      const Index k = first + u * lane.slots;
      if constexpr (masked) there[u] = there[u] && (load_mask(A.mask, mask_bytes, begin + k) >> lane.place & 1) != 0;
      const V* from =
          k < left ? mirrored_val + std::int64_t{stored[u]} * lane.places : own_val + std::int64_t{k} * lane.places;
      value[u] = there[u] ? simt::cached_load(from) : V(0);
      factor[u] = there[u] ? simt::cached_load(element + std::int64_t{column[u]} * B) : V(0);
    }
#pragma unroll
    for (int u = 0; u < steps; ++u) {
      sum += value[u] * factor[u];
      seen |= there[u];
    }
  }
  // Over the slots, then along the row of the block.
  for (int distance = lane.slots == 1 ? 0 : lane.slots <= 3 ? 2 : 4; distance > 0; distance /= 2) {
    const V other = simt::shuffle_down(sum, distance * lane.places);
    if (lane.slot + distance < lane.slots) sum += other;
  }
  V total = sum;
#pragma unroll
  for (int j = 1; j < B; ++j) total += simt::shuffle_down(sum, j);
  bool present = length > 0;
  if constexpr (masked) {
    const unsigned lanes = simt::ballot(seen);
    unsigned mine = 0;
#pragma unroll
    for (int slot = 0; slot < lane.slots; ++slot) mine |= lanes >> (slot * lane.places + lane.i * B);
    present = (mine & ((1u << B) - 1)) != 0;
  }
  const std::int64_t row = block_row * B + lane.i;
  if (lane.slot == 0 && lane.j == 0 && row < A.rows) update.row(row, total, present);
}

}  // namespace

template <class V>
void BcsrFormat<V>::multiply_symmetric(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 256;
  const std::int64_t block_rows = shape.block_rows(rows);
  const SymmetricView<V> A{
      rows,      block_rows, ptr.data(), own.data(), col.data(), at.data(), mask.empty() ? nullptr : mask.data(),
      val.data()};
  const simt::Launch grid{simt::blocks_for(block_rows * simt::warp_size, threads), threads, 0, p.stream};
  dispatch_symmetric(shape.r, [&](auto size) {
    const auto kernel = A.mask ? bcsr_symmetric_warp_per_block_row<V, size.value, true>
                               : bcsr_symmetric_warp_per_block_row<V, size.value, false>;
    simt::launch(here, grid, kernel, A, p.x, p.update);
  });
}

template void BcsrFormat<float>::multiply_symmetric(simt::Here, const Product<float>&) const;
template void BcsrFormat<double>::multiply_symmetric(simt::Here, const Product<double>&) const;

}  // namespace heddle
