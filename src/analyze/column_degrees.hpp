// Columns in the order of falling number of entries, as far as a sample tells: what tiles of columns would gain by it.
// Runs of 32 entries from all over the matrix are counted, a sixty-fourth of it at most; the windows of rows then look
// where their entries would lie. (The windows hardly meet the runs: an order seems better than it is to the entries it
// was made from.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyze/column_counts.hpp"
#include "simt/annotations.hpp"

namespace heddle {

struct ColumnDegrees {
  static constexpr std::int64_t run = 32;
  static constexpr std::int64_t slots = 1 << 18;     // of the table of columns, at most half of them taken
  static constexpr std::int32_t most_entries = 255;  // beyond, columns are so few that their order does not matter

  // Asked only of matrices that tiles of columns could serve.
  static bool wanted(std::int64_t nnz, std::int64_t cols) {
    return nnz >= 1 << 20 && cols > std::int64_t{1} << tile_bits;
  }
  static constexpr double scattered = 0.3;
  static bool matter(const ColumnFacts& facts) {
    return facts.columns.tile_rows > 0.05 && facts.gather_f32.entries > scattered;
  }
  static std::int64_t runs(std::int64_t nnz) { return std::min(nnz / 64, slots / 2) / run; }
  // Where run i of `count` begins.
  SIMT_BOTH static Offset run_begin(std::int64_t i, std::int64_t count, std::int64_t nnz) {
    const std::int64_t part = nnz / count / run;  // a run out of each so many, at a scattered place
    const auto jitter = static_cast<std::int64_t>(static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15u >> 33);
    return (i * part + jitter % part) * run;
  }

  // Columns of one count keep their order and are taken to lie evenly over the matrix.
  //
  //   at_least[k]: columns with k entries or more     | 255 and more | 254 | ... | 1 | columns not met yet    |
  template <class Count>
  SIMT_BOTH static std::int64_t tile(Index column, Count count, const std::uint64_t* at_least, std::int64_t cols) {
    const std::int64_t before = count == most_entries ? 0 : static_cast<std::int64_t>(at_least[count + 1]);
    const std::int64_t alike = (count == 0 ? cols : static_cast<std::int64_t>(at_least[count])) - before;
    return (before + column * alike / cols) >> tile_bits;
  }
};

}  // namespace heddle
