// Whole rows cut into tasks of nearly equal work, for the CPU. Work = entries + rows: a row without entries still has
// a y to write. The cut depends on the matrix alone, so results do not depend on the number of threads.
#pragma once

#include <heddle/matrix.hpp>

namespace heddle {

// First row of each task, and the number of rows at the end.
Buffer<Index> row_tasks(const PatternView& A);
std::int64_t row_task_bytes(std::int64_t rows, std::int64_t nnz);

}  // namespace heddle
