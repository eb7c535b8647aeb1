#include <atomic>

#include "analyze/parts.hpp"
#include "analyze/pattern_hash.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"

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

template <class F>
std::uint64_t sum_of(std::int64_t items, F sum_between) {
  std::atomic<std::uint64_t> sum{0};
  parallel_ranges(items, 1 << 15, [&](std::int64_t begin, std::int64_t end) {
    sum.fetch_add(sum_between(begin, end), std::memory_order_relaxed);
  });
  return sum;
}

}  // namespace

std::uint64_t hash_pattern(const PatternView& A) {
  const std::int64_t pairs = A.nnz() / 2;
  std::uint64_t sum = sum_of(A.rows, [&](auto begin, auto end) { return rows_between(A, begin, end); }) +
                      sum_of(pairs, [&](auto begin, auto end) { return pairs_between(A, begin, end); });
  if (A.nnz() % 2 == 1) sum += PatternHash::columns(pairs, A.col[A.nnz() - 1], PatternHash::nothing);
  return PatternHash::of(sum, A.rows, A.cols, A.nnz());
}

}  // namespace heddle
