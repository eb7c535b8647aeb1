// amgcl on a GPU: its set-up runs on the host, products by cuSPARSE, vectors by Thrust.
#include <cuda_runtime.h>

#include <amgcl/backend/cuda.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "amgcl_solver.hpp"

namespace heddle::bench {

namespace {

class GpuSide {
 public:
  using Backend = amgcl::backend::cuda<double>;
  using Vector = Backend::vector;

  GpuSide() {
    if (cusparseCreate(&handle_) != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error("cuSPARSE cannot be begun");
  }
  ~GpuSide() { cusparseDestroy(handle_); }
  GpuSide(const GpuSide&) = delete;

  Backend::params parameters() const { return Backend::params(handle_); }
  Vector vector(std::span<const double> from) const { return Vector(from.begin(), from.end()); }
  void fetch(const Vector& from, std::span<double> to) const { thrust::copy(from.begin(), from.end(), to.begin()); }
  void wait() const {
    if (cudaDeviceSynchronize() != cudaSuccess) throw std::runtime_error("the GPU reports an error");
  }

 private:
  cusparseHandle_t handle_ = nullptr;
};

}  // namespace

std::unique_ptr<AmgclPeer> make_amgcl_on_gpu(const CsrView<double>& A, const AmgclWishes& wishes) {
  return std::make_unique<AmgclOn<GpuSide>>(A, wishes);
}

}  // namespace heddle::bench
