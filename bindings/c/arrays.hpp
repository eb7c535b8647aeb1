// Arrays of the caller become a matrix.
#pragma once

#include "handles.hpp"

namespace heddle::c {

std::unique_ptr<heddle_matrix> matrix_from(const heddle_arrays& arrays);
// The same entries by columns; values keep the order they were given in.
std::unique_ptr<heddle_matrix> transposed(const heddle_matrix& matrix);
// What became of the given entries by `first` (null: nothing) and then `then`, which has one entry for each that
// `first` stored. Host memory.
std::shared_ptr<const EntryMap> joined(const EntryMap* first, const EntryMap& then);

}  // namespace heddle::c
