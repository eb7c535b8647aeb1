// From a device at run time to the type that picks a copy of the code.
#pragma once

#include <type_traits>

#include "built_with.hpp"
#include "core/check.hpp"
#include "simt/simt.hpp"

namespace heddle {

// f(simt::Emulator{}) or f(simt::Cuda{}), for work that kernels do.
template <class F>
std::invoke_result_t<F&, simt::Emulator> on_gpu(Device device, [[maybe_unused]] F f) {
  if (device.kind == Device::Kind::emulator) {
#ifdef HEDDLE_HAS_EMULATOR
    return f(simt::Emulator{});
#else
    fail(ErrorKind::unavailable, "this build of Heddle has no emulator");
#endif
  }
#ifdef HEDDLE_HAS_CUDA
  return f(simt::Cuda{});
#else
  fail(ErrorKind::unavailable, "this build of Heddle has no CUDA");
#endif
}

// f(OnCpu{}), f(simt::Emulator{}) or f(simt::Cuda{}).
template <class F>
std::invoke_result_t<F&, simt::Emulator> on(Device device, F f) {
  if (device.kind == Device::Kind::cpu) return f(OnCpu{});
  return on_gpu(device, f);
}

}  // namespace heddle
