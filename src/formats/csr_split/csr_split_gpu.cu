#include "formats/csr_split/csr_split.hpp"

namespace heddle {

namespace {

template <class V>
struct SplitView {
  const Index* col;
  const V* val;
  const std::uint32_t* row_end;
  const Index* rank;
  const Index* row_of;  // null: row i is the i-th row with entries
  const Index* empty;
  Offset nnz;
  std::int64_t shares, empties;
  int share;
};

// Sum over the lanes of this lane's segment up to it. Segments end at the set bits of `ends`.
template <class V>
SIMT_DEVICE V segmented_sum(V sum, unsigned ends) {
  const int lane = simt::lane();
  // The first lane of this lane's segment: one above the nearest end below it.
  const unsigned before = ends & ((1u << lane) - 1);
  const int first = before == 0 ? 0 : 32 - simt::leading_zeros(before);
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    const V other = simt::shuffle_up(sum, distance);
    if (lane - distance >= first) sum += other;
  }
  return sum;
}

// The state of a warp on its way through a share.
template <class V>
struct Walk {
  std::int64_t number, rank;
  bool in_head;         // no row has ended yet, and the first one began in an earlier share
  V open = 0;           // this lane's part of the row that has not ended yet
  bool spread = false;  // `open` is in all lanes; else in lane 0 alone
};

// 32 products, and the bits of the rows that end among them.
template <class V>
SIMT_DEVICE void take_step(Walk<V>& walk, V sum, unsigned ends, const Index* row_of, const Update<V>& update,
                           const CrossingView<V>& pieces) {
  if (ends == 0) {
    walk.open += sum;
    walk.spread = true;
    return;
  }
  const int lane = simt::lane();
  if (walk.spread) walk.open = simt::warp_sum(walk.open);
  if (lane == 0) sum += walk.open;
  sum = segmented_sum(sum, ends);
  const int order = simt::count_bits(ends & ((1u << lane) - 1));  // ends before this lane
  if (ends >> lane & 1) {
    if (walk.in_head && order == 0)
      pieces.head[walk.number] = sum;
    else
      update(row_of ? simt::cached_load(row_of + walk.rank + order) : walk.rank + order, sum);
  }
  walk.in_head = false;
  walk.rank += simt::count_bits(ends);
  // What lies beyond the last end opens the next row: its sum sits in lane 31, unless lane 31 itself ended a row.
  const V rest = simt::shuffle(sum, simt::warp_size - 1);
  walk.open = lane == 0 && (ends >> 31) == 0 ? rest : V(0);
  walk.spread = false;
}

// Four steps' loads are in flight before the first sum is needed.
constexpr int batch = 4;

template <class V>
SIMT_DEVICE void walk_share(const SplitView<V>& A, std::int64_t number, const V* x, const Update<V>& update,
                            const CrossingView<V>& pieces) {
  const Offset begin = number * A.share;
  const Offset end = begin + A.share < A.nnz ? begin + A.share : A.nnz;
  Walk<V> walk{number, simt::cached_load(A.rank + number),
               begin > 0 && (simt::cached_load(A.row_end + (begin - 1) / 32) >> 31) == 0};
  for (Offset step = begin; step < end; step += batch * simt::warp_size) {
    Index col[batch];
    V val[batch];
    const auto ends = simt::cached_pack<batch>(A.row_end + step / 32);
    for (int j = 0; j < batch; ++j) {
      const Offset k = step + j * simt::warp_size + simt::lane();
      col[j] = k < end ? simt::stream_load(A.col + k) : -1;
      val[j] = k < end ? simt::stream_load(A.val + k) : V(0);
    }
    for (int j = 0; j < batch; ++j) val[j] = col[j] >= 0 ? val[j] * simt::cached_load(x + col[j]) : V(0);
    for (int j = 0; j < batch; ++j) take_step(walk, val[j], ends.at[j], A.row_of, update, pieces);
  }
  const V open = simt::warp_sum(walk.open);
  if (simt::lane() == 0) (walk.in_head ? pieces.head : pieces.tail)[number] = open;
}

template <class V>
SIMT_KERNEL csr_split_share_per_warp(SplitView<V> A, const V* x, Update<V> update, CrossingView<V> pieces) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  if (number < A.shares) {
    walk_share(A, number, x, update, pieces);
  } else {  // the warps behind the last share write the rows without entries
    const std::int64_t i = (number - A.shares) * simt::warp_size + simt::lane();
    if (i < A.empties) update.without_entries(A.empty[i]);
  }
}

}  // namespace

template <class V>
void CsrSplitFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 128;
  const SplitView<V> A{col.data(),   val.data(), row_end.data(), rank.data(),  row_of.data(),
                       empty.data(), col.size(), head.size(),    empty.size(), share};
  const std::int64_t warps = A.shares + simt::blocks_for(A.empties, simt::warp_size);
  simt::launch(here, {simt::blocks_for(warps * simt::warp_size, threads), threads, 0, p.stream},
               csr_split_share_per_warp<V>, A, p.x, p.update, pieces());
  combine(here, pieces(), p.update, Combine::store, p.stream);
}

template void CsrSplitFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void CsrSplitFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
