#include "machine/machine_gather.hpp"

namespace heddle {

namespace {

// Places by a multiplicative hash: no two lanes of a warp are neighbours, and no array of places is read.
SIMT_KERNEL gather_elements(const float* x, unsigned mask, std::int64_t per_thread, float* sink) {
  const auto first = static_cast<unsigned>(simt::global_thread());
  const auto stride = static_cast<unsigned>(simt::grid_blocks() * simt::block_threads());
  float sum = 0;
#pragma unroll 8
  for (std::int64_t i = 0; i < per_thread; ++i) {
    const unsigned place = (first + static_cast<unsigned>(i) * stride) * 0x9E3779B9u;
    sum += simt::cached_load(x + ((place ^ (place >> 15)) & mask));
  }
  if (sum == 0.12345f) *sink = sum;  // x holds zeros, which the compiler cannot know
}

}  // namespace

void gather(simt::Here here, const float* x, std::int64_t elements, std::int64_t per_thread, float* sink,
            Stream stream) {
  simt::launch(here, {gather_blocks, gather_threads, 0, stream}, gather_elements, x,
               static_cast<unsigned>(elements - 1), per_thread, sink);
}

}  // namespace heddle
