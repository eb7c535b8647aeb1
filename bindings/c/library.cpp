// The process: version, threads, what a status is called.
#include <deque>
#include <mutex>

#include "guard.hpp"
#include "handles.hpp"

using namespace heddle::c;

const char* heddle_version(void) { return heddle::version; }
int32_t heddle_abi(void) { return HEDDLE_ABI; }

const char* heddle_status_name(heddle_status status) {
  switch (status) {
    case HEDDLE_OK: return "ok";
    case HEDDLE_INTERNAL: return "internal";
    case HEDDLE_USAGE: return "usage";
    case HEDDLE_INPUT: return "input";
    case HEDDLE_UNAVAILABLE: return "unavailable";
    case HEDDLE_NO_MEMORY: return "no_memory";
    case HEDDLE_STOPPED: return "stopped";
    default: return "unknown";
  }
}

heddle_status heddle_set_threads(int32_t count) {
  return guard([&] {
    if (count < 0) wrong_usage("a number from 0 on is needed", "heddle_set_threads");
    heddle::set_threads(count);
  });
}
int32_t heddle_threads(void) { return heddle::threads(); }

namespace {

// Kept for good: memory that an allocator gave goes back to it whenever that may be.
const heddle_device_allocator& kept(const heddle_device_allocator& allocator) {
  static std::mutex guard;
  static std::deque<heddle_device_allocator>& all = *new std::deque<heddle_device_allocator>;
  const std::lock_guard alone(guard);
  const auto same = [&](const heddle_device_allocator& a) {
    return a.allocate == allocator.allocate && a.free == allocator.free && a.context == allocator.context;
  };
  const auto known = std::find_if(all.begin(), all.end(), same);
  return known == all.end() ? all.emplace_back(allocator) : *known;
}

heddle::DeviceAllocator allocator_of(const heddle_device_allocator& given) {
  const heddle_device_allocator& mine = kept(given);
  heddle::DeviceAllocator made;
  made.context = const_cast<heddle_device_allocator*>(&mine);
  made.stream = {given.stream};
  made.allocate = [](void* context, int ordinal, std::size_t bytes, heddle::Stream stream) {
    const auto& a = *static_cast<const heddle_device_allocator*>(context);
    return a.allocate(a.context, ordinal, bytes, stream.handle);
  };
  made.free = [](void* context, int ordinal, void* memory, std::size_t bytes, heddle::Stream stream) {
    const auto& a = *static_cast<const heddle_device_allocator*>(context);
    a.free(a.context, ordinal, memory, bytes, stream.handle);
  };
  return made;
}

}  // namespace

heddle_status heddle_set_device_allocator(const heddle_device_allocator* allocator) {
  return guard([&] {
    const heddle_device_allocator given = taken(allocator);
    if (!given.allocate != !given.free) wrong_usage("one of the two functions is missing", "allocator");
    heddle::set_device_allocator(given.allocate ? allocator_of(given) : heddle::DeviceAllocator{});
  });
}

namespace heddle::c {

Device device_of(heddle_device device) {
  switch (device.kind) {
    case HEDDLE_CPU: return Device::cpu();
    case HEDDLE_GPU: return Device::gpu(device.ordinal);
    case HEDDLE_EMULATOR: return Device::emulator();
    case HEDDLE_AUTO: return Device::parse("auto");
    default: wrong_usage("device kind " + std::to_string(device.kind) + " does not exist");
  }
}

heddle_device device_of(Device device) {
  switch (device.kind) {
    case Device::Kind::gpu: return {HEDDLE_GPU, device.ordinal};
    case Device::Kind::emulator: return {HEDDLE_EMULATOR, 0};
    default: return {HEDDLE_CPU, 0};
  }
}

}  // namespace heddle::c
