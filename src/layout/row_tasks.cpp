#include "layout/row_tasks.hpp"

#include "core/halving.hpp"

namespace heddle {

Buffer<Index> row_tasks(const PatternView& A) {
  const std::int64_t count = row_task_count(A.rows, A.nnz()), work = work_of_row_task(A.rows, A.nnz());
  Buffer<Index> first(count + 1);
  parallel_stretches(count, 1 << 10, [&](std::int64_t t, std::int64_t last) {
    for (; t < last; ++t)
      first[t] = static_cast<Index>(first_without(0, A.rows, [&](std::int64_t r) { return A.ptr[r] + r < t * work; }));
  });
  first[count] = static_cast<Index>(A.rows);
  return first;
}

std::int64_t row_task_bytes(std::int64_t rows, std::int64_t nnz) {
  return (row_task_count(rows, nnz) + 1) * static_cast<std::int64_t>(sizeof(Index));
}

}  // namespace heddle
