#include "formats/weave/weave_long.hpp"

namespace heddle::weave {

namespace {

constexpr int W = LongShape::per_thread;

// `count` steps of a thread, from its entry number `entry` of the row on.
template <int count, class V, class S, class Columns>
SIMT_DEVICE V add_steps(const LongShape& shape, const Columns& columns, const CodedValues<V, S>& values,
                        std::int64_t warp, std::int64_t entry, const V* x) {
  using C = typename Columns::Code;
  C col[count][W];
  S stored[count][W];
  V element[count][W];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const std::int64_t at = warp + i * shape.warps();
    columns.template load<Keep::matrix>(at, entry + i * shape.step_entries(), col[i]);
    load_pieces<Keep::matrix>(values.at(at * LongShape::warp_entries), stored[i]);
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
template <class V, class S, class Columns>
SIMT_KERNEL weave_long_team_per_row(LongShape shape, const Offset* begin, Columns columns, CodedValues<V, S> values,
                                    const V* x, Update<V> update) {
  const int teams = simt::block_threads() / shape.lanes;
  const std::int64_t row = simt::block() * teams + simt::thread() / shape.lanes;
  const int warp = simt::thread() % shape.lanes / simt::warp_size;
  V sum = 0;
  Offset first = 0, last = 0;
  if (row < shape.rows) {
    first = simt::cached_load(begin + row);
    last = simt::cached_load(begin + row + 1);
    const auto own = columns.of_row(row);
    const std::int64_t stride = shape.warps();
    std::int64_t entry = simt::thread() % shape.lanes * std::int64_t{W};
    Offset step = first;
    for (; step + 4 <= last; step += 4, entry += 4 * shape.step_entries())
      sum += add_steps<4>(shape, own, values, step * stride + warp, entry, x);
    if (step + 2 <= last) {
      sum += add_steps<2>(shape, own, values, step * stride + warp, entry, x);
      step += 2, entry += 2 * shape.step_entries();
    }
    if (step < last) sum += add_steps<1>(shape, own, values, step * stride + warp, entry, x);
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

template <class V, class S, class Columns>
void start(simt::Here here, const Long<V>& A, const Columns& columns, const CodedValues<V, S>& values,
           const Product<V>& p) {
  const int threads = A.shape.lanes > simt::warp_size ? A.shape.lanes : 128;
  const simt::Launch grid{simt::blocks_for(A.shape.rows * A.shape.lanes, threads), threads, simt::warp_size * sizeof(V),
                          p.stream};
  simt::launch(here, grid, weave_long_team_per_row<V, S, Columns>, A.shape, A.begin.data(), columns, values, p.x,
               p.update);
}

}  // namespace

template <class V>
void Long<V>::multiply(simt::Here here, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) {
    with_columns(*this, [&](const auto& columns) { start(here, *this, columns, coded, p); });
  });
}

template void Long<float>::multiply(simt::Here, const Product<float>&) const;
template void Long<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
