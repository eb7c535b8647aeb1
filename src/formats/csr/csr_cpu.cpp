#include <algorithm>

#include "core/parallel.hpp"
#include "formats/csr/csr.hpp"
#include "layout/row_group.hpp"
#include "layout/row_sum.hpp"
#include "layout/row_sve.hpp"

namespace heddle {

namespace {

// Rows one by one, for CPUs that do not fetch several elements at once.
template <class V>
void sum_rows(OnIsa<Isa::baseline>, const CsrView<V>& A, const V* x, std::int64_t first, std::int64_t last, V* to) {
  const Offset* ptr = A.ptr.data();
  Offset begin = ptr[first];
  for (std::int64_t row = first; row < last; ++row) {
    const Offset end = ptr[row + 1];
    to[row - first] = row_sum(A.col.data() + begin, A.val.data() + begin, end - begin, x);
    begin = end;
  }
}

template <class V>
void sum_rows(const CsrView<V>& A, const V* x, std::int64_t first, std::int64_t last, V* to) {
  with_fetching_isa([&](auto set) { sum_rows(set, A, x, first, last, to); });
}

template <class V>
void multiply_rows(const CsrView<V>& A, const Product<V>& p, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t at_once = 256;
  V sums[at_once];
  for (; first < last; first += at_once) {
    const std::int64_t end = std::min(first + at_once, last);
    sum_rows(A, p.x, first, end, sums);
    for (std::int64_t row = first; row < end; ++row) p.update.row(row, sums[row - first], A.ptr[row + 1] > A.ptr[row]);
  }
}

// A row that is a large part of the matrix is cut into pieces that threads share; their sums are added in order. It is
// the last row of its task: the next row begins beyond the task's share.
constexpr Offset piece_entries = 16 * 1024, most_pieces = 1024;

bool is_giant(Offset length, Offset nnz) { return length >= std::max<Offset>(4 * piece_entries, nnz / 64); }

template <class V>
V giant_sum(const CsrView<V>& A, std::int64_t row, const V* x) {
  const Offset begin = A.ptr[row], length = A.ptr[row + 1] - begin;
  const Offset piece = std::max(piece_entries, (length + most_pieces - 1) / most_pieces);
  const Offset count = (length + piece - 1) / piece;
  V sums[most_pieces];
  parallel_tasks(count, [&](std::int64_t i) {
    const Offset ends[] = {begin + i * piece, begin + std::min(length, (i + 1) * piece)};
    sum_rows(CsrView<V>{{1, A.cols, ends, A.col}, A.val}, x, 0, 1, sums + i);
  });
  V sum = 0;
  for (Offset i = 0; i < count; ++i) sum += sums[i];
  return sum;
}

}  // namespace

template <class V>
void CsrFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  // y = A x needs no update at all: the sum over no entries is the +0 that a row without entries must give.
  const bool plain = p.update.alpha == V(1) && p.update.beta == V(0) && p.update.row_of == nullptr;
  const CsrView<V> A{{rows, cols, ptr, col}, val};
  const auto last_is_giant = [&](std::int64_t t) {
    const std::int64_t last = task[t + 1] - 1;
    return last >= task[t] && is_giant(ptr[last + 1] - ptr[last], A.nnz());
  };
  parallel_stretches(task.size() - 1, tasks_per_thread, [&](std::int64_t t, std::int64_t last) {
    for (; t < last; ++t) {
      const std::int64_t end = task[t + 1] - last_is_giant(t);
      if (plain)
        sum_rows(A, p.x, task[t], end, p.update.y + task[t]);
      else
        multiply_rows(A, p, task[t], end);
    }
  });
  // An empty task follows a giant row.
  for (std::int64_t t = 1; t + 1 < task.size(); ++t)
    if (task[t] == task[t + 1] && last_is_giant(t - 1)) p.update(task[t] - 1, giant_sum(A, task[t] - 1, p.x));
}

template void CsrFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CsrFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
