// core/gpu.hpp and the launch of kernels, on the CUDA runtime.
#include "core/gpu.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>
#include <optional>

#include "core/check.hpp"
#include "simt/cuda_table.hpp"
#include "simt/device_memory.hpp"
#include "simt/quiet_streams.hpp"
#include "simt/read_through.hpp"

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

void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cuda_table().get_last_error();
  const bool absent = status == cudaErrorMemoryAllocation || status == cudaErrorNoDevice ||
                      status == cudaErrorInsufficientDriver || status == cudaErrorInvalidDevice;
  fail(absent ? ErrorKind::unavailable : ErrorKind::internal, At{"gpu"}, "{} failed: {}", what,
       cudaGetErrorString(status));
}

thread_local QuietStreams quiet_streams;

void launch_pointers(const Launch& shape, const void* kernel, void** arguments) {
  if (shape.blocks == 0) return;
  check(shape.blocks <= INT32_MAX, ErrorKind::internal, "a grid of {} blocks is too large", shape.blocks);
  if (shape.shared_bytes > 48 * 1024)
    check_cuda(cuda_table().func_set_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(shape.shared_bytes)),
               "asking for shared memory");
  const dim3 grid(static_cast<unsigned>(shape.blocks)), block(static_cast<unsigned>(shape.threads));
  const auto stream = static_cast<cudaStream_t>(shape.stream.handle);
  quiet_streams.start_on(stream);
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

namespace heddle::gpu {

using simt::check_cuda;
using simt::cuda_table;
using simt::DeviceMemory;

namespace {

DeviceInfo describe_gpu(int ordinal) {
  cudaDeviceProp properties{};
  check_cuda(cuda_table().get_device_properties(&properties, ordinal), "reading the device's properties");
  check_cuda(cuda_table().set_device(ordinal), "selecting the device");
  std::size_t free_bytes = 0, total_bytes = 0;
  check_cuda(cuda_table().mem_get_info(&free_bytes, &total_bytes), "reading the free memory");
  DeviceInfo info;
  info.device = Device::gpu(ordinal);
  info.name = properties.name;
  info.memory_bytes = static_cast<std::int64_t>(total_bytes);
  info.free_bytes = static_cast<std::int64_t>(free_bytes);
  info.cache_bytes = properties.l2CacheSize;
  info.units = properties.multiProcessorCount;
  info.capability = fmt::format("{}.{}", properties.major, properties.minor);
  return info;
}

// Owners of CUDA objects, so that no error path forgets one.
struct StreamOwner {
  cudaStream_t stream = nullptr;
  StreamOwner() { check_cuda(cuda_table().stream_create(&stream), "creating a stream"); }
  ~StreamOwner() { cuda_table().stream_destroy(stream); }
  StreamOwner(const StreamOwner&) = delete;
};
struct EventOwner {
  cudaEvent_t event = nullptr;
  EventOwner() { check_cuda(cuda_table().event_create(&event, cudaEventDefault), "creating an event"); }
  ~EventOwner() { cuda_table().event_destroy(event); }
  EventOwner(const EventOwner&) = delete;
};
struct MemoryOwner {
  void* data;
  explicit MemoryOwner(std::size_t bytes) : data(allocate(0, bytes)) {}
  ~MemoryOwner() { release(0, data); }
  MemoryOwner(const MemoryOwner&) = delete;
};

struct GraphOwner {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  // `calls` calls in one graph.
  GraphOwner(cudaStream_t stream, int calls, const std::function<void()>& call) {
    check_cuda(cuda_table().stream_begin_capture(stream, cudaStreamCaptureModeThreadLocal), "starting a capture");
    try {
      for (int i = 0; i < calls; ++i) call();
    } catch (...) {
      cuda_table().stream_end_capture(stream, &graph);
      cuda_table().get_last_error();
      give_back();
      throw;
    }
    try {
      check_cuda(cuda_table().stream_end_capture(stream, &graph), "ending a capture");
      check_cuda(cuda_table().graph_instantiate(&executable, graph), "building a graph");
    } catch (...) {
      give_back();
      throw;
    }
  }
  ~GraphOwner() { give_back(); }
  GraphOwner(const GraphOwner&) = delete;

