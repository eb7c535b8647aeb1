// Whole rows cut into tasks of nearly equal work, for the CPU. Work = entries + rows: a row without entries still has
// a y to write. The cut depends on the matrix alone, so results do not depend on the number of threads.
#pragma once

#include <algorithm>

#include <heddle/matrix.hpp>

#include "core/parallel.hpp"
#include "simt/simt.hpp"

namespace heddle {

// First row of each task, and the number of rows at the end.
Buffer<Index> row_tasks(const PatternView& A);
std::int64_t row_task_bytes(std::int64_t rows, std::int64_t nnz);
// The same for arrays on a device, on that device.
Buffer<Index> row_tasks(simt::Emulator, const PatternView& there, Device device);
Buffer<Index> row_tasks(simt::Cuda, const PatternView& there, Device device);

inline std::int64_t row_task_count(std::int64_t rows, std::int64_t nnz) {
  return (rows + nnz + work_per_task - 1) / work_per_task;
}
// The work of each, the last one's up to one less for each of them: a matrix of few tasks is shared evenly too.
inline std::int64_t work_of_row_task(std::int64_t rows, std::int64_t nnz) {
  const std::int64_t tasks = std::max<std::int64_t>(1, row_task_count(rows, nnz));
  return (rows + nnz + tasks - 1) / tasks;
}

}  // namespace heddle
