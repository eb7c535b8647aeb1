// Reads a region of GPU memory: what evicts the L2 between cold timings. Reading, not writing: dirty lines would be
// written back during the timed call.
#pragma once

#include <cstddef>

#include <heddle/device.hpp>

namespace heddle::simt {

void read_through(const void* memory, std::size_t bytes, Stream stream);

}  // namespace heddle::simt
