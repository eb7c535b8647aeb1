// What all row lengths together are counted by, on every device; the facts follow from the counts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <heddle/analyze.hpp>

namespace heddle {

struct LengthCounts {
  std::int64_t min = INT64_MAX, max = 0;
  std::int64_t counts[short_row] = {};  // rows of each length
  // Of longer rows: how many, by the bits a length has, and the sums of the lower and the upper halves of length^2,
  // neither of which overflows.
  std::int64_t long_rows[33] = {};
  std::uint64_t squares_low = 0, squares_high = 0;

  void add_long(std::int64_t length) {
    const auto square = static_cast<std::uint64_t>(length * length);
    squares_low += square & UINT32_MAX;
    squares_high += square >> 32;
    ++long_rows[std::bit_width(static_cast<std::uint64_t>(length))];
  }
  void add(const LengthCounts& part) {
    min = std::min(min, part.min);
    max = std::max(max, part.max);
    for (int k = 0; k < short_row; ++k) counts[k] += part.counts[k];
    for (int k = 0; k < 33; ++k) long_rows[k] += part.long_rows[k];
    squares_low += part.squares_low;
    squares_high += part.squares_high;
  }
};
RowLengths length_facts(const LengthCounts& counts, std::int64_t rows, std::int64_t nnz);

inline constexpr std::int64_t padding_window = 1024;  // rows: a multiple of every slice and sorting window
inline constexpr int padding_pairs = 4;               // (32, 1), (32, 256), (32, 1024), (128, 1): the places of each
std::vector<SlicePadding> padding_facts(const std::int64_t* stored, std::int64_t nnz);

}  // namespace heddle
