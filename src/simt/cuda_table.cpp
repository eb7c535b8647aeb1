// The calls of the CUDA runtime, and the launch of kernels.
#include "simt/cuda_table.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

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

// What a launch has to know of the current device: asked once of each.
struct DeviceTraits {
  bool has_clusters = false, starts_early = false;
};

cudaError_t find_traits(int device, DeviceTraits& traits) {
  constexpr int first_driver_to_capture_early_starts = 12030;
  int clusters = 0, capability = 0, driver = 0;
  cudaError_t status = cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
  if (status == cudaSuccess) status = cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, device);
  if (status == cudaSuccess) status = cudaDriverGetVersion(&driver);
  traits = {clusters != 0, capability >= 9 && driver >= first_driver_to_capture_early_starts};
  return status;
}

cudaError_t traits_of_current(DeviceTraits& traits) {
  constexpr int most_devices = 64, known = 4;
  static std::array<std::atomic<int>, most_devices> all{};
  int device = 0;
  if (const cudaError_t status = known_gpu().find(device, cudaGetDevice); status != cudaSuccess) return status;
  if (device >= most_devices) return find_traits(device, traits);
  std::atomic<int>& mine = all[static_cast<std::size_t>(device)];
  if (const int bits = mine.load(std::memory_order_relaxed); bits != 0) {
    traits = {(bits & 1) != 0, (bits & 2) != 0};
    return cudaSuccess;
  }
  const cudaError_t status = find_traits(device, traits);
  if (status == cudaSuccess)
    mine.store(known | (traits.has_clusters ? 1 : 0) | (traits.starts_early ? 2 : 0), std::memory_order_relaxed);
  return status;
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
  DeviceTraits traits;
  if (const cudaError_t status = traits_of_current(traits); status != cudaSuccess) return status;
  if (!traits.has_clusters)
    return cudaLaunchKernel(kernel, dim3(grid.x / cluster), block, arguments, shared_bytes, stream);
  cudaLaunchAttribute size{};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim.x = cluster, size.val.clusterDim.y = 1, size.val.clusterDim.z = 1;
  return launch_with(size, kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t launch_early(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                         cudaStream_t stream) {
  DeviceTraits traits;
  if (const cudaError_t status = traits_of_current(traits); status != cudaSuccess) return status;
  if (!traits.starts_early) return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
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
  t.get_device = cudaGetDevice;
  t.set_device = cudaSetDevice;
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

CudaProcess& cuda_process() noexcept {
  static CudaProcess process;
  return process;
}

KnownGpu& known_gpu() noexcept {
  thread_local KnownGpu mine;
  return mine;
}

void CudaProcess::watch_forks() noexcept {
  static const int fork_hook = pthread_atfork(nullptr, nullptr, [] { cuda_process().lost_ = true; });
  (void)fork_hook;
  used_ = true;
}

void CudaProcess::refuse() {  // the words of `absence`, with what to do about it
  fail(ErrorKind::unavailable, {"gpu", "fork before the first use of a GPU, or start the process anew (spawn)"}, "{}",
       words);
}

void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cuda_process().require();
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

namespace {

// The most shared memory that each kernel was allowed on each device. What was allowed is never made less: another
// thread may be about to start the kernel with it.
class SharedMemory {
 public:
  void allow(const void* kernel, std::size_t bytes) {
    int device = 0;
    check_cuda(known_gpu().find(device, cuda_table().get_device), "asking for the current GPU");
    const std::uintptr_t key = reinterpret_cast<std::uintptr_t>(kernel) << 6 | static_cast<unsigned>(device & 63);
    Allowed* mine = find(key);
    if (mine && mine->bytes.load(std::memory_order_acquire) >= bytes) return;
    const std::lock_guard one_at_a_time(guard_);
    const std::size_t most = mine ? std::max(bytes, mine->bytes.load()) : bytes;
    check_cuda(
        cuda_table().func_set_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)),
        "asking for shared memory");
    if (mine) mine->bytes.store(most, std::memory_order_release);
  }

 private:
  static constexpr std::size_t places = 1024;
  struct Allowed {
    std::atomic<std::uintptr_t> key{0};
    std::atomic<std::size_t> bytes{0};
  };

  // Its place; null when all are taken.
  Allowed* find(std::uintptr_t key) {
    for (std::size_t probe = 0; probe < places; ++probe) {
      Allowed& here = all_[(key / 1024 + probe) % places];
      std::uintptr_t seen = here.key.load(std::memory_order_acquire);
      if (seen == key || (seen == 0 && here.key.compare_exchange_strong(seen, key)) || seen == key) return &here;
    }
    return nullptr;
  }

  std::mutex guard_;
  std::array<Allowed, places> all_;
};

SharedMemory& shared_memory() noexcept {
  static SharedMemory all;
  return all;
}

}  // namespace

void launch_pointers(const Launch& shape, const void* kernel, void** arguments) {
  if (shape.blocks == 0) return;
  check(shape.blocks <= INT32_MAX, ErrorKind::internal, "a grid of {} blocks is too large", shape.blocks);
  if (shape.shared_bytes > 48 * 1024) shared_memory().allow(kernel, shape.shared_bytes);
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
