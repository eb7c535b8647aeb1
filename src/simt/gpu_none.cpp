// A build without CUDA: there is no GPU, and it says so.
#include "core/check.hpp"
#include "core/gpu.hpp"
#include "core/mark.hpp"
#include "core/own_stream.hpp"

namespace heddle::gpu {

namespace {
[[noreturn]] void no_gpu() {
  fail(ErrorKind::unavailable, {"gpu", "configure with -DHEDDLE_CUDA=ON, or use --device cpu"}, "{}", absence());
}
}  // namespace

Current::Current(Device device) {
  if (!device.host_memory()) no_gpu();
}
Current::~Current() = default;
std::string absence() { return "this build of Heddle has no CUDA"; }
std::vector<DeviceInfo> list() { return {}; }
void* allocate(int, std::size_t) { no_gpu(); }
void release(int, void*) noexcept {}
void* allocate_for_both(std::size_t) noexcept { return nullptr; }
void copy(void*, const void*, std::size_t) { no_gpu(); }
void copy_to_host(void*, const void*, std::size_t) { no_gpu(); }
bool lies_on(int, const void*, const char*) { return false; }
void copy_queued(void*, const void*, std::size_t, Stream) { no_gpu(); }
void synchronize(Stream) { no_gpu(); }
void synchronize_device(int) { no_gpu(); }
void synchronize(int, Stream) { no_gpu(); }
Stream side_stream(int, int) noexcept { return {}; }
void read(const void*, std::size_t, Stream) { no_gpu(); }
Turn::~Turn() = default;
void Turn::wait_on(Stream) {}
void Turn::passed_on(Stream) {}
Mark::~Mark() = default;
void Mark::set(Stream) { no_gpu(); }
void Mark::wait() const { no_gpu(); }
OwnStream::OwnStream() { no_gpu(); }
OwnStream::~OwnStream() = default;
Recording::Recording(const std::function<void(Stream)>&) { no_gpu(); }
void Recording::queue(Stream) const { no_gpu(); }
Timing time(const void*, void (*)(const void*, Stream), double, Repeats) { no_gpu(); }

}  // namespace heddle::gpu
