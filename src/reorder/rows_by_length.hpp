// length_order for patterns that are known to be safe; only the lengths of rows are read.
#pragma once

#include <heddle/reorder.hpp>

namespace heddle {

Permutation rows_by_length(const PatternView& A, std::int64_t window = 0);

}  // namespace heddle
