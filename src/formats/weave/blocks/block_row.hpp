// The blocks of a row of blocks, for kernels: found by a warp, or walked by a thread.
#pragma once

#include "simt/csr/device_csr.hpp"

namespace heddle::weave {

// Walks the blocks of a row of blocks by ascending column: its B rows are merged.
template <int B>
class BlockRow {
 public:
  Index col = 0;  // of the block it stands on
  std::uint32_t mask = 0;

  SIMT_DEVICE BlockRow(const PatternArrays& A, std::int64_t block_row) : A_(A) {
#pragma unroll
    for (int line = 0; line < B; ++line) {
      const std::int64_t row = block_row * B + line;
      at_[line] = row < A.rows ? A.ptr[row] : 0;
      end_[line] = row < A.rows ? A.ptr[row + 1] : 0;
      load(line);
    }
  }
  // To the next block; false: there is none.
  SIMT_DEVICE bool advance() {
    Index lowest = none;
#pragma unroll
    for (int line = 0; line < B; ++line) lowest = next_[line] < lowest ? next_[line] : lowest;
    if (lowest == none) return false;
    col = lowest / B;
    mask = 0;
#pragma unroll
    for (int line = 0; line < B; ++line)
      while (next_[line] != none && next_[line] / B == col) {
        mask |= 1u << (line * B + next_[line] % B);
        ++at_[line];
        load(line);
      }
    return true;
  }

 private:
  static constexpr Index none = INT32_MAX;  // columns are below it
  SIMT_DEVICE void load(int line) {
    next_[line] = at_[line] < end_[line] ? simt::cached_load(A_.col + at_[line]) : none;
  }

  const PatternArrays& A_;
  Offset at_[B], end_[B];
  Index next_[B];
};

// A warp looks for the leaders of blocks: entries that are the first of their block in their own row, with no entry of
// it in the rows above. Where blocks are full, row after row has the same columns at the same places, and one look at
// that place is enough.
template <int B>
class BlockLeaders {
 public:
  SIMT_DEVICE BlockLeaders(const PatternArrays& A, std::int64_t block_row) : A_(A) {
#pragma unroll
    for (int line = 0; line < B; ++line) {
      const std::int64_t row = block_row * B + line;
      begin_[line] = row < A.rows ? A.ptr[row] : 0;
      end_[line] = row < A.rows ? A.ptr[row + 1] : 0;
    }
  }

  // At least so many: as the row of them that has most. Those are all where the rows are `alike`. All lanes together.
  SIMT_DEVICE Offset at_least(bool& alike) const {
    Offset longest = 0;
#pragma unroll
    for (int line = 0; line < B; ++line) {
      const Offset length = end_[line] - begin_[line];
      longest = length > longest ? length : longest;
    }
    return longest > simt::warp_size ? most_blocks<2>(longest, alike) : most_blocks<1>(longest, alike);
  }
  // Blocks of the row. All lanes together.
  SIMT_DEVICE Offset count() const {
    Offset found = 0;
#pragma unroll
    for (int line = 0; line < B; ++line)
      each(line, [&](Offset, unsigned leaders) { found += simt::count_bits(leaders); });
    return found;
  }
  // f(number, block column, mask) for the blocks that an entry of the first row leads; gives their number. All lanes
  // together.
  template <class F>
  SIMT_DEVICE Offset of_first_row(F f) const {
    Offset found = 0;
    each(0, [&](Offset k, unsigned leaders) {
      if ((leaders >> simt::lane() & 1) != 0) {
        const Index block = A_.col[k] / B;
        f(found + simt::count_bits(leaders & ((1u << simt::lane()) - 1)), block, mask(block, k - begin_[0]));
      }
      found += simt::count_bits(leaders);
    });
    return found;
  }

 private:
  // Blocks of the row that has most. Loads of `at_once` times 32 entries of all rows are under way together.
  template <int at_once>
  SIMT_DEVICE Offset most_blocks(Offset longest, bool& alike) const {
    Offset found[B] = {};
    bool differs = false;
    for (Offset first = simt::lane(); first - simt::lane() < longest; first += at_once * simt::warp_size) {
      Index column[B][at_once], before[B][at_once];
#pragma unroll
      for (int line = 0; line < B; ++line) {
#pragma unroll
        for (int u = 0; u < at_once; ++u) {
          const Offset k = begin_[line] + first + u * simt::warp_size;
          column[line][u] = k < end_[line] ? A_.col[k] : -1;
          before[line][u] = k < end_[line] && k > begin_[line] ? A_.col[k - 1] : -B;  // in no block
        }
      }
#pragma unroll
      for (int line = 0; line < B; ++line) {
#pragma unroll
        for (int u = 0; u < at_once; ++u) {
          const bool begins = column[line][u] >= 0 && before[line][u] / B != column[line][u] / B;
          found[line] += simt::count_bits(simt::ballot(begins));
          differs |= column[line][u] != column[0][u];
        }
      }
    }
    alike = !simt::any(differs);
    Offset most = 0;
#pragma unroll
    for (int line = 0; line < B; ++line) most = found[line] > most ? found[line] : most;
    return most;
  }

  // f(this lane's entry, lanes whose entry is a leader) over the entries of a row, 32 at a time.
  template <class F>
  SIMT_DEVICE void each(int line, F f) const {
    for (Offset first = begin_[line]; first < end_[line]; first += simt::warp_size) {
      const Offset k = first + simt::lane();
      f(k, simt::ballot(k < end_[line] && leads(line, k)));
    }
  }
  SIMT_DEVICE bool begins_block(int line, Offset k) const {
    return k == begin_[line] || A_.col[k - 1] / B != A_.col[k] / B;
  }
  SIMT_DEVICE bool leads(int line, Offset k) const {
    if (!begins_block(line, k)) return false;
    const Index block = A_.col[k] / B;
    for (int above = 0; above < line; ++above)
      if (is_in(block, find(above, block, k - begin_[line]), above)) return false;
    return true;
  }
  SIMT_DEVICE bool is_in(Index block, Offset k, int line) const { return k < end_[line] && A_.col[k] / B == block; }
  // The first entry of a row in the block, or where it would be; perhaps `guess` entries from its begin.
  SIMT_DEVICE Offset find(int line, Index block, Offset guess) const {
    const Offset k = begin_[line] + guess;
    if (is_in(block, k, line) && (guess == 0 || A_.col[k - 1] / B != block)) return k;
    return A_.entry_from(std::int64_t{block} * B, begin_[line], end_[line]);
  }
  SIMT_DEVICE std::uint32_t mask(Index block, Offset guess) const {
    std::uint32_t bits = 0;
#pragma unroll
    for (int line = 0; line < B; ++line) {
      const Offset k = find(line, block, guess);
#pragma unroll
      for (int j = 0; j < B; ++j)
        if (is_in(block, k + j, line)) bits |= 1u << (line * B + A_.col[k + j] % B);
    }
    return bits;
  }

  const PatternArrays& A_;
  Offset begin_[B], end_[B];
};

}  // namespace heddle::weave
