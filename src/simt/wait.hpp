// Waiting for what was queued on a device.
#pragma once

#include "core/emulated_calls.hpp"
#include "core/gpu.hpp"

namespace heddle {

// Nothing for a CPU. The emulator runs a kernel when it is queued, and counts what a GPU would wait for.
inline void wait_for(Device device, Stream stream = {}) {
  if (device.kind == Device::Kind::emulator) ++emulated_calls.waits;
  if (device.kind == Device::Kind::gpu) gpu::synchronize(stream);
}

}  // namespace heddle
