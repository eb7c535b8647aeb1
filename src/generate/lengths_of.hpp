// Row lengths with given rows, entries, longest row and spread: what stands in for a matrix whose numbers are printed
// somewhere.
#pragma once

#include <cstdint>

#include "core/system.hpp"

namespace heddle::synthetic {

enum class LengthLaw {
  normal,     // around the mean, with the deviation
  geometric,  // 1 + two geometric numbers: economics
  circuit,    // 1 to 7 entries, and some rows have up to `surplus` more
  power,      // P(>= x) = x^(-4/3), and a share of empty rows: pages and links
  mesh,       // a share of empty rows, the others even between 1 and twice the mean
  steep       // u^20 of the longest: a few rows have nearly everything
};

struct LengthProfile {
  std::int64_t rows = 0, nnz = 0, longest = 0;
  double deviation = 0;      // of the row lengths; for `normal`
  std::int64_t surplus = 0;  // for `circuit`
  LengthLaw law = LengthLaw::normal;
  double empty = 0;           // share of rows without entries; for `power` and `mesh`
  std::int64_t shortest = 1;  // of the others
};

// Exactly the rows, entries and longest row asked for, and one row, a third of the way down, that has it. The law holds
// as far as the sum lets it.
Vector<std::int64_t> lengths_of(const LengthProfile& profile);
inline std::int64_t row_of_longest(std::int64_t rows) { return rows / 3; }

}  // namespace heddle::synthetic
