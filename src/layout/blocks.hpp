// Small dense blocks on a grid: the matrix is cut into aligned r x c pieces, and every piece that holds an entry is
// stored whole, with one column number.
//
//   2 x 3 block at block row R, block column B      place of (i, j) is  i*c + j :    a b .      val   a b 0 c 0 0
//   covers rows R*r .. , columns B*c ..                                              c . .      mask  1 1 0 1 0 0
//
// Bit i*c + j of a block's mask says that (i, j) is an entry of the matrix: a stored zero counts, fill-in does not and
// never touches x. Blocks that hang over the last row or column are never full, so `mask == full` also means "inside".
// A mask takes the smallest of 1, 2, 4, 8 bytes that has r*c bits.
#pragma once

#include <heddle/matrix.hpp>

#include "simt/simt.hpp"

namespace heddle {

struct BlockShape {
  int r = 4, c = 4;

  SIMT_BOTH constexpr int places() const { return r * c; }
  SIMT_BOTH constexpr std::uint64_t full() const { return ~std::uint64_t{0} >> (64 - r * c); }
  SIMT_BOTH constexpr unsigned full_line() const { return (1u << c) - 1; }  // the mask of one row of the block
  SIMT_BOTH constexpr unsigned line(std::uint64_t mask, int i) const {
    return static_cast<unsigned>(mask >> (i * c)) & full_line();
  }
  SIMT_BOTH constexpr int mask_bytes() const { return places() <= 8 ? 1 : places() <= 16 ? 2 : places() <= 32 ? 4 : 8; }
  SIMT_BOTH constexpr std::int64_t block_rows(std::int64_t rows) const { return (rows + r - 1) / r; }
};

// masks: an array of 1-, 2-, 4- or 8-byte numbers.
SIMT_DEVICE std::uint64_t load_mask(const std::uint8_t* masks, int bytes, Offset block) {
  switch (bytes) {
    case 1: return simt::stream_load(masks + block);
    case 2: return simt::stream_load(reinterpret_cast<const std::uint16_t*>(masks) + block);
    case 4: return simt::stream_load(reinterpret_cast<const std::uint32_t*>(masks) + block);
    default: return simt::stream_load(reinterpret_cast<const std::uint64_t*>(masks) + block);
  }
}

}  // namespace heddle