 private:
  void give_back() noexcept {
    if (executable) cuda_table().graph_exec_destroy(executable);
    if (graph) cuda_table().graph_destroy(graph);
  }
};

class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {}
  double seconds(const std::function<void()>& work) {
    check_cuda(cuda_table().event_record(from_.event, stream_), "recording an event");
    work();
    check_cuda(cuda_table().event_record(to_.event, stream_), "recording an event");
    check_cuda(cuda_table().event_synchronize(to_.event), "waiting for an event");
    float milliseconds = 0;
    check_cuda(cuda_table().event_elapsed_time(&milliseconds, from_.event, to_.event), "reading the time");
    return milliseconds * 1e-3;
  }

 private:
  cudaStream_t stream_;
  EventOwner from_, to_;
};

Timing summary(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) { return seconds[static_cast<std::size_t>(share * (seconds.size() - 1))]; };
  return {at(0.5), (at(0.9) - at(0.1)) / at(0.5), static_cast<int>(seconds.size())};
}

constexpr int fewest_repeats = 5, most_repeats = 200;

constexpr std::size_t junk_bytes = std::size_t{512} << 20;

}  // namespace

std::string absence() {
  int count = 0;
  const cudaError_t status = cuda_table().get_device_count(&count);
  if (status == cudaSuccess && count > 0) return {};
  cuda_table().get_last_error();
  if (status == cudaSuccess || status == cudaErrorNoDevice) return "this machine has no NVIDIA GPU that may be used";
  return fmt::format("no usable NVIDIA driver ({})", cudaGetErrorString(status));
}

std::vector<DeviceInfo> list() {
  int count = 0;
  check_cuda(cuda_table().get_device_count(&count), "counting devices");
  std::vector<DeviceInfo> all;
  for (int i = 0; i < count; ++i) all.push_back(describe_gpu(i));
  return all;
}

void* allocate(int ordinal, std::size_t bytes) {
  check_cuda(cuda_table().set_device(ordinal), "selecting the GPU");
  void* memory = nullptr;
  const cudaError_t status = DeviceMemory::of(ordinal).allocate(ordinal, &memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cuda_table().get_last_error();
    fail(ErrorKind::unavailable, At{"gpu"}, "out of GPU memory: {} bytes were asked for", bytes);
  }
  check_cuda(status, "allocating GPU memory");
  return memory;
}

// Not by the table: who gets none does without.
void* allocate_for_both(std::size_t bytes) noexcept {
  void *here = nullptr, *there = nullptr;
  const bool made = cudaHostAlloc(&here, bytes, cudaHostAllocMapped | cudaHostAllocPortable) == cudaSuccess;
  if (made && cudaHostGetDevicePointer(&there, here, 0) == cudaSuccess && here == there) return here;
  if (made) cudaFreeHost(here);
  cudaGetLastError();
  return nullptr;
}

void release(int ordinal, void* memory) noexcept { DeviceMemory::of(ordinal).release(ordinal, memory); }

// cudaMemcpy returns when it is done.
void copy_to_host(void* to, const void* from, std::size_t bytes) {
  check_cuda(cuda_table().memcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the GPU");
}

// cudaMemcpy may return while pageable memory is still on its way to the device, and between two places of the device
// it does not wait at all: a kernel on a stream that does not wait for the default one would read old data.
void copy(void* to, const void* from, std::size_t bytes) {
  check_cuda(cuda_table().memcpy(to, from, bytes, cudaMemcpyDefault), "copying to or from the GPU");
  check_cuda(cuda_table().stream_synchronize(nullptr), "copying to or from the GPU");
}

void copy_queued(void* to, const void* from, std::size_t bytes, Stream stream) {
  check_cuda(
      cuda_table().memcpy_async(to, from, bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream.handle)),
      "copying on the GPU");
}

