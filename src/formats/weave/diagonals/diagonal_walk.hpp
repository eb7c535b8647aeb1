// The diagonals of a slice of 128 rows, for kernels: a warp walks them by ascending offset. Lane l has rows l, l + 32,
// l + 64, l + 96, as in the layout.
#pragma once

#include "formats/weave/diagonals/diagonals.hpp"
#include "simt/csr/device_csr.hpp"

namespace heddle::weave {

// a - b of arrays that nobody has looked at yet: what is no matrix may hold numbers that lie further apart than a
// difference can be, and then it comes round.
SIMT_DEVICE constexpr Offset apart(Offset a, Offset b) {
  return static_cast<Offset>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
SIMT_DEVICE constexpr Index apart(Index a, Index b) {
  return static_cast<Index>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

// At: numbers the entries of a slice, from 0 on.
template <class At = Offset>
class DiagonalWalk {
 public:
  Index offset = 0;  // of the diagonal it stands on: column - row
  unsigned has = 0;  // bit j: row l + 32 j has it

  // Where the rows begin and end; begin() comes before all else.
  SIMT_DEVICE DiagonalWalk(const PatternArrays& A, std::int64_t first_row, std::int64_t last_row) {
    const Offset first = A.ptr[first_row];
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j) {
      row_[j] = static_cast<Index>(first_row + simt::lane() + j * simt::warp_size);
      const bool exists = row_[j] < last_row;
      at_[j] = exists ? static_cast<At>(apart(A.ptr[row_[j]], first)) : 0;
      end_[j] = exists ? static_cast<At>(apart(A.ptr[row_[j] + 1], first)) : 0;
    }
  }
  // Rows end inside a slice of so many entries, whatever `ptr` says.
  SIMT_DEVICE void stay_in(At entries) {
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j) {
      at_[j] = at_[j] < 0 ? 0 : at_[j];
      end_[j] = end_[j] > entries ? entries : end_[j];
    }
  }
  // `col`: the columns from the first entry of the slice on, from which entries are numbered here.
  SIMT_DEVICE void begin(const Index* col) {
    col_ = col;
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j) {
      next_[j] = offset_at(j, at_[j]);
      behind_[j] = none;  // nobody stands on an entry yet
    }
  }

  // At least so many diagonals are to come, up to 64: rows begin with so many. All lanes together, before advance().
  SIMT_DEVICE int least() const {
    std::uint64_t seen = 0;
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j)
      if (next_[j] != none) seen |= std::uint64_t{1} << (static_cast<std::uint32_t>(next_[j]) * 0x9E3779B1u >> 26);
    for (int distance = 1; distance < simt::warp_size; distance *= 2) seen |= simt::shuffle_xor(seen, distance);
    return simt::count_bits(static_cast<std::uint32_t>(seen)) +
           simt::count_bits(static_cast<std::uint32_t>(seen >> 32));
  }

  // To the next diagonal; false: there is none. All lanes together. What comes behind it is on its way before anybody
  // asks: a step waits for no load.
  SIMT_DEVICE bool advance() {
    Index lowest = none;
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j) {
      const bool passed = (has >> j & 1) != 0;
      at_[j] += passed ? 1 : 0;
      next_[j] = passed ? behind_[j] : next_[j];
      lowest = next_[j] < lowest ? next_[j] : lowest;
    }
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j) behind_[j] = offset_at(j, at_[j] + 1);
    offset = ~simt::max_lanes(~lowest);  // the lowest of all lanes
    has = 0;
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j) has |= (next_[j] == offset ? 1u : 0u) << j;
    return offset != none;
  }

  // The entry of row l + 32 j on the diagonal it stands on, where it has one.
  SIMT_DEVICE At entry(int j) const { return at_[j]; }
  // Which of the slice's rows have it. All lanes together.
  SIMT_DEVICE RowMask mask() const {
    RowMask rows;
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j) rows.word[j] = simt::ballot((has >> j & 1) != 0);
    return rows;
  }

 private:
  static constexpr Index none = INT32_MAX;  // columns, hence offsets, are below it
  SIMT_DEVICE Index offset_at(int j, At at) const { return at < end_[j] ? apart(col_[at], row_[j]) : none; }

  const Index* col_ = nullptr;
  Index row_[rows_per_lane];
  At at_[rows_per_lane], end_[rows_per_lane];
  Index next_[rows_per_lane], behind_[rows_per_lane];  // offsets of the next entry and of the one behind it
};

}  // namespace heddle::weave
