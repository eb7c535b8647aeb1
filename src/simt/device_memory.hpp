// Where the memory of a device comes from. cudaMalloc and cudaFree of an array of megabytes take as long as several
// multiplications; a pool of our own that keeps a little gives the next operator the memory of the last one at once,
// and what was given back last is handed out again without a call (kept_memory.hpp). A device without pools gets the
// plain calls.
//
// Allocations and releases have a stream of their own, on which nothing else happens. Memory goes to its next owner
// when the device has been waited for, as cudaFree does: work queued on any stream may still use it.
#pragma once

#include <algorithm>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

#include "simt/cuda_table.hpp"
#include "simt/kept_memory.hpp"

namespace heddle::simt {

// The device is the current one (gpu::Current).
class DeviceMemory {
 public:
  static DeviceMemory& of(int ordinal) {
    static DeviceMemory* const all = new DeviceMemory[most_devices];  // outlives every static that holds memory
    return all[std::min(ordinal, most_devices - 1)];
  }

  cudaError_t allocate(int ordinal, void** memory, std::size_t bytes) {
    std::call_once(created_, [&] { create(ordinal); });
    if (pool_ == nullptr) return cuda_table().malloc(memory, bytes);
    const std::lock_guard guard(kept_guard_);
    bytes = KeptMemory::rounded(bytes);
    cudaError_t status = take_kept(memory, bytes);
    if (status == cudaSuccess && *memory == nullptr) status = take_new(memory, bytes);
    if (status == cudaErrorMemoryAllocation && make_room(kept_.most())) {
      cuda_table().get_last_error();
      status = take_new(memory, bytes);
    }
    return status;
  }
  void release(void* memory) noexcept {
    if (pool_ == nullptr) {
      cuda_table().free(memory);
      return;
    }
    const std::lock_guard guard(kept_guard_);
    const std::size_t bytes = sizes_.find(memory)->second;
    if (bytes <= kept_.most() && !kept_.has_room(bytes)) make_room(bytes);
    try {
      if (kept_.has_room(bytes)) return kept_.keep(memory, bytes);
    } catch (const std::bad_alloc&) {  // there is no room to note it
    }
    cuda_table().device_synchronize();
    give_back(memory);
  }
  // For what is queued on a stream. Where memory was given back since the device was last waited for, for all of the
  // device: who takes some of that memory later finds it free, and a wait of its own would come when nothing runs.
  cudaError_t wait_for(cudaStream_t stream) {
    {
      const std::lock_guard guard(kept_guard_);
      if (kept_.awaits_device()) return wait_for_device();
    }
    return cuda_table().stream_synchronize(stream);
  }

 private:
  static constexpr int most_devices = 64;
  static constexpr std::uint64_t pool_keeps = std::uint64_t{1} << 30;
  static constexpr std::size_t most_kept = std::size_t{2} << 30;

  void create(int ordinal) noexcept {
    cudaMemPool_t pool = nullptr;
    std::size_t free_bytes = 0, total_bytes = 0;
    if (cuda_table().mem_get_info(&free_bytes, &total_bytes) == cudaSuccess)
      kept_ = KeptMemory(std::min(most_kept, total_bytes / 32));
    if (cuda_table().pool_create(&pool, ordinal, pool_keeps) == cudaSuccess &&
        cuda_table().stream_create(&stream_) == cudaSuccess)
      pool_ = pool;
    else
      cuda_table().get_last_error();
  }
  // Null: none is kept that fits.
  cudaError_t take_kept(void** memory, std::size_t bytes) {
    const KeptMemory::Block block = kept_.take(bytes);
    *memory = block.memory;
    if (block.memory == nullptr || !block.in_use) return cudaSuccess;
    const cudaError_t status = wait_for_device();
    if (status != cudaSuccess) kept_.keep(block.memory, block.bytes);
    return status;
  }
  cudaError_t wait_for_device() {
    const cudaError_t status = cuda_table().device_synchronize();
    if (status == cudaSuccess) kept_.all_unused();
    return status;
  }
  cudaError_t take_new(void** memory, std::size_t bytes) {
    const auto size = sizes_.emplace(nullptr, bytes).first;  // a place for it, before there is something to lose
    cudaError_t status = cuda_table().pool_malloc(memory, bytes, pool_, stream_);
    if (status == cudaSuccess) status = cuda_table().stream_synchronize(stream_);
    auto place = sizes_.extract(size);
    if (status != cudaSuccess) return status;
    place.key() = *memory;
    sizes_.insert(std::move(place));
    return status;
  }
  // The oldest ones go. False: there was nothing.
  bool make_room(std::size_t bytes) noexcept {
    bool any = false;
    cuda_table().device_synchronize();
    for (void* oldest = kept_.take_oldest().memory; oldest != nullptr; oldest = kept_.take_oldest().memory) {
      give_back(oldest);
      any = true;
      if (kept_.has_room(bytes)) break;
    }
    return any;
  }
  void give_back(void* memory) {
    sizes_.erase(memory);
    cuda_table().pool_free(memory, stream_);
  }

  std::once_flag created_;
  cudaMemPool_t pool_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::mutex kept_guard_;
  KeptMemory kept_{0};
  std::unordered_map<void*, std::size_t> sizes_;
};

}  // namespace heddle::simt
