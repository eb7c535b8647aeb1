// What the emulator was asked for, where a GPU would take as many calls of its driver: for tests that count them.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle {

struct EmulatedCalls {
  std::atomic<std::int64_t> kernels = 0, copies = 0, allocations = 0;
};
inline EmulatedCalls emulated_calls;

}  // namespace heddle
