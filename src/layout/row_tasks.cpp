#include "layout/row_tasks.hpp"

#include <algorithm>
#include <ranges>

namespace heddle {

Buffer<Index> row_tasks(const PatternView& A) {
  const std::int64_t count = row_task_count(A.rows, A.nnz());
  Buffer<Index> first(count + 1);
  const auto all_rows = std::views::iota(std::int64_t{0}, A.rows);
  for (std::int64_t t = 0; t < count; ++t) {
    const auto at =
        std::ranges::partition_point(all_rows, [&](std::int64_t r) { return A.ptr[r] + r < t * work_per_task; });
    first[t] = static_cast<Index>(at - all_rows.begin());
  }
  first[count] = static_cast<Index>(A.rows);
  return first;
}

std::int64_t row_task_bytes(std::int64_t rows, std::int64_t nnz) {
  return (row_task_count(rows, nnz) + 1) * static_cast<std::int64_t>(sizeof(Index));
}

}  // namespace heddle
