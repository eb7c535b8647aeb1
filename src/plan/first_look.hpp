// For few products csr has done all of them before another format is found and built. Whether that may be so is decided
// from the numbers of rows and entries and the longest row, before anybody analyses the matrix.
#pragma once

#include <cstdint>

#include <heddle/analyze.hpp>
#include <heddle/machine.hpp>

namespace heddle {

struct Outline {
  std::int64_t rows = 0, cols = 0, nnz = 0, longest = 0;
  int value_bytes = 8;
};

// Rows of equal length but for the longest, any values, and x read in no particular order.
Structure facts_of(const Outline& matrix);

// False: even if analysing led to a format that reads half the bytes, csr would be done before it.
bool worth_analyzing(const Outline& matrix, const Machine& machine, double products);

}  // namespace heddle
