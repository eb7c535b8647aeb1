// The door to host memory. Every allocation whose size depends on data passes this table, so that a test can make the
// k-th one fail, count what is alive, or put guard words around it. (GPU calls have their own table:
// simt/cuda_table.hpp.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <heddle/buffer.hpp>

namespace heddle {

struct HostTable {
  void* (*allocate)(std::size_t bytes) noexcept;  // 64-byte aligned, null when there is none; bytes > 0
  void (*release)(void* memory, std::size_t bytes) noexcept;
};

// The table in force; tests swap its entries. Not to be changed while other threads allocate.
HostTable& host_table() noexcept;

// Error(unavailable).
[[noreturn]] void out_of_memory(std::size_t bytes);

// For std::vector that grows: fails as a Buffer does.
template <class T>
struct HostAllocator {
  using value_type = T;
  HostAllocator() = default;
  template <class U>
  HostAllocator(const HostAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) {
    const std::size_t bytes = memory::array_bytes(static_cast<std::int64_t>(n), sizeof(T));
    void* memory = host_table().allocate(bytes);
    if (memory == nullptr) out_of_memory(bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) noexcept { host_table().release(memory, n * sizeof(T)); }
  template <class U>
  bool operator==(const HostAllocator<U>&) const noexcept {
    return true;
  }
};

template <class T>
using Vector = std::vector<T, HostAllocator<T>>;

}  // namespace heddle
