// The calls of the CUDA runtime, and the launch of kernels.
#include "simt/cuda_table.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "simt/quiet_streams.hpp"

namespace heddle::simt {

namespace {

// A pool that keeps up to so many bytes for the next allocation instead of giving them back, or a thirty-second of the
// device where that is more: a matrix of 16 million entries, what is built from it and what building needs are a
// gigabyte together, and to map memory anew may take longer than to build.
cudaError_t create_pool(cudaMemPool_t* pool, int device, std::uint64_t at_least) {
  std::size_t free_bytes = 0, total_bytes = 0;
  if (const cudaError_t status = cudaMemGetInfo(&free_bytes, &total_bytes); status != cudaSuccess) return status;
  std::uint64_t keeps = std::max(at_least, std::uint64_t{total_bytes} / 32);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  const cudaError_t status = cudaMemPoolCreate(pool, &properties);
  return status != cudaSuccess ? status : cudaMemPoolSetAttribute(*pool, cudaMemPoolAttrReleaseThreshold, &keeps);
}

// To ask which one is current takes a tenth of the time that selecting it again does, of which a build would do twenty.
cudaError_t select_device(int device) {
  int current = -1;
  if (cudaGetDevice(&current) == cudaSuccess && current == device) return cudaSuccess;
  return cudaSetDevice(device);
}

cudaError_t launch_with(cudaLaunchAttribute attribute, const void* kernel, dim3 grid, dim3 block, void** arguments,
                        std::size_t shared_bytes, cudaStream_t stream) {
  cudaLaunchConfig_t shape{};
  shape.gridDim = grid;
  shape.blockDim = block;
  shape.dynamicSmemBytes = shared_bytes;
  shape.stream = stream;
  shape.attrs = &attribute;
  shape.numAttrs = 1;
  return cudaLaunchKernelExC(&shape, kernel, arguments);
}

cudaError_t launch_clusters(const void* kernel, dim3 grid, dim3 block, unsigned cluster, void** arguments,
                            std::size_t shared_bytes, cudaStream_t stream) {
  int device = 0, has_clusters = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, device);
  if (status != cudaSuccess) return status;
  if (has_clusters == 0)
    return cudaLaunchKernel(kernel, dim3(grid.x / cluster), block, arguments, shared_bytes, stream);
  cudaLaunchAttribute size{};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = cluster, size.val.clusterDim.y = 1, size.val.clusterDim.z = 1;
  return launch_with(size, kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t launch_early(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                         cudaStream_t stream) {
  constexpr int first_driver_to_capture_it = 12030;
  int device = 0, capability = 0, driver = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device);
  if (status == cudaSuccess) status = cudaDriverGetVersion(&driver);
  if (status != cudaSuccess) return status;
  if (capability < 9 || driver < first_driver_to_capture_it)
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  return launch_with(early, kernel, grid, block, arguments, shared_bytes, stream);
}

}  // namespace

CudaTable real_cuda_table() noexcept {
  CudaTable t{};
  t.get_device_count = cudaGetDeviceCount;
  t.get_device_properties = [](cudaDeviceProp* p, int d) { return cudaGetDeviceProperties(p, d); };
  t.set_device = select_device;
  t.mem_get_info = cudaMemGetInfo;
  t.malloc = [](void** p, std::size_t n) { return cudaMalloc(p, n); };
  t.free = cudaFree;
  t.pool_create = create_pool;
  t.pool_malloc = [](void** p, std::size_t n, cudaMemPool_t pool, cudaStream_t s) {
    return cudaMallocFromPoolAsync(p, n, pool, s);
  };
  t.pool_free = cudaFreeAsync;
  t.device_synchronize = cudaDeviceSynchronize;
  t.memcpy = cudaMemcpy;
  t.memcpy_async = cudaMemcpyAsync;
  t.memset_async = cudaMemsetAsync;
  t.pointer_get_attributes = [](cudaPointerAttributes* a, const void* p) { return cudaPointerGetAttributes(a, p); };
  t.launch_kernel = [](const void* f, dim3 g, dim3 b, void** a, std::size_t s, cudaStream_t q) {
    return cudaLaunchKernel(f, g, b, a, s, q);
  };
  t.launch_clusters = launch_clusters;
  t.launch_early = launch_early;
  t.func_set_attribute = [](const void* f, cudaFuncAttribute a, int v) { return cudaFuncSetAttribute(f, a, v); };
  t.stream_create = [](cudaStream_t* s) { return cudaStreamCreateWithFlags(s, cudaStreamNonBlocking); };
  t.stream_destroy = cudaStreamDestroy;
  t.stream_synchronize = cudaStreamSynchronize;
  t.stream_wait_event = [](cudaStream_t s, cudaEvent_t e) { return cudaStreamWaitEvent(s, e, 0); };
  t.stream_is_capturing = cudaStreamIsCapturing;
  t.event_create = [](cudaEvent_t* e, unsigned flags) { return cudaEventCreateWithFlags(e, flags); };
  t.event_destroy = cudaEventDestroy;
  t.event_record = [](cudaEvent_t e, cudaStream_t s) { return cudaEventRecord(e, s); };
  t.event_synchronize = cudaEventSynchronize;
  t.event_elapsed_time = [](float* ms, cudaEvent_t a, cudaEvent_t b) { return cudaEventElapsedTime(ms, a, b); };
  t.stream_begin_capture = cudaStreamBeginCapture;
  t.stream_end_capture = cudaStreamEndCapture;
  t.graph_instantiate = [](cudaGraphExec_t* e, cudaGraph_t g) { return cudaGraphInstantiate(e, g, 0); };
  t.graph_launch = cudaGraphLaunch;
  t.graph_exec_destroy = cudaGraphExecDestroy;
  t.graph_destroy = cudaGraphDestroy;
  t.get_last_error = cudaGetLastError;
  return t;
}

CudaTable& cuda_table() noexcept {
  static CudaTable table = real_cuda_table();
  return table;
}

void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cuda_table().get_last_error();
  const bool absent = status == cudaErrorMemoryAllocation || status == cudaErrorNoDevice ||
                      status == cudaErrorInsufficientDriver || status == cudaErrorInvalidDevice;
  fail(absent ? ErrorKind::unavailable : ErrorKind::internal, At{"gpu"}, "{} failed: {}", what,
       cudaGetErrorString(status));
}

QuietStreams& quiet_streams() noexcept {
  thread_local QuietStreams mine;
  return mine;
}

void launch_pointers(const Launch& shape, const void* kernel, void** arguments) {
  if (shape.blocks == 0) return;
  check(shape.blocks <= INT32_MAX, ErrorKind::internal, "a grid of {} blocks is too large", shape.blocks);
  if (shape.shared_bytes > 48 * 1024)
    check_cuda(cuda_table().func_set_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(shape.shared_bytes)),
               "asking for shared memory");
  const dim3 grid(static_cast<unsigned>(shape.blocks)), block(static_cast<unsigned>(shape.threads));
  const auto stream = static_cast<cudaStream_t>(shape.stream.handle);
  quiet_streams().start_on(stream);
  const auto start = [&] {
    const CudaTable& table = cuda_table();
    if (shape.cluster > 1)
      return table.launch_clusters(kernel, grid, block, static_cast<unsigned>(shape.cluster), arguments,
                                   shape.shared_bytes, stream);
    const auto launch = shape.overlaps ? table.launch_early : table.launch_kernel;
    return launch(kernel, grid, block, arguments, shape.shared_bytes, stream);
  };
  check_cuda(start(), "starting a kernel");
}

}  // namespace heddle::simt
