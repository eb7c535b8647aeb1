#include "formats/weave/weave_long.hpp"

namespace heddle::weave {

namespace {

constexpr int W = LongShape::per_thread;

template <int count, class V, class S, class C>
SIMT_DEVICE V add_steps(const C* columns, const CodedValues<V, S>& values, std::int64_t warp, std::int64_t stride,
                        const V* x) {
  C col[count][W];
  S stored[count][W];
  V element[count][W];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const std::int64_t at = (warp + i * stride) * LongShape::warp_entries;
    load_pieces<Keep::matrix>(columns + at, col[i]);
    load_pieces<Keep::matrix>(values.at(at), stored[i]);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w)
      element[i][w] = col[i][w] != no_long_column<C> ? simt::cached_load(x + col[i][w]) : V(0);
  V sum = 0;
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w) {
      const V product = values.decode(stored[i][w]) * element[i][w];
      sum += col[i][w] != no_long_column<C> ? product : V(0);
    }
  return sum;
}

// A team of `lanes` threads a row; a block is one team of several warps, or several teams of one.
template <class V, class S, class C>
SIMT_KERNEL weave_long_team_per_row(LongShape shape, const Offset* begin, const C* columns, CodedValues<V, S> values,
                                    const V* x, Update<V> update) {
  const int teams = simt::block_threads() / shape.lanes;
  const std::int64_t row = simt::block() * teams + simt::thread() / shape.lanes;
  const int warp = simt::thread() % shape.lanes / simt::warp_size;
  V sum = 0;
  Offset first = 0, last = 0;
  if (row < shape.rows) {
    first = simt::cached_load(begin + row);
    last = simt::cached_load(begin + row + 1);
    const std::int64_t stride = shape.warps();
    Offset step = first;
    for (; step + 4 <= last; step += 4) sum += add_steps<4>(columns, values, step * stride + warp, stride, x);
    if (step + 2 <= last) sum += add_steps<2>(columns, values, step * stride + warp, stride, x), step += 2;
    if (step < last) sum += add_steps<1>(columns, values, step * stride + warp, stride, x);
  }
  sum = simt::warp_sum(sum);
  if (shape.lanes > simt::warp_size) {  // one team: the whole block
    V* sums = simt::shared<V>();
    if (simt::lane() == 0) sums[warp] = sum;
    simt::sync_block();
    if (simt::warp() > 0) return;
    sum = simt::warp_sum(simt::lane() < shape.warps() ? sums[simt::lane()] : V(0));
  }
  if (simt::lane() == 0 && row < shape.rows) update.row(row, sum, last > first);
}

template <class V, class S, class C>
void start(simt::Here here, const Long<V>& A, const C* columns, const CodedValues<V, S>& values, const Product<V>& p) {
  const int threads = A.shape.lanes > simt::warp_size ? A.shape.lanes : 128;
  const simt::Launch grid{simt::blocks_for(A.shape.rows * A.shape.lanes, threads), threads, simt::warp_size * sizeof(V),
                          p.stream};
  simt::launch(here, grid, weave_long_team_per_row<V, S, C>, A.shape, A.begin.data(), columns, values, p.x, p.update);
}

}  // namespace

template <class V>
void Long<V>::multiply(simt::Here here, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) {
    if (shape.wide)
      start(here, *this, wide.data(), coded, p);
    else
      start(here, *this, narrow.data(), coded, p);
  });
}

template void Long<float>::multiply(simt::Here, const Product<float>&) const;
template void Long<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
