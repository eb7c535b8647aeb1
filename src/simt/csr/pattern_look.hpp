// How kernels find out whether arrays are a CSR matrix (device_pattern.hpp): those that do nothing else, and those that
// do it as well.
#pragma once

#include <algorithm>
#include <cstdint>

#include <heddle/matrix.hpp>

#include "simt/simt.hpp"

namespace heddle {

// Columns ascend inside rows exactly when every step down in `col` is where a row begins: as many steps down among the
// entries as among the beginnings of rows. So both arrays are read front to back, and the row of an entry is never
// needed.
struct PatternFound {
  std::int64_t steps_down = 0, rows_after_step_down = 0;
  std::int64_t longest = 0;
  std::int32_t bad = 0;

  SIMT_BOTH void add(const PatternFound& other) {
    steps_down += other.steps_down;
    rows_after_step_down += other.rows_after_step_down;
    longest = longest < other.longest ? other.longest : longest;
    bad |= other.bad;
  }
};

struct PatternLook {
  static constexpr int packs = 4, pack_entries = 4, warp_entries = packs * pack_entries * simt::warp_size;
  std::int64_t rows, cols, nnz, warps;
  std::uint64_t rows_of_warp;  // in units of 2^-32
  const Offset* ptr;
  const Index* col;
  bool aligned;                   // to four columns
  PatternFound* found = nullptr;  // of each block
  std::int64_t blocks = 0;

  explicit PatternLook(const PatternView& A)
      : rows(A.rows),
        cols(A.cols),
        nnz(A.nnz()),
        warps(std::max<std::int64_t>(1, simt::blocks_for(A.nnz(), warp_entries))),
        rows_of_warp((static_cast<std::uint64_t>(A.rows) << 32) / static_cast<std::uint64_t>(warps)),
        ptr(A.ptr.data()),
        col(A.col.data()),
        aligned(reinterpret_cast<std::uintptr_t>(col) % (pack_entries * sizeof(Index)) == 0) {}

  SIMT_BOTH std::int64_t count() const { return warps * simt::warp_size; }
};

namespace {  // compiled for two devices under one name

// A warp looks at 512 neighbouring entries, and at as many rows as come to 512 entries on average: so the beginnings of
// rows are read while the entries around them are near. (One entry and one row an item: every sector of `col` came
// twice.) A thread's loads are in flight together: those of entries and rows, then those of what rows begin with.
struct PatternItems : PatternLook {
  using Result = PatternFound;
  static constexpr int blocks_of_unit = 5;
  SIMT_BOTH explicit PatternItems(const PatternLook& look) : PatternLook(look) {}

  SIMT_DEVICE void add(std::int64_t i, PatternFound& to) const {
    if (i == 0 && (ptr[0] != 0 || ptr[rows] != nnz)) to.bad = 1;
    const std::int64_t warp = i / simt::warp_size, first = warp * warp_entries;
    const int lane = static_cast<int>(i % simt::warp_size);
    const std::int64_t first_of_rows = first_row(warp), last_of_rows = first_row(warp + 1);
    RowLimits limits;
    if (first_of_rows < last_of_rows) limits.load(ptr, first_of_rows + lane, last_of_rows);
    if (aligned && first + warp_entries <= nnz)
      add_packs(first + lane * pack_entries, to);
    else
      for (Offset k = first + lane; k < nnz && k < first + warp_entries; k += simt::warp_size)
        add_entry(k > 0 ? col[k - 1] : -1, col[k], to);
    add_rows(limits, first_of_rows + lane, last_of_rows, to);
  }

 private:
  SIMT_DEVICE std::int64_t first_row(std::int64_t warp) const {
    return warp >= warps ? rows : static_cast<std::int64_t>(static_cast<std::uint64_t>(warp) * rows_of_warp >> 32);
  }
  static constexpr int rows_at_once = 3;
  struct RowLimits {
    Offset begin[rows_at_once], end[rows_at_once];

    // Behind the last one that again, so that no load waits for another.
    SIMT_DEVICE void load(const Offset* ptr, std::int64_t first, std::int64_t last) {
#pragma unroll
      for (int u = 0; u < rows_at_once; ++u) {
        const std::int64_t row = first + u * simt::warp_size;
        begin[u] = ptr[row < last ? row : last - 1];
        end[u] = ptr[(row < last ? row : last - 1) + 1];
      }
    }
  };
  // `limits` of the first ones are there already.
  SIMT_DEVICE void add_rows(RowLimits& limits, std::int64_t first, std::int64_t last, PatternFound& to) const {
    while (first < last) {
      Index before[rows_at_once], column[rows_at_once];
#pragma unroll
      for (int u = 0; u < rows_at_once; ++u) {
        const bool entry_before = limits.begin[u] > 0 && limits.begin[u] < nnz;
        before[u] = entry_before ? col[limits.begin[u] - 1] : -1;
        column[u] = entry_before ? col[limits.begin[u]] : 0;
      }
#pragma unroll
      for (int u = 0; u < rows_at_once; ++u)
        if (first + u * simt::warp_size < last) add_row(limits.begin[u], limits.end[u], column[u] <= before[u], to);
      first += rows_at_once * simt::warp_size;
      if (first < last) limits.load(ptr, first, last);
    }
  }
  SIMT_DEVICE void add_row(Offset begin, Offset end, bool after_step_down, PatternFound& to) const {
    if (begin < 0 || end < begin || end > nnz) {
      to.bad = 1;
      return;
    }
    to.longest = to.longest < end - begin ? end - begin : to.longest;
    if (begin < end && after_step_down) ++to.rows_after_step_down;
  }
  // Nothing is below a column of -1, which is bad itself.
  SIMT_DEVICE void add_entry(Index before, Index column, PatternFound& to) const {
    if (column < 0 || column >= cols) to.bad = 1;
    if (column <= before) ++to.steps_down;
  }
  // By a warp. The column before a pack is the last one of the lane below.
  SIMT_DEVICE void add_packs(Offset first, PatternFound& to) const {
    simt::Pack<Index, pack_entries> pack[packs];
    Index before[packs];
#pragma unroll
    for (int u = 0; u < packs; ++u) {
      const Offset k = first + u * pack_entries * simt::warp_size;
      pack[u] = simt::cached_pack<pack_entries>(col + k);
      before[u] = simt::lane() == 0 && k > 0 ? col[k - 1] : -1;
    }
    int steps_down = 0;
    bool bad = false;
    const auto look = [&](Index left, Index column) {
      bad |= static_cast<std::uint32_t>(column) >= static_cast<std::uint32_t>(cols);  // also where it is below 0
      steps_down += column <= left;
    };
#pragma unroll
    for (int u = 0; u < packs; ++u) {
      const Index below = simt::shuffle_up(pack[u].at[pack_entries - 1], 1);
      look(simt::lane() == 0 ? before[u] : below, pack[u].at[0]);
#pragma unroll
      for (int j = 1; j < pack_entries; ++j) look(pack[u].at[j - 1], pack[u].at[j]);
    }
    to.steps_down += steps_down;
    to.bad |= bad;
  }
};

}  // namespace

}  // namespace heddle