bool is_device_pointer(const void* memory) {
  cudaPointerAttributes attributes{};
  if (cuda_table().pointer_get_attributes(&attributes, memory) != cudaSuccess) {
    cuda_table().get_last_error();
    return false;
  }
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

void synchronize(Stream stream) {
  check_cuda(cuda_table().stream_synchronize(static_cast<cudaStream_t>(stream.handle)), "waiting for the GPU");
}

void synchronize(int ordinal, Stream stream) {
  const auto handle = static_cast<cudaStream_t>(stream.handle);
  if (simt::quiet_streams.has(ordinal, handle)) return;
  check_cuda(DeviceMemory::of(ordinal).wait_for(handle), "waiting for the GPU");
  simt::quiet_streams.note(ordinal, handle);
}

Stream side_stream(int ordinal, int number) noexcept {
  constexpr int most_devices = 64;
  struct Side {
    std::once_flag made;
    cudaStream_t stream = nullptr;
  };
  static Side* const all =
      new (std::nothrow) Side[most_devices * side_streams];  // outlives the statics that a driver ends with
  if (!all || ordinal >= most_devices) return {};
  Side& mine = all[ordinal * side_streams + number];
  std::call_once(mine.made, [&] {
    if (cuda_table().set_device(ordinal) == cudaSuccess && cuda_table().stream_create(&mine.stream) == cudaSuccess)
      return;
    mine.stream = nullptr;
    cuda_table().get_last_error();
  });
  return Stream{mine.stream};
}

void read(const void* memory, std::size_t bytes, Stream stream) { simt::read_through(memory, bytes, stream); }

namespace {
bool capturing(Stream stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cuda_table().stream_is_capturing(static_cast<cudaStream_t>(stream.handle), &status),
             "asking about a capture");
  return status != cudaStreamCaptureStatusNone;
}
}  // namespace

Turn::~Turn() {
  if (event_) cuda_table().event_destroy(static_cast<cudaEvent_t>(event_));
}

void Turn::wait_on(Stream stream) {
  if (event_ == nullptr || capturing(stream)) return;
  check_cuda(cuda_table().stream_wait_event(static_cast<cudaStream_t>(stream.handle), static_cast<cudaEvent_t>(event_)),
             "waiting for an earlier multiplication");
}

void Turn::passed_on(Stream stream) {
  if (capturing(stream)) return;
  if (event_ == nullptr) {
    cudaEvent_t made = nullptr;
    // Without the time: a device that notes it behind every multiplication takes 1.4 us longer for each (H200).
    check_cuda(cuda_table().event_create(&made, cudaEventDisableTiming), "creating an event");
    event_ = made;
  }
  check_cuda(cuda_table().event_record(static_cast<cudaEvent_t>(event_), static_cast<cudaStream_t>(stream.handle)),
             "recording an event");
}

Recording::Recording(const std::function<void(Stream)>& work) {
  const StreamOwner own;
  graph_ = std::make_shared<const GraphOwner>(own.stream, 1, [&] { work(Stream{own.stream}); });
}

void Recording::queue(Stream stream) const {
  check_cuda(cuda_table().graph_launch(static_cast<const GraphOwner*>(graph_.get())->executable,
                                       static_cast<cudaStream_t>(stream.handle)),
             "running a graph");
}

Timing time(const void* context, void (*call)(const void*, Stream), double seconds, Repeats how) {
  StreamOwner own;
  Stopwatch watch(own.stream);
  const auto once = [&] { call(context, Stream{own.stream}); };
  for (int i = 0; i < 3; ++i) once();
  const double first = watch.seconds(once);
  std::vector<double> samples;
  if (how == Repeats::cold) {
    const MemoryOwner junk(junk_bytes);
    check_cuda(cuda_table().memset_async(junk.data, 0, junk_bytes, own.stream), "clearing memory");
    double spent = 0;
    while (static_cast<int>(samples.size()) < fewest_repeats ||
           (spent < seconds && static_cast<int>(samples.size()) < most_repeats)) {
      simt::read_through(junk.data, junk_bytes, Stream{own.stream});
      samples.push_back(watch.seconds(once));
      spent += samples.back() + 150e-6;
    }
    return summary(samples);
  }
  // A graph of one call costs 50 to 110 us to start on an H200 in a virtual machine (2026-11): a graph holds a
  // millisecond of calls.
  const int calls = std::clamp(static_cast<int>(1e-3 / first), 1, 500);
  std::optional<GraphOwner> graph;
  if (how == Repeats::warm) graph.emplace(own.stream, calls, once);
  const auto replay = [&] {
    if (graph) return check_cuda(cuda_table().graph_launch(graph->executable, own.stream), "running a graph");
    for (int i = 0; i < calls; ++i) once();
  };
  watch.seconds(replay);
  double spent = 0;
  while (static_cast<int>(samples.size()) < fewest_repeats ||
         (spent < seconds && static_cast<int>(samples.size()) < most_repeats)) {
    const double took = watch.seconds(replay);
    samples.push_back(took / calls);
    spent += took;
  }
  return summary(samples);
}

}  // namespace heddle::gpu
