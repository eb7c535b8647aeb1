// Random reads of single elements, as many as gather_blocks * gather_threads * per_thread: what a gather rate is
// measured by.
#pragma once

#include "simt/simt.hpp"

namespace heddle {

inline constexpr int gather_blocks = 1056, gather_threads = 256;

// `elements` is a power of two.
void gather(simt::Emulator, const float* x, std::int64_t elements, std::int64_t per_thread, float* sink, Stream stream);
void gather(simt::Cuda, const float* x, std::int64_t elements, std::int64_t per_thread, float* sink, Stream stream);

}  // namespace heddle
