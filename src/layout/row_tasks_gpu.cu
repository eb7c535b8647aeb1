#include "layout/row_tasks.hpp"

namespace heddle {

namespace {

SIMT_KERNEL first_row_thread_per_task(const Offset* ptr, std::int64_t rows, std::int64_t tasks, std::int64_t work,
                                      Index* first) {
  const std::int64_t task = simt::global_thread();
  if (task > tasks) return;
  std::int64_t low = 0, high = rows;
  while (task < tasks && low < high) {
    const std::int64_t row = low + (high - low) / 2;
    if (ptr[row] + row < task * work)
      low = row + 1;
    else
      high = row;
  }
  first[task] = static_cast<Index>(high);
}

}  // namespace

Buffer<Index> row_tasks(simt::Here here, const PatternView& A, Device device) {
  constexpr int threads = 128;
  const std::int64_t tasks = row_task_count(A.rows, A.nnz()), work = work_of_row_task(A.rows, A.nnz());
  Buffer<Index> first(tasks + 1, device);
  simt::launch(here, {simt::blocks_for(tasks + 1, threads), threads}, first_row_thread_per_task, A.ptr.data(), A.rows,
               tasks, work, first.data());
  return first;
}

}  // namespace heddle
