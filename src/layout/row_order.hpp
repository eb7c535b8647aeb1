// Rows sorted by length inside windows: rows of one slice become alike, and stay near where they were.
#pragma once

#include <heddle/matrix.hpp>

namespace heddle {

// row_of: longest first inside each window of `window` rows, equal lengths in the order they had.
Buffer<Index> longest_first(const PatternView& A, std::int64_t window);

}  // namespace heddle
