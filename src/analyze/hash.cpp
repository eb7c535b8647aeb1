#include "analyze/looks.hpp"
#include "analyze/pattern_hash.hpp"
#include "core/isa.hpp"

namespace heddle {

namespace {

std::uint64_t rows_between(const PatternView& A, std::int64_t begin, std::int64_t end) {
  std::uint64_t sum = 0;
  for (std::int64_t row = begin; row < end; ++row) sum += PatternHash::row_end(row, A.ptr[row + 1]);
  return sum;
}

std::uint64_t pairs_between(const PatternView& A, std::int64_t begin, std::int64_t end) {
  std::uint64_t sum = 0;
  with_isa([&sum, begin, end, col = A.col.data()](auto) {
    std::uint64_t own = 0;
    for (std::int64_t pair = begin; pair < end; ++pair)
      own += PatternHash::columns(pair, col[2 * pair], col[2 * pair + 1]);
    sum = own;
  });
  return sum;
}

constexpr std::int64_t items_of_task = 1 << 15;

}  // namespace

HashLook::HashLook(const PatternView& pattern)
    : A(pattern),
      row_tasks_((A.rows + items_of_task - 1) / items_of_task),
      pair_tasks_((A.nnz() / 2 + items_of_task - 1) / items_of_task) {}

void HashLook::run(std::int64_t first, std::int64_t last) {
  std::uint64_t sum = 0;
  for (std::int64_t task = first; task < last; ++task) {
    const bool of_rows = task < row_tasks_;
    const std::int64_t begin = (of_rows ? task : task - row_tasks_) * items_of_task,
                       end = std::min(begin + items_of_task, of_rows ? A.rows : A.nnz() / 2);
    sum += of_rows ? rows_between(A, begin, end) : pairs_between(A, begin, end);
  }
  sum_.fetch_add(sum, std::memory_order_relaxed);
}

std::uint64_t HashLook::hash() const {
  std::uint64_t sum = sum_;
  if (A.nnz() % 2 == 1) sum += PatternHash::columns(A.nnz() / 2, A.col[A.nnz() - 1], PatternHash::nothing);
  return PatternHash::of(sum, A.rows, A.cols, A.nnz());
}

}  // namespace heddle
