#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include <heddle/allocator.hpp>
#include <heddle/buffer.hpp>

#include "core/check.hpp"
#include "core/emulated_calls.hpp"
#include "core/gpu.hpp"
#include "core/memory_errors.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {
constexpr std::size_t alignment = 64, page = 4096, huge_page = 2 << 20;

// Pages of 2 MiB where the system has them: one fault instead of 512 when memory is first written, and gathers from
// vectors of many megabytes do not wait for the page tables. One core, 2026-11, us to fill new memory of
//
//                                        1 MB     2     3     4     8    16
//   with small pages                      600  1395  2234  3205  6741 14285
//   with huge ones, all of the last too   229   289   818   721  2525  6540
//   memory that was written before         58   156   260   359  1683  3400
//
// Many cores fault small pages in side by side, and a huge one is cleared by one of them (building csr of 268,000
// entries on sixteen cores: 474 us with small pages, 707 with huge ones): there only large arrays have them.
std::size_t least_with_huge_pages() noexcept {
  constexpr int few = 4;
  static const bool few_cores = allowed_cores() <= few;
  return few_cores ? huge_page / 2 : 2 * huge_page;
}

// What is left behind the last whole page is made one where it is at least half: so little is held that was not asked
// for.
std::size_t with_last_page(std::size_t bytes) noexcept {
  const std::size_t left = bytes % huge_page;
  return left >= huge_page / 2 ? bytes - left + huge_page : bytes;
}

void* host_allocate(std::size_t bytes) noexcept {
  const bool large = bytes >= least_with_huge_pages();
  if (large) bytes = with_last_page(bytes);
  void* memory = nullptr;
  if (::posix_memalign(&memory, large ? huge_page : alignment, bytes) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
  if (large) ::madvise(memory, bytes / page * page, MADV_HUGEPAGE);  // a wish: refused, the pages stay small
#endif
  return memory;
}
void host_release(void* memory, std::size_t) noexcept { std::free(memory); }
std::mutex allocator_guard;
DeviceAllocator allocator_in_force;
}  // namespace

void set_device_allocator(const DeviceAllocator& allocator) {
  check((allocator.allocate == nullptr) == (allocator.free == nullptr), ErrorKind::usage,
        "a device allocator allocates and frees: one of the two is missing");
  const std::lock_guard guard(allocator_guard);
  allocator_in_force = allocator;
}

DeviceAllocator device_allocator() {
  const std::lock_guard guard(allocator_guard);
  return allocator_in_force;
}

HostTable& host_table() noexcept {
  static HostTable table{host_allocate, host_release};
  return table;
}

void out_of_memory(std::size_t bytes) { fail(ErrorKind::unavailable, "out of memory: {} bytes were asked for", bytes); }

namespace memory {

std::size_t array_bytes(std::int64_t count, std::size_t size) {
  std::size_t bytes = 0;
  const bool overflow = count < 0 || __builtin_mul_overflow(static_cast<std::size_t>(count), size, &bytes) ||
                        bytes > static_cast<std::size_t>(INT64_MAX);
  check(!overflow, ErrorKind::unavailable, "an array of {} elements of {} bytes is too large", count, size);
  return bytes;
}

namespace {

// The caller's memory is good on every stream when it is handed out, and nothing uses it when it is given back.
std::shared_ptr<void> allocate_by(const DeviceAllocator& allocator, Device device, std::size_t bytes) {
  const gpu::Current current(device);
  void* data = allocator.allocate(allocator.context, device.ordinal, bytes, allocator.stream);
  if (data == nullptr)
    fail(ErrorKind::unavailable, At{to_string(device)}, "the device allocator gave no {} bytes", bytes);
  std::shared_ptr<void> owner(data, [allocator, device, bytes](void* p) {
    std::optional<gpu::Current> of_memory;
    try {
      of_memory.emplace(device);
      gpu::synchronize_device(device.ordinal);
    } catch (const Error&) {  // a forked process, or a device that is gone
    }
    allocator.free(allocator.context, device.ordinal, p, bytes, allocator.stream);
  });
  gpu::synchronize(allocator.stream);
  return owner;
}

std::shared_ptr<void> allocate_on_gpu(Device device, std::size_t bytes) {
  if (const DeviceAllocator allocator = device_allocator(); allocator.allocate != nullptr)
    return allocate_by(allocator, device, bytes);
  void* data = gpu::allocate(device.ordinal, bytes);
  return {data, [device](void* p) { gpu::release(device.ordinal, p); }};
}

}  // namespace

std::shared_ptr<void> allocate(Device device, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (device.kind == Device::Kind::emulator) ++emulated_calls.allocations;
  return with_memory_errors([&]() -> std::shared_ptr<void> {  // the owner of the memory is a few bytes more
    if (!device.host_memory()) return allocate_on_gpu(device, bytes);
    void* data = host_table().allocate(bytes);
    if (data == nullptr) out_of_memory(bytes);
    return {data, [bytes](void* p) { host_table().release(p, bytes); }};
  });
}

namespace {
// One thread cannot draw the bandwidth of a socket, and untouched pages are faulted in by the thread that copies first.
void host_copy(void* to, const void* from, std::size_t bytes) {
  constexpr std::int64_t grain = 1 << 17;  // 1 << 20 left 14 of 16 cores idle where a matrix has 200,000 entries
  parallel_ranges(static_cast<std::int64_t>(bytes), grain, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                static_cast<std::size_t>(end - begin));
  });
}
}  // namespace

void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes) {
  if (bytes == 0) return;
  if (to_device.kind == Device::Kind::emulator || from_device.kind == Device::Kind::emulator)
    ++emulated_calls.copies, ++emulated_calls.waits;
  if (to_device.host_memory() && from_device.host_memory()) return host_copy(to, from, bytes);
  const gpu::Current current(to_device.host_memory() ? from_device : to_device);
  to_device.host_memory() ? gpu::copy_to_host(to, from, bytes) : gpu::copy(to, from, bytes);
}

}  // namespace memory
}  // namespace heddle
