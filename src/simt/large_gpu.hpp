// The GPU that thresholds and costs were measured on: an H200.
#pragma once

namespace heddle {

// Multiprocessors.
inline constexpr int large_gpu_units = 132;

}  // namespace heddle
