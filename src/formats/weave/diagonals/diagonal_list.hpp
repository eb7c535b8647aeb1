// The diagonals of a slice of 128 rows as kernels list them: those rows that have each, whether each has one value, and
// a hash of them all.
#pragma once

#include <limits>

#include "formats/weave/diagonals/diagonal_near.hpp"
#include "formats/weave/diagonals/diagonals_found.hpp"

namespace heddle::weave {

namespace {  // compiled for two devices under one name

struct SliceFound {
  std::uint64_t hash;  // not 0
  std::int64_t count;
  std::int64_t first;  // slice with this pattern
};

// Where the diagonals of a slice go; those behind `room` are only counted, and with more than `most` nobody goes on.
template <class V>
struct SliceList {
  FoundDiagonal<V>* diagonal;
  Offset room;
  Offset most = std::numeric_limits<Offset>::max();
};

// By a warp. `val`: null when values are not looked at, else `same` becomes false in some lane where a diagonal has
// several.
template <class At, class V>
SIMT_DEVICE SliceFound list_diagonals(const PatternArrays& A, const SliceRows& rows, const Index* col, const V* val,
                                      const SliceList<V>& to, bool& same) {
  DiagonalWalk<At> walk(A, rows.first, rows.last);
  walk.stay_in(static_cast<At>(rows.count));
  walk.begin(col);
  if (const int least = walk.least(); least > to.most) return {1, least, 0};
  auto hash = static_cast<std::uint32_t>(simt::lane()) * 0x9E3779B1u;  // of what the lane has seen
  Offset count = 0;
  for (; count <= to.most && walk.advance(); ++count) {
    hash = (hash ^ static_cast<std::uint32_t>(walk.offset)) * 0x9E3779B1u;
    hash = (hash ^ hash >> 15 ^ walk.has) * 0x85EBCA77u;
    const RowMask mask = walk.mask();
    V value{};
    if (val != nullptr) {
      V mine[rows_per_lane]{}, last{};
#pragma unroll
      for (int j = 0; j < rows_per_lane; ++j)
        if ((walk.has >> j & 1) != 0) last = mine[j] = val[walk.entry(j)];
      const unsigned lanes = mask.word[0] | mask.word[1] | mask.word[2] | mask.word[3];
      value = simt::shuffle(last, simt::warp_size - 1 - simt::leading_zeros(lanes));
#pragma unroll
      for (int j = 0; j < rows_per_lane; ++j)
        if ((walk.has >> j & 1) != 0) same &= value_bits(mine[j]) == value_bits(value);
      if (simt::any(!same)) val = nullptr;  // and nobody asks for the value of a diagonal any more
    }
    if (count < to.room && simt::lane() == 0) to.diagonal[count] = {mask, walk.offset, value};
  }
  // Sums of what is no linear function of what a lane has seen: else masks with as many rows and the same sum of their
  // numbers would all have one hash.
  hash = (hash ^ hash >> 16) * 0xC2B2AE3Du;
  hash = (hash ^ hash >> 13) * 0x27D4EB2Fu;
  const std::uint32_t high = simt::sum_lanes(hash ^ hash >> 15),
                      low = simt::sum_lanes((hash ^ hash >> 11) * 0x9E3779B1u);
  const std::uint64_t both = (std::uint64_t{high} << 32 | low) + static_cast<std::uint64_t>(count);
  return {both * 0x9e3779b97f4a7c15u | 1, count, 0};
}

// The entries of a slice: near, or where they are.
template <class V>
struct SliceEntries {
  bool near, looks;
  Index* col;
  V* val;

  SIMT_DEVICE SliceEntries(const CsrArrays<V>& A, const SliceRows& rows, const SliceRoom& room, bool looks_at_values)
      : near(rows.count <= room.entries), looks(looks_at_values) {
    col = simt::shared<Index>();
    val = reinterpret_cast<V*>(col + room.entries);
    if (near && looks)
      bring_near(A.col, A.val, rows, col, val);
    else if (near)
      bring_near(A.col, rows, col);
    simt::sync_block();
  }
  SIMT_DEVICE SliceFound list(const CsrArrays<V>& A, const SliceRows& rows, const SliceList<V>& to, bool& same) const {
    if (near) return list_diagonals<std::int32_t, V>(A, rows, col, looks ? val : nullptr, to, same);
    return list_diagonals<Offset, V>(A, rows, A.col + rows.begin, looks ? A.val + rows.begin : nullptr, to, same);
  }
};

}  // namespace

}  // namespace heddle::weave
