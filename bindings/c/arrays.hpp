// Arrays of the caller become a matrix.
#pragma once

#include "asking.hpp"
#include "handles.hpp"

namespace heddle::c {

std::unique_ptr<heddle_matrix> matrix_from(const heddle_arrays& arrays);
// The same entries by columns; values keep the order they were given in.
std::unique_ptr<heddle_matrix> transposed(const heddle_matrix& matrix, Asking& asking);
// What became of the given entries by `first` (null: nothing) and then `then`, which has one entry for each that
// `first` stored. Host memory. It is the last fifth of the stage that is asked about.
std::shared_ptr<const EntryMap> joined(const EntryMap* first, const EntryMap& then, Asking& asking);

}  // namespace heddle::c
