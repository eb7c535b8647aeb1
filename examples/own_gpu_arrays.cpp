// Arrays that lie on a GPU already: product, new values and solve, and nothing of them passes through the host.
#include <cuda_runtime.h>

#include <heddle/heddle.hpp>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

void must(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}

template <class T>
T* on_gpu(const std::vector<T>& values) {
  void* there = nullptr;
  must(cudaMalloc(&there, values.size() * sizeof(T)));
  must(cudaMemcpy(there, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return static_cast<T*>(there);
}

void print(const char* name, const double* there, cudaStream_t stream) {
  double v[3];
  must(cudaMemcpyAsync(v, there, sizeof v, cudaMemcpyDeviceToHost, stream));
  must(cudaStreamSynchronize(stream));
  std::cout << name << v[0] << ' ' << v[1] << ' ' << v[2] << '\n';
}

int main() try {
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
  double* z = on_gpu<double>({0, 0, 0});
  cudaStream_t stream = nullptr;
  must(cudaStreamCreate(&stream));

  auto A = heddle::csr_view(3, 3, 7, ptr, col, val, {.device = gpu});
  auto op = heddle::optimize(A, {.device = gpu}, {.updates = true});
  std::cout << op.explain();
  op.multiply(x, y, heddle::Memory::device, {stream});  // queued: no copy, no wait, no question to the driver

  heddle::Recording thousand(gpu, [&](heddle::Stream s) {  // one call of the driver for all of them
    for (int i = 0; i < 1000; ++i) op.multiply(x, y, heddle::Memory::device, s);
  });
  thousand.run({stream});
  print("A x = ", y, stream);

  const double* twice = on_gpu<double>({8, -2, -2, 8, -2, -2, 8});
  op.update_values({twice, 7}, {stream}, heddle::Memory::device);  // in the order of your arrays, queued as well

  // 2 A z = y. Vectors stay on the GPU; the host looks at the residual.
  auto report = heddle::solve(op, {y, 3}, {z, 3}, {.method = "cg", .tolerance = 1e-12, .stream = {stream}});
  std::cout << to_string(report);
  print("z = ", z, stream);
  return report.converged() ? 0 : 1;
} catch (const std::exception& error) {  // a heddle::Error, or CUDA's
  std::cerr << error.what() << '\n';
  return 1;
}
