// Every call of the CUDA runtime passes this table, so that a test can make the k-th one fail. Only code
// of a CUDA build includes it.
#pragma once

#include <cuda_runtime.h>

#include <atomic>

#include "simt/simt.hpp"

namespace heddle::simt {

struct CudaTable {
  cudaError_t (*get_device_count)(int*);
  cudaError_t (*get_device_properties)(cudaDeviceProp*, int);
  cudaError_t (*get_device)(int*);
  cudaError_t (*set_device)(int);
  cudaError_t (*mem_get_info)(std::size_t*, std::size_t*);
  cudaError_t (*malloc)(void**, std::size_t);
  cudaError_t (*free)(void*);
  cudaError_t (*pool_create)(cudaMemPool_t*, int device, std::uint64_t keeps);
  cudaError_t (*pool_malloc)(void**, std::size_t, cudaMemPool_t, cudaStream_t);
  cudaError_t (*pool_free)(void*, cudaStream_t);
  cudaError_t (*device_synchronize)();
  cudaError_t (*memcpy)(void*, const void*, std::size_t, cudaMemcpyKind);
  cudaError_t (*memcpy_async)(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
  cudaError_t (*memset_async)(void*, int, std::size_t, cudaStream_t);
  cudaError_t (*pointer_get_attributes)(cudaPointerAttributes*, const void*);
  cudaError_t (*launch_kernel)(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
  // Clusters of so many blocks; where the device has none, the first one of each.
  cudaError_t (*launch_clusters)(const void*, dim3, dim3, unsigned cluster, void**, std::size_t, cudaStream_t);
  // Perhaps before the kernel before it has ended.
  cudaError_t (*launch_early)(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
  cudaError_t (*func_set_attribute)(const void*, cudaFuncAttribute, int);
  cudaError_t (*stream_create)(cudaStream_t*);
  cudaError_t (*stream_destroy)(cudaStream_t);
  cudaError_t (*stream_synchronize)(cudaStream_t);
  cudaError_t (*stream_wait_event)(cudaStream_t, cudaEvent_t);
  cudaError_t (*stream_is_capturing)(cudaStream_t, cudaStreamCaptureStatus*);
  cudaError_t (*event_create)(cudaEvent_t*, unsigned flags);
  cudaError_t (*event_destroy)(cudaEvent_t);
  cudaError_t (*event_record)(cudaEvent_t, cudaStream_t);
  cudaError_t (*event_synchronize)(cudaEvent_t);
  cudaError_t (*event_elapsed_time)(float*, cudaEvent_t, cudaEvent_t);
  cudaError_t (*stream_begin_capture)(cudaStream_t, cudaStreamCaptureMode);
  cudaError_t (*stream_end_capture)(cudaStream_t, cudaGraph_t*);
  cudaError_t (*graph_instantiate)(cudaGraphExec_t*, cudaGraph_t);
  cudaError_t (*graph_launch)(cudaGraphExec_t, cudaStream_t);
  cudaError_t (*graph_exec_destroy)(cudaGraphExec_t);
  cudaError_t (*graph_destroy)(cudaGraph_t);
  cudaError_t (*get_last_error)();
};

// CUDA does not live on in a process that was forked when it was in use.
class CudaProcess {
 public:
  static constexpr const char* words = "CUDA was in use when this process was forked";
  bool lost() const noexcept { return lost_; }
  void require() const {  // Error(unavailable) where it is lost
    if (lost_) [[unlikely]]
      refuse();
  }
  // A call of the runtime has found a device.
  void note_use() noexcept {
    if (!used_.load(std::memory_order_relaxed)) [[unlikely]]
      watch_forks();
  }

 private:
  [[noreturn]] static void refuse();
  void watch_forks() noexcept;
  std::atomic<bool> used_ = false;
  bool lost_ = false;  // written in a child that has one thread
};
CudaProcess& cuda_process() noexcept;

// The GPU that is current to this thread, known inside of a gpu::Current: no other code changes it there.
struct KnownGpu {
  int device = 0, scopes = 0;

  // Outside of any scope the runtime is asked, by `ask`.
  cudaError_t find(int& found, cudaError_t (*ask)(int*)) const {
    if (scopes == 0) return ask(&found);
    found = device;
    return cudaSuccess;
  }
};
KnownGpu& known_gpu() noexcept;

CudaTable& cuda_table() noexcept;
CudaTable real_cuda_table() noexcept;

// Error(unavailable) for lack of memory or of a device, Error(internal) for anything else; clears the runtime's own
// last error, so that a failed call does not fail the next one as well.
void check_cuda(cudaError_t status, const char* what);

// A refused launch is reported like any other failed call. Kernels that need more shared memory than the default
// 48 KB get it here.
void launch_pointers(const Launch& shape, const void* kernel, void** arguments);

template <class... Parameters>
void launch_erased(const Launch& shape, const void* kernel, Parameters... parameters) {
  void* pointers[] = {static_cast<void*>(&parameters)..., nullptr};
  launch_pointers(shape, kernel, pointers);
}

}  // namespace heddle::simt
