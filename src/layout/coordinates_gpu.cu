#include "layout/coordinates.hpp"

namespace heddle {

namespace {

// One warp per share, 32 entries a step. Lane i ends a segment when entry i+1 has another row; the running sum of a
// segment that goes on travels to the next step in `carry`.
template <class V>
SIMT_KERNEL coordinates_share_per_warp(const Index* row, const Index* col, const V* val, Offset nnz, std::int64_t share,
                                       const V* x, Update<V> update, CrossingView<V> pieces) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  const int lane = simt::lane();
  const Offset begin = number * share;
  const Offset end = begin + share < nnz ? begin + share : nnz;
  const Index row_before = begin > 0 && begin < nnz ? simt::cached_load(row + begin - 1) : -1;
  Index carry_row = -1;
  V carry = 0;
  for (Offset step = begin; step < end; step += simt::warp_size) {
    const Offset k = step + lane;
    const bool present = k < end;
    const Index r = present ? simt::stream_load(row + k) : -1;
    V sum = present ? simt::stream_load(val + k) * simt::cached_load(x + simt::stream_load(col + k)) : V(0);
    if (lane == 0 && r == carry_row) sum += carry;
    for (int distance = 1; distance < simt::warp_size; distance *= 2) {
      const V other = simt::shuffle_up(sum, distance);
      const Index other_row = simt::shuffle_up(r, distance);
      if (lane >= distance && other_row == r) sum += other;
    }
    carry_row = simt::shuffle(r, simt::warp_size - 1);
    carry = simt::shuffle(sum, simt::warp_size - 1);
    const bool last = k + 1 == end;
    const Index next = !present || k + 1 >= nnz ? -1 : simt::cached_load(row + k + 1);
    if (!present || (!last && next == r)) continue;  // not a segment's end (lanes meet again at the next shuffle)
    if (r == row_before)
      pieces.head[number] = sum;
    else if (last && next == r)
      pieces.tail[number] = sum;
    else
      update.y[update.place(r)] += update.alpha * sum;
  }
}

}  // namespace

template <class V>
void add_product(simt::Here here, const Coordinates<V>& A, const Product<V>& p) {
  constexpr int threads = 128;
  const std::int64_t blocks = simt::blocks_for(A.head.size() * simt::warp_size, threads);
  simt::launch(here, {blocks, threads, 0, p.stream}, coordinates_share_per_warp<V>, A.row.data(), A.col.data(),
               A.val.data(), A.nnz(), A.share, p.x, p.update, A.pieces());
  combine(here, A.pieces(), p.update, Combine::add, p.stream);
}

template void add_product(simt::Here, const Coordinates<float>&, const Product<float>&);
template void add_product(simt::Here, const Coordinates<double>&, const Product<double>&);

}  // namespace heddle
