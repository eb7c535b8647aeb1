// What the columns of one window of rows are counted by, on every device; the facts follow from the counts.
#pragma once

#include <cstdint>
#include <span>

#include <heddle/analyze.hpp>

namespace heddle {

inline constexpr int f32_sector = 3, f64_sector = 2;  // log2 of the elements in a sector of 32 bytes
inline constexpr int tile_bits = 15;                  // log2 of the columns of a tile

struct WindowCounts {
  std::int32_t entries = 0, deltas = 0, runs = 0;
  std::int32_t delta4 = 0, delta8 = 0, delta16 = 0, near16 = 0, slices16 = 0;
  std::int32_t tile_rows = 0, degree_rows = 0;          // pairs (row, tile); degree_rows: see column_degrees.hpp
  std::int32_t gather_f32[3] = {}, gather_f64[3] = {};  // in the order of Gather

  WindowCounts& operator+=(const WindowCounts& part);
};

struct ColumnFacts {
  Columns columns;
  Gather gather_f32, gather_f64;
  std::int64_t entries = 0;
};

// Windows of a small matrix weigh by their entries, those of a larger one the same each.
ColumnFacts column_facts(std::span<const WindowCounts> windows, bool all_rows);
double pairs_by_degree(std::span<const WindowCounts> windows);  // per entry

// About this many entries are sampled: a thirty-second or less of a large matrix, all of a small one.
std::int64_t column_sample(std::int64_t nnz, Detail detail);

}  // namespace heddle
