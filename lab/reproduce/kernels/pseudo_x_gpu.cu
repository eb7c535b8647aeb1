#include "reproduce/kernels/pseudo_x.hpp"
#include "simt/primitives/strided_sum.hpp"

namespace heddle::reproduce {

namespace {

constexpr int threads = 256;

template <class V, class Codec, ReadsX R>
SIMT_KERNEL ellpack_row_per_lane(SlicedView<V, Codec> A, const V* x, Update<V> update) {
  const std::int64_t row = simt::global_thread();
  if (row >= A.shape.rows) return;
  const Index length = simt::stream_load(A.length + row);
  const Offset stride = A.shape.slice;
  const V sum = strided_sum<V>(Offset{row}, row + length * stride, stride, [&](Offset at) {
    const Index column = Codec::decode(row, simt::stream_load(A.col + at));
    const V value = simt::stream_load(A.val + at);
    if constexpr (R == ReadsX::yes)
      return value * simt::cached_load(x + column);
    else
      return column >= 0 ? value * V(1.5) : V(0);  // a column is never negative, which the compiler cannot know
  });
  update.row(row, sum, length > 0);
}

}  // namespace

template <class V, class Codec>
void multiply_row_per_lane(simt::Here here, const SlicedView<V, Codec>& A, const Product<V>& p, ReadsX reads) {
  const simt::Launch launch{simt::blocks_for(A.shape.rows, threads), threads, 0, p.stream};
  if (reads == ReadsX::yes)
    simt::launch(here, launch, ellpack_row_per_lane<V, Codec, ReadsX::yes>, A, p.x, p.update);
  else
    simt::launch(here, launch, ellpack_row_per_lane<V, Codec, ReadsX::no>, A, p.x, p.update);
}

template void multiply_row_per_lane(simt::Here, const SlicedView<float, Index32>&, const Product<float>&, ReadsX);
template void multiply_row_per_lane(simt::Here, const SlicedView<double, Index32>&, const Product<double>&, ReadsX);
template void multiply_row_per_lane(simt::Here, const SlicedView<float, Column16>&, const Product<float>&, ReadsX);
template void multiply_row_per_lane(simt::Here, const SlicedView<double, Column16>&, const Product<double>&, ReadsX);

}  // namespace heddle::reproduce
