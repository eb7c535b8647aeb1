#include "layout/sliced_build.hpp"

#include <algorithm>

namespace heddle {

Buffer<Offset> slice_starts(const Sliced& shape, std::span<const Index> length) {
  const std::int64_t slices = shape.slices();
  Buffer<Offset> start(slices + 1);
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 14) / shape.slice);
  parallel_ranges(slices, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      const std::int64_t first = s * shape.slice, last = std::min(shape.rows, first + shape.slice);
      const std::int64_t longest = *std::max_element(length.begin() + first, length.begin() + last);
      start[s + 1] = (longest + shape.lanes - 1) / shape.lanes * shape.stride(s);
    }
  });
  start[0] = 0;
  for (std::int64_t s = 0; s < slices; ++s) start[s + 1] += start[s];
  return start;
}

Footprint sliced_footprint(const Sliced& shape, std::span<const Index> length, SlicedArrays kept, int entry_bytes) {
  const std::int64_t slices = shape.slices();
  Footprint need;
  need.stored = slice_starts(shape, length)[slices];
  const std::int64_t beside = (kept.start ? (slices + 1) * static_cast<std::int64_t>(sizeof(Offset)) : 0) +
                              (kept.length + kept.row_of) * shape.rows * static_cast<std::int64_t>(sizeof(Index));
  if (__builtin_mul_overflow(need.stored, entry_bytes, &need.bytes) ||
      __builtin_add_overflow(need.bytes, beside, &need.bytes)) {
    need.bytes = INT64_MAX;
    need.fits = false;
    need.reason = "its bytes cannot be counted in 63 bits";
  }
  return need;
}

}  // namespace heddle
