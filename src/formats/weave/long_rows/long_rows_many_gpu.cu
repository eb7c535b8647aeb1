#include "formats/weave/long_rows/long_rows.hpp"
#include "layout/many.hpp"

namespace heddle::weave {

namespace {

constexpr int W = LongShape::per_thread, K = vectors_at_once<W>;

template <class V, class S, class Columns>
SIMT_DEVICE void add_step(const Columns& columns, const CodedValues<V, S>& values, std::int64_t warp,
                          std::int64_t entry, const VectorsView<V>& x, int first, V (&sum)[K]) {
  using C = typename Columns::Code;
  C col[W];
  S stored[W];
  columns.template load<Keep::nothing>(warp, entry, col);
  load_pieces<Keep::nothing>(values.at(warp * LongShape::warp_entries), stored);
#pragma unroll
  for (int w = 0; w < W; ++w)
    if (col[w] != no_long_column<C>) {
      V element[K];
      load_elements(x, col[w], first, element);
      const V value = values.decode(stored[w]);
#pragma unroll
      for (int j = 0; j < K; ++j) sum[j] += value * element[j];
    }
}

// The sums of the warps of a block that is one team, in its first warp. All threads must call.
template <class V>
SIMT_DEVICE void block_sums(V (&sum)[K], int warps, V* shared) {
  if (simt::lane() == 0)
#pragma unroll
    for (int j = 0; j < K; ++j) shared[simt::warp() * K + j] = sum[j];
  simt::sync_block();
  if (simt::warp() == 0) {
#pragma unroll
    for (int j = 0; j < K; ++j) sum[j] = simt::lane() < warps ? shared[simt::lane() * K + j] : V(0);
    team_sums(sum, simt::warp_size);
  }
  simt::sync_block();
}

// A team of `lanes` threads a row; a block is one team of several warps, or several teams of one.
template <class V, class S, class Columns>
SIMT_BOUNDED_KERNEL(1024, 1)
weave_long_many_team_per_row(LongShape shape, const Offset* begin, Columns columns, CodedValues<V, S> values,
                             VectorsView<V> x, UpdateMany<V> update) {
  const int teams = simt::block_threads() / shape.lanes;
  const std::int64_t row = simt::block() * teams + simt::thread() / shape.lanes, stride = shape.warps();
  const int member = simt::thread() % shape.lanes;
  const bool present = row < shape.rows;
  const Offset top = present ? simt::cached_load(begin + row) : 0;
  const Offset last = present ? simt::cached_load(begin + row + 1) : 0;
  const auto own = columns.of_row(present ? row : 0);
  for (int first = 0; first < x.count; first += K) {
    V sum[K] = {};
    for (Offset step = top; step < last; ++step)
      add_step(own, values, step * stride + member / simt::warp_size,
               (step - top) * shape.step_entries() + LongShape::first_entry(member), x, first, sum);
    team_sums(sum, simt::warp_size);
    if (shape.lanes > simt::warp_size) block_sums(sum, shape.warps(), simt::shared<V>());
    if (member == 0 && present) update_row(update, row, first, sum, last > top);
  }
}

template <class V, class S, class Columns>
void start(simt::Here here, const Long<V>& A, const Columns& columns, const CodedValues<V, S>& values,
           const ProductMany<V>& p) {
  const int threads = A.shape.lanes > simt::warp_size ? A.shape.lanes : 128;
  const simt::Launch grid{simt::blocks_for(A.shape.rows * A.shape.lanes, threads), threads,
                          simt::warp_size * K * sizeof(V), p.stream};
  simt::launch(here, grid, weave_long_many_team_per_row<V, S, Columns>, A.shape, A.begin.data(), columns, values, p.x,
               p.update);
}

}  // namespace

template <class V>
bool Long<V>::multiply_many(simt::Here here, const ProductMany<V>& p) const {
  values.visit_all([&](const auto& coded) {
    with_columns(*this, [&](const auto& columns) { start(here, *this, columns, coded, p); });
  });
  return true;
}

template bool Long<float>::multiply_many(simt::Here, const ProductMany<float>&) const;
template bool Long<double>::multiply_many(simt::Here, const ProductMany<double>&) const;

}  // namespace heddle::weave
