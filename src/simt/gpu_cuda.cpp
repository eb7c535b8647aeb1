// core/gpu.hpp on the CUDA runtime.
#include "core/gpu.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>
#include <optional>

#include "core/check.hpp"
#include "core/mark.hpp"
#include "core/own_stream.hpp"
#include "simt/cuda_table.hpp"
#include "simt/device_memory.hpp"
#include "simt/quiet_streams.hpp"
#include "simt/read_through.hpp"

namespace heddle::gpu {

using simt::check_cuda;
using simt::cuda_table;
using simt::DeviceMemory;

namespace {

DeviceInfo describe_gpu(int ordinal) {
  cudaDeviceProp properties{};
  check_cuda(cuda_table().get_device_properties(&properties, ordinal), "reading the device's properties");
  const Current current(Device::gpu(ordinal));
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
  int ordinal = 0;
  void* data;
  explicit MemoryOwner(std::size_t bytes) {
    check_cuda(cuda_table().get_device(&ordinal), "asking for the current GPU");
    data = allocate(ordinal, bytes);
  }
  ~MemoryOwner() { release(ordinal, data); }
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

// What a Current undoes: nothing, or only that the GPU is known; else the GPU that was current.
constexpr int none = -1, same = -2;

int entered(int ordinal, int before) noexcept {
  simt::known_gpu().device = ordinal;
  ++simt::known_gpu().scopes;
  return before;
}

}  // namespace

Current::Current(Device device) {
  if (device.kind != Device::Kind::gpu) return;
  check(device.ordinal >= 0, ErrorKind::usage, "GPUs are counted from 0: there is no gpu:{}", device.ordinal);
  simt::cuda_process().require();
  int now = 0;
  check_cuda(cuda_table().get_device(&now), "asking for the current GPU");
  simt::cuda_process().note_use();
  if (now == device.ordinal) {
    before_ = entered(device.ordinal, same);
    return;
  }
  const cudaError_t status = cuda_table().set_device(device.ordinal);
  if (status == cudaErrorInvalidDevice) {
    cuda_table().get_last_error();
    fail(ErrorKind::unavailable, {to_string(device), "run `heddle devices` to see what there is"},
         "no such device here");
  }
  check_cuda(status, "selecting the GPU");
  before_ = entered(device.ordinal, now);
}

Current::~Current() {
  if (before_ == none) return;
  --simt::known_gpu().scopes;
  if (before_ == same) return;
  cuda_table().set_device(before_);
  simt::known_gpu().device = before_;
}

std::string absence() {
  if (simt::cuda_process().lost()) return simt::CudaProcess::words;
  int count = 0;
  const cudaError_t status = cuda_table().get_device_count(&count);
  if (status == cudaSuccess && count > 0) {
    simt::cuda_process().note_use();
    return {};
  }
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
  const Current current(Device::gpu(ordinal));
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

// Memory that a forked process has inherited is not its own.
void release(int ordinal, void* memory) noexcept {
  if (simt::cuda_process().lost()) return;
  std::optional<Current> current;
  try {
    current.emplace(Device::gpu(ordinal));
  } catch (const Error&) {  // memory is known by its address, whatever device is current
  }
  DeviceMemory::of(ordinal).release(memory);
}

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

bool lies_on(int ordinal, const void* memory, const char* name) {
  cudaPointerAttributes attributes{};
  if (cuda_table().pointer_get_attributes(&attributes, memory) != cudaSuccess) {
    cuda_table().get_last_error();
    return false;
  }
  if (attributes.type == cudaMemoryTypeManaged) return true;
  if (attributes.type != cudaMemoryTypeDevice) return false;
  if (attributes.device != ordinal)
    fail(ErrorKind::usage, {name, "copy it there, or build the operator where it lies"}, "memory of {}, not of {}",
         to_string(Device::gpu(attributes.device)), to_string(Device::gpu(ordinal)));
  return true;
}

void synchronize(Stream stream) {
  check_cuda(cuda_table().stream_synchronize(static_cast<cudaStream_t>(stream.handle)), "waiting for the GPU");
}

void synchronize_device(int ordinal) {
  const Current current(Device::gpu(ordinal));
  check_cuda(cuda_table().device_synchronize(), "waiting for the GPU");
}

void synchronize(int ordinal, Stream stream) {
  const auto handle = static_cast<cudaStream_t>(stream.handle);
  if (simt::quiet_streams().has(ordinal, handle)) return;
  check_cuda(DeviceMemory::of(ordinal).wait_for(handle), "waiting for the GPU");
  simt::quiet_streams().note(ordinal, handle);
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
    try {
      const Current current(Device::gpu(ordinal));
      if (cuda_table().stream_create(&mine.stream) == cudaSuccess) return;
    } catch (const Error&) {
    }
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
  captured_ = capturing(stream);
  if (event_ == nullptr || captured_) return;
  check_cuda(cuda_table().stream_wait_event(static_cast<cudaStream_t>(stream.handle), static_cast<cudaEvent_t>(event_)),
             "waiting for an earlier multiplication");
}

namespace {
// Made when it is first recorded, without the time: a device that notes it behind every multiplication takes 1.4 us
// longer for each (H200).
void record(void*& event, Stream stream) {
  if (event == nullptr) {
    cudaEvent_t made = nullptr;
    check_cuda(cuda_table().event_create(&made, cudaEventDisableTiming), "creating an event");
    event = made;
  }
  check_cuda(cuda_table().event_record(static_cast<cudaEvent_t>(event), static_cast<cudaStream_t>(stream.handle)),
             "recording an event");
}
}  // namespace

void Turn::passed_on(Stream stream) {
  if (!captured_) record(event_, stream);
}

Mark::~Mark() {
  if (event_) cuda_table().event_destroy(static_cast<cudaEvent_t>(event_));
}

void Mark::set(Stream stream) { record(event_, stream); }

void Mark::wait() const {
  check_cuda(cuda_table().event_synchronize(static_cast<cudaEvent_t>(event_)), "waiting for the GPU");
}

OwnStream::OwnStream() {
  cudaStream_t made = nullptr;
  check_cuda(cuda_table().stream_create(&made), "creating a stream");
  stream_ = Stream{made};
}
OwnStream::~OwnStream() { cuda_table().stream_destroy(static_cast<cudaStream_t>(stream_.handle)); }

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
  // millisecond of calls, or less where that is all the time there is.
  const double at_once = std::clamp(seconds / 4, 1e-4, 1e-3);
  const int calls = std::clamp(static_cast<int>(at_once / first), 1, 500), fewest = at_once < 1e-3 ? 3 : fewest_repeats;
  std::optional<GraphOwner> graph;
  if (how == Repeats::warm) graph.emplace(own.stream, calls, once);
  const auto replay = [&] {
    if (graph) return check_cuda(cuda_table().graph_launch(graph->executable, own.stream), "running a graph");
    for (int i = 0; i < calls; ++i) once();
  };
  watch.seconds(replay);
  double spent = 0;
  while (static_cast<int>(samples.size()) < fewest ||
         (spent < seconds && static_cast<int>(samples.size()) < most_repeats)) {
    const double took = watch.seconds(replay);
    samples.push_back(took / calls);
    spent += took;
  }
  return summary(samples);
}

}  // namespace heddle::gpu
