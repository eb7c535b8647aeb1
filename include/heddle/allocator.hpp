// Memory of GPUs from an allocator of your own, such as the pool of PyTorch or CuPy that everything else comes from.
#pragma once

#include <cstddef>

#include <heddle/device.hpp>
#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

// The GPU in question is the current one while either is called. `stream` is handed to both: the stream in whose order
// the allocator works. Heddle waits for it after allocating, and for the GPU before freeing.
struct DeviceAllocator {
  void* (*allocate)(void* context, int ordinal, std::size_t bytes, Stream stream) = nullptr;  // null: there is none
  void (*free)(void* context, int ordinal, void* memory, std::size_t bytes, Stream stream) = nullptr;
  void* context = nullptr;
  Stream stream = {};
};

// For all memory of GPUs that is allocated from now on; what was allocated before goes back to where it came from. An
// empty one puts Heddle's own pool in force again. Both functions are called by any thread and must not throw.
void set_device_allocator(const DeviceAllocator& allocator);
DeviceAllocator device_allocator();

}  // namespace heddle
