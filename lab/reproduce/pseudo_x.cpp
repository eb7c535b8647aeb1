#include "reproduce/pseudo_x.hpp"

#include "core/check.hpp"

namespace heddle::reproduce {

template <class V, class Codec>
void multiply_row_per_lane(Device device, const SlicedView<V, Codec>& A, const Product<V>& product, ReadsX reads) {
  if (device.kind == Device::Kind::emulator) return multiply_row_per_lane(simt::Emulator{}, A, product, reads);
#ifdef HEDDLE_HAS_CUDA
  if (device.kind == Device::Kind::gpu) return multiply_row_per_lane(simt::Cuda{}, A, product, reads);
#endif
  fail(ErrorKind::unavailable, "paper 5's kernel runs on a GPU or on the emulator");
}

template void multiply_row_per_lane(Device, const SlicedView<float, Index32>&, const Product<float>&, ReadsX);
template void multiply_row_per_lane(Device, const SlicedView<double, Index32>&, const Product<double>&, ReadsX);
template void multiply_row_per_lane(Device, const SlicedView<float, Column16>&, const Product<float>&, ReadsX);
template void multiply_row_per_lane(Device, const SlicedView<double, Column16>&, const Product<double>&, ReadsX);

}  // namespace heddle::reproduce
