// What the emulator was asked for, where a GPU would take as many calls of its driver: for tests that count them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle {

struct EmulatedCalls {
  std::atomic<std::int64_t> kernels = 0, copies = 0, allocations = 0;
  // Told of every launch. Kernels whose parameters are of one type have one `body`.
  using Told = void (*)(void (*body)(void*), int threads, std::size_t shared_bytes);
  std::atomic<Told> launched = nullptr;
  std::atomic<std::int64_t> waits = 0;  // of the host; every copy is one
};
inline EmulatedCalls emulated_calls;

}  // namespace heddle
