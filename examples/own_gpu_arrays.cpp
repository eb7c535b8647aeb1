// Arrays that lie on a GPU already: nothing of them passes through the host.
#include <cuda_runtime.h>

#include <heddle/heddle.hpp>
#include <iostream>
#include <vector>

template <class T>
T* on_gpu(const std::vector<T>& values) {
  void* there = nullptr;
  cudaMalloc(&there, values.size() * sizeof(T));
  cudaMemcpy(there, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return static_cast<T*>(there);
}

int main() {
  if (!heddle::gpu_available()) {
    std::cout << "no GPU: " << heddle::gpu_absence() << '\n';
    return 0;
  }
  const heddle::Device gpu = heddle::Device::gpu();
  int* ptr = on_gpu<int>({0, 2, 5, 7});
  int* col = on_gpu<int>({0, 1, 0, 1, 2, 1, 2});
  double* val = on_gpu<double>({4, -1, -1, 4, -1, -1, 4});
  double* x = on_gpu<double>({1, 2, 3});
  double* y = on_gpu<double>({0, 0, 0});
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);

  auto op = heddle::optimize(heddle::csr_view(3, 3, 7, ptr, col, val, {.device = gpu}), {.device = gpu});
  std::cout << op.explain();
  op.multiply(x, y, heddle::Memory::device, {stream});  // queued: no copy, no wait, no question to the driver

  heddle::Recording thousand(gpu, [&](heddle::Stream s) {  // one call of the driver for all of them
    for (int i = 0; i < 1000; ++i) op.multiply(x, y, heddle::Memory::device, s);
  });
  thousand.run({stream});

  double result[3];
  cudaMemcpyAsync(result, y, sizeof result, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::cout << "A x = " << result[0] << ' ' << result[1] << ' ' << result[2] << '\n';
}
