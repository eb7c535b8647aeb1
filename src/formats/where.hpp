// From a device at run time to the type that picks a copy of the code.
#pragma once

#include "core/check.hpp"
#include "layout/scale.hpp"
#include "simt/simt.hpp"

namespace heddle {

// f(simt::Emulator{}) or f(simt::Cuda{}), for work that kernels do.
template <class F>
void on_gpu(Device device, F f) {
  if (device.kind == Device::Kind::emulator) return f(simt::Emulator{});
#ifdef HEDDLE_HAS_CUDA
  return f(simt::Cuda{});
#else
  fail(ErrorKind::unavailable, "this build of Heddle has no CUDA");
#endif
}

// f(OnCpu{}), f(simt::Emulator{}) or f(simt::Cuda{}).
template <class F>
void on(Device device, F f) {
  if (device.kind == Device::Kind::cpu) return f(OnCpu{});
  on_gpu(device, f);
}

}  // namespace heddle
