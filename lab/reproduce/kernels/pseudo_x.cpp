#include "reproduce/kernels/pseudo_x.hpp"

#include "built_with.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"

namespace heddle::reproduce {

namespace {

template <ReadsX R, class V, class Codec>
V host_row_sum(const SlicedView<V, Codec>& A, const V* x, std::int64_t row) {
  const Offset begin = A.slice_begin(row);
  V sum = 0;
  for (Offset at = begin; at < begin + A.length[row]; ++at) {
    const Index column = Codec::decode(row, A.col[at]);
    if constexpr (R == ReadsX::yes)
      sum += A.val[at] * x[column];
    else
      sum += column >= 0 ? A.val[at] * V(1.5) : V(0);
  }
  return sum;
}

template <ReadsX R, class V, class Codec>
void multiply_on_host(const SlicedView<V, Codec>& A, const Product<V>& product) {
  check(A.shape.slice == 1, ErrorKind::internal, "the host's kernel takes rows one after another");
  constexpr std::int64_t grain = 1024;
  parallel_ranges(A.shape.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      product.update.row(row, host_row_sum<R>(A, product.x, row), A.length[row] > 0);
  });
}

}  // namespace

Sliced row_per_lane_shape(Device device, std::int64_t rows) {
  return device.kind == Device::Kind::cpu ? Sliced{.rows = rows, .slice = 1} : one_slice(rows);
}

template <class V, class Codec>
void multiply_row_per_lane(Device device, const SlicedView<V, Codec>& A, const Product<V>& product, ReadsX reads) {
#ifdef HEDDLE_HAS_EMULATOR
  if (device.kind == Device::Kind::emulator) return multiply_row_per_lane(simt::Emulator{}, A, product, reads);
#endif
#ifdef HEDDLE_HAS_CUDA
  if (device.kind == Device::Kind::gpu) return multiply_row_per_lane(simt::Cuda{}, A, product, reads);
#endif
  check(device.kind == Device::Kind::cpu, ErrorKind::unavailable, "this build has no kernels for a GPU");
  reads == ReadsX::yes ? multiply_on_host<ReadsX::yes>(A, product) : multiply_on_host<ReadsX::no>(A, product);
}

template void multiply_row_per_lane(Device, const SlicedView<float, Index32>&, const Product<float>&, ReadsX);
template void multiply_row_per_lane(Device, const SlicedView<double, Index32>&, const Product<double>&, ReadsX);
template void multiply_row_per_lane(Device, const SlicedView<float, Column16>&, const Product<float>&, ReadsX);
template void multiply_row_per_lane(Device, const SlicedView<double, Column16>&, const Product<double>&, ReadsX);

}  // namespace heddle::reproduce
