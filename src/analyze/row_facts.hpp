// What all row lengths together are counted by, on every device; the facts follow from the counts.
#pragma once

#include <cstdint>

#include <heddle/analyze.hpp>

namespace heddle {

struct LengthCounts {
  std::int64_t min = INT64_MAX, max = 0;
  // Sums of the lower and the upper halves of length^2: neither overflows.
  std::uint64_t squares_low = 0, squares_high = 0;
  std::int64_t histogram[33] = {};  // by the bits a length has
  std::int64_t counts[short_row] = {};
};
RowLengths length_facts(const LengthCounts& counts, std::int64_t rows, std::int64_t nnz);

inline constexpr std::int64_t padding_window = 1024;  // rows: a multiple of every slice and sorting window
inline constexpr int padding_pairs = 4;               // the places stored for each, in the order of measure_padding
std::vector<SlicePadding> padding_facts(const std::int64_t* stored, std::int64_t nnz);

}  // namespace heddle
