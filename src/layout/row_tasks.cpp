#include "layout/row_tasks.hpp"
#include "core/halving.hpp"

namespace heddle {

namespace {
// 16 K entries take about 10 us: far above the cost of handing a task to a thread, and small enough that matrices of
// a few hundred thousand entries still spread over many cores.
constexpr std::int64_t work_per_task = 16 * 1024;

std::int64_t task_count(std::int64_t rows, std::int64_t nnz) {
  return (rows + nnz + work_per_task - 1) / work_per_task;
}
}  // namespace

Buffer<Index> row_tasks(const PatternView& A) {
  const std::int64_t count = task_count(A.rows, A.nnz());
  Buffer<Index> first(count + 1);
  for (std::int64_t t = 0; t < count; ++t)
    first[t] =
        static_cast<Index>(first_without(0, A.rows, [&](std::int64_t r) { return A.ptr[r] + r < t * work_per_task; }));
  first[count] = static_cast<Index>(A.rows);
  return first;
}

std::int64_t row_task_bytes(std::int64_t rows, std::int64_t nnz) {
  return (task_count(rows, nnz) + 1) * static_cast<std::int64_t>(sizeof(Index));
}

}  // namespace heddle
