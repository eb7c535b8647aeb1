#include "layout/blocks_build.hpp"

namespace heddle {

Buffer<Offset> block_starts(const PatternView& A, BlockShape shape) {
  const std::int64_t block_rows = shape.block_rows(A.rows);
  Buffer<Offset> start(block_rows + 1);
  start[0] = 0;
  parallel_ranges(block_rows, block_rows_at_once(block_rows, A.nnz()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      Offset count = 0;
      each_block(A, shape, b, [&](const BlockEntries&) { ++count; });
      start[b + 1] = count;
    }
  });
  for (std::int64_t b = 0; b < block_rows; ++b) start[b + 1] += start[b];
  return start;
}

void store_mask(std::uint8_t* masks, int bytes, Offset block, std::uint64_t mask) {
  switch (bytes) {
    case 1: masks[block] = static_cast<std::uint8_t>(mask); break;
    case 2: reinterpret_cast<std::uint16_t*>(masks)[block] = static_cast<std::uint16_t>(mask); break;
    case 4: reinterpret_cast<std::uint32_t*>(masks)[block] = static_cast<std::uint32_t>(mask); break;
    default: reinterpret_cast<std::uint64_t*>(masks)[block] = mask;
  }
}

}  // namespace heddle
