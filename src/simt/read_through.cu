#include "simt/read_through.hpp"

#include "simt/simt.hpp"

namespace heddle::simt {

namespace {
SIMT_KERNEL read_all(const int4* from, std::int64_t count, int* sink) {
  int bits = 0;
  for (std::int64_t i = global_thread(); i < count; i += grid_blocks() * block_threads())
    bits |= from[i].x ^ from[i].y ^ from[i].z ^ from[i].w;
  if (bits == 0x12345) *sink = bits;  // the memory holds zeros, which the compiler cannot know
}
}  // namespace

void read_through(const void* memory, std::size_t bytes, Stream stream) {
  launch(Cuda{}, {1056, 256, 0, stream}, read_all, static_cast<const int4*>(memory),
         static_cast<std::int64_t>(bytes / sizeof(int4)), static_cast<int*>(const_cast<void*>(memory)));
}

}  // namespace heddle::simt
