#include "core/dispatch.hpp"
#include "formats/weave/weave_padded.hpp"

namespace heddle::weave {

namespace {

template <int count, int W, class V, class S>
SIMT_DEVICE void add_steps(const PaddedShape& shape, const std::uint16_t* codes, const CodedValues<V, S>& values,
                           std::int64_t warp, Index step, const V* x, V& sum, bool& present) {
  std::uint16_t col[count][W];
  S stored[count][W];
  V element[count][W];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const std::int64_t begin = shape.step_begin(step + i, warp);
    load_pieces<Keep::matrix>(codes + begin, col[i]);
    load_pieces<Keep::matrix>(values.at(begin), stored[i]);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w)
      element[i][w] = col[i][w] != PaddedShape::none ? simt::cached_load(x + col[i][w]) : V(0);
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w) {
      const V product = values.decode(stored[i][w]) * element[i][w];
      sum += col[i][w] != PaddedShape::none ? product : V(0);
      present |= col[i][w] != PaddedShape::none;
    }
}

template <int W, class V, class S>
SIMT_KERNEL weave_padded_rows(PaddedShape shape, const std::uint16_t* codes, CodedValues<V, S> values, const V* x,
                              Update<V> update) {
  const std::int64_t warp = simt::global_thread() / simt::warp_size;
  if (warp >= shape.warps()) return;
  V sum = 0;
  bool present = false;
  Index step = 0;
  for (; step + 4 <= shape.steps; step += 4) add_steps<4, W>(shape, codes, values, warp, step, x, sum, present);
  if (step + 2 <= shape.steps) add_steps<2, W>(shape, codes, values, warp, step, x, sum, present), step += 2;
  if (step < shape.steps) add_steps<1, W>(shape, codes, values, warp, step, x, sum, present);
  unsigned has = present ? 1 : 0;
  for (int distance = shape.lanes / 2; distance > 0; distance /= 2) {
    sum += simt::shuffle_xor(sum, distance);
    has |= simt::shuffle_xor(has, distance);
  }
  const std::int64_t row = warp * shape.teams() + simt::lane() / shape.lanes;
  if (simt::lane() % shape.lanes == 0 && row < shape.rows) update.row(row, sum, has != 0);
}

}  // namespace

template <class V>
void Padded<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 128;
  values.visit_all([&]<class S>(const CodedValues<V, S>& coded) {
    const simt::Launch grid{simt::blocks_for(shape.warps() * simt::warp_size, threads), threads, 0, p.stream};
    dispatch_int<1, 4>(shape.per_lane, [&](auto W) {
      simt::launch(here, grid, weave_padded_rows<W.value, V, S>, shape, col.data(), coded, p.x, p.update);
    });
  });
}

template void Padded<float>::multiply(simt::Here, const Product<float>&) const;
template void Padded<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
