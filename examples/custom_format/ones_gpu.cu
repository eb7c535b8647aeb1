// The product on a GPU: a warp for each row. Plain CUDA of arrays, x, y and a stream; nothing of the library's kernels.
#include "ones.hpp"

namespace {

template <class V>
__global__ void product(std::int64_t rows, const heddle::Offset* ptr, const heddle::Index* col, V value,
                        heddle::FormatProduct<V> p) {
  const std::int64_t row = (blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x) / 32;
  if (row >= rows) return;  // all lanes of the warp
  V sum = 0;
  for (heddle::Offset k = ptr[row] + threadIdx.x % 32; k < ptr[row + 1]; k += 32) sum += value * p.x[col[k]];
  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
  if (threadIdx.x % 32 == 0) p.put(row, sum, ptr[row] < ptr[row + 1]);
}

}  // namespace

template <class V>
void Ones<V>::multiply_on_gpu(const heddle::FormatProduct<V>& p) const {
  constexpr int warps = 8;
  const auto blocks = static_cast<unsigned>((rows + warps - 1) / warps);
  if (blocks == 0) return;
  const auto stream = static_cast<cudaStream_t>(p.stream.handle);
  product<V><<<blocks, 32 * warps, 0, stream>>>(rows, ptr.data(), col.data(), value, p);
}

template void Ones<float>::multiply_on_gpu(const heddle::FormatProduct<float>& p) const;
template void Ones<double>::multiply_on_gpu(const heddle::FormatProduct<double>& p) const;
