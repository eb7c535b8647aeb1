#include "core/parallel.hpp"
#include "formats/csr/csr.hpp"

namespace heddle {

namespace {

// Row by row, K vectors from `first` on. Vectors side by side: one entry serves a register full of them. One after
// another, each is a place of its own in the caches, and more than four of them are in each other's way.
template <int K, bool side_by_side, class V>
void multiply_rows(const CsrFormat<V>& A, std::int64_t begin_row, std::int64_t end_row, int first,
                   const ProductMany<V>& p) {
  const std::int64_t step = side_by_side ? 1 : p.x.vector;
  for (std::int64_t row = begin_row; row < end_row; ++row) {
    V sum[K] = {};
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const V value = A.val[k];
      const V* x = p.x.at(A.col[k], first);
      for (int j = 0; j < K; ++j) sum[j] += value * x[j * step];
    }
    for (int j = 0; j < K; ++j) p.update.row(row, first + j, sum[j], A.ptr[row + 1] > A.ptr[row]);
  }
}

template <bool side_by_side, class V>
void multiply_task(const CsrFormat<V>& A, std::int64_t begin, std::int64_t end, const ProductMany<V>& p) {
  int first = 0;
  if constexpr (side_by_side)
    for (; first + 8 <= p.x.count; first += 8) multiply_rows<8, side_by_side>(A, begin, end, first, p);
  for (; first + 4 <= p.x.count; first += 4) multiply_rows<4, side_by_side>(A, begin, end, first, p);
  if (first + 2 <= p.x.count) multiply_rows<2, side_by_side>(A, begin, end, first, p), first += 2;
  if (first < p.x.count) multiply_rows<1, side_by_side>(A, begin, end, first, p);
}

}  // namespace

// A task's rows stay in the cache of its core from one group of vectors to the next.
template <class V>
bool CsrFormat<V>::multiply_many(OnCpu, const ProductMany<V>& p) const {
  constexpr std::int64_t rows_at_once = 256;
  parallel_tasks(task.size() - 1, [&](std::int64_t t) {
    for (std::int64_t begin = task[t]; begin < task[t + 1]; begin += rows_at_once) {
      const std::int64_t end = std::min<std::int64_t>(begin + rows_at_once, task[t + 1]);
      p.x.vector == 1 ? multiply_task<true>(*this, begin, end, p) : multiply_task<false>(*this, begin, end, p);
    }
  });
  return true;
}

template bool CsrFormat<float>::multiply_many(OnCpu, const ProductMany<float>&) const;
template bool CsrFormat<double>::multiply_many(OnCpu, const ProductMany<double>&) const;

}  // namespace heddle
