// The number that names a pattern: a sum, modulo 2^64, of one well mixed number for each row's end and each two
// neighbouring columns, so that any number of threads, on any device, can add it up in any order.
//
//   mixed(word, place) = both halves of the 128-bit product (word ^ salt) * (place * odd), folded together
#pragma once

#include <cstdint>

#include <heddle/matrix.hpp>

#include "simt/annotations.hpp"

namespace heddle {

struct PatternHash {
  SIMT_BOTH static std::uint64_t mixed(std::uint64_t word, std::uint64_t place) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(word ^ 0xA0761D6478BD642Fu) * (place * 0x9E3779B97F4A7C15u);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  // Places of rows are odd and those of columns even. None is 0.
  SIMT_BOTH static std::uint64_t row_end(std::int64_t row, Offset end) {
    return mixed(static_cast<std::uint64_t>(end), 2 * static_cast<std::uint64_t>(row) + 1);
  }
  // Columns 2 * pair and 2 * pair + 1 of the array; the last may be alone.
  SIMT_BOTH static std::uint64_t columns(std::int64_t pair, Index first, Index second) {
    const auto word = static_cast<std::uint64_t>(second) << 32 | static_cast<std::uint32_t>(first);
    return mixed(word, 2 * static_cast<std::uint64_t>(pair) + 2);
  }
  static constexpr Index nothing = -1;

  static std::uint64_t of(std::uint64_t sum, std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
    const auto number = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
    return mixed(mixed(mixed(sum, number(rows) * 2 + 1), number(cols) * 2 + 1), number(nnz) * 2 + 1);
  }
};

}  // namespace heddle
