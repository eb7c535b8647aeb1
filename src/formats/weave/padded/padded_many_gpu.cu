#include "core/dispatch.hpp"
#include "formats/weave/padded/padded.hpp"
#include "layout/many.hpp"

namespace heddle::weave {

namespace {

constexpr int K = vectors_at_once<1>;

template <int W, class V, class S, class C>
SIMT_DEVICE void add_step(const C* codes, const CodedValues<V, S>& values, std::int64_t begin, std::int64_t base,
                          const VectorsView<V>& x, int first, V (&sum)[K], bool& present) {
  C col[W];
  S stored[W];
  load_pieces<Keep::matrix>(codes + begin, col);
  load_pieces<Keep::matrix>(values.at(begin), stored);
#pragma unroll
  for (int w = 0; w < W; ++w)
    if (col[w] != no_padded_column<C>) {
      V element[K];
      load_elements(x, base + col[w], first, element);
      const V value = values.decode(stored[w]);
#pragma unroll
      for (int j = 0; j < K; ++j) sum[j] += value * element[j];
      present = true;
    }
}

template <int W, class V, class S, class C>
SIMT_KERNEL weave_padded_many_rows(PaddedShape shape, const C* codes, CodedValues<V, S> values, VectorsView<V> x,
                                   UpdateMany<V> update) {
  const std::int64_t warp = simt::global_thread() / simt::warp_size;
  if (warp >= shape.warps()) return;
  const std::int64_t row = warp * shape.teams() + simt::lane() / shape.lanes;
  const bool writes = simt::lane() % shape.lanes == 0 && row < shape.rows;
  for (int first = 0; first < x.count; first += K) {
    V sum[K] = {};
    bool present = false;
#pragma unroll 2
    for (Index step = 0; step < shape.steps; ++step)
      add_step<W>(codes, values, shape.step_begin(step, warp), shape.base(row), x, first, sum, present);
    team_sums(sum, shape.lanes);
    // The first lane of a team has the first entry of its row.
    if (writes) update_row(update, row, first, sum, present);
  }
}

}  // namespace

template <class V>
bool Padded<V>::multiply_many(simt::Here here, const ProductMany<V>& p) const {
  constexpr int threads = 128;
  const simt::Launch grid{simt::blocks_for(shape.warps() * simt::warp_size, threads), threads, 0, p.stream};
  values.visit_all([&]<class S>(const CodedValues<V, S>& coded) {
    dispatch_int<1, 4>(shape.per_lane, [&](auto W) {
      with_codes(*this, [&]<class C>(const C* codes) {
        simt::launch(here, grid, weave_padded_many_rows<W.value, V, S, C>, shape, codes, coded, p.x, p.update);
      });
    });
  });
  return true;
}

template bool Padded<float>::multiply_many(simt::Here, const ProductMany<float>&) const;
template bool Padded<double>::multiply_many(simt::Here, const ProductMany<double>&) const;

}  // namespace heddle::weave
