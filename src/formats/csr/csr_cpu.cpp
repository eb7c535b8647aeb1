#include <algorithm>
#include <atomic>

#include "core/parallel.hpp"
#include "core/thread_share.hpp"
#include "formats/csr/csr.hpp"
#include "simd/row_group.hpp"
#include "simd/row_sum.hpp"
#include "simd/row_sve.hpp"

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
  with_isa([&](auto set) { sum_rows(set, A, x, first, last, to); });
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

// Long rows are shared between threads. The work (entries + rows) of a matrix is cut into units of two tasks and more;
// of a row as long as two units each unit has a sum of the entries that lie in it, and these are added in order.
//
//   units     |   0   |   1   |   2   |   3   |
//   rows      a a b c c c c c c c c c c c c d e
//   sums              ^ begun[0], continued[1], [2], [3]
//
// There are so few units that their sums fit on the stack, and the cut depends on the matrix alone.
template <class V>
struct LongRows {
  static constexpr std::int64_t most_units = 1024;

  const CsrView<V>& A;
  const Buffer<Index>& task;
  std::int64_t tasks_of_unit, work_of_unit;
  V begun[most_units], continued[most_units];
  std::atomic<bool> found = false;

  LongRows(const CsrView<V>& matrix, const Buffer<Index>& tasks)
      : A(matrix),
        task(tasks),
        tasks_of_unit(std::max<std::int64_t>(2, (tasks.size() - 1 + most_units - 1) / most_units)),
        work_of_unit(tasks_of_unit * work_of_row_task(matrix.rows, matrix.nnz())) {}

  bool is_long(std::int64_t row) const { return A.ptr[row + 1] - A.ptr[row] >= 2 * work_of_unit; }
  // A long row is the last that begins in its task.
  bool begins_in(std::int64_t t) const { return task[t] < task[t + 1] && is_long(task[t + 1] - 1); }
  // The entries of a row that lie in a unit.
  Offset begin(std::int64_t row, std::int64_t unit) const { return std::max(A.ptr[row], unit * work_of_unit - row); }
  Offset end(std::int64_t row, std::int64_t unit) const {
    return std::min(A.ptr[row + 1], (unit + 1) * work_of_unit - row);
  }
  void sum_part(std::int64_t row, std::int64_t unit, const V* x, V* to) {
    const Offset ends[] = {begin(row, unit), end(row, unit)};
    if (ends[0] < ends[1]) sum_rows(CsrView<V>{{1, A.cols, ends, A.col}, A.val}, x, 0, 1, to);
  }

  // Leaves the sums of long rows in the units that begin in tasks t .. last-1, and of those rows that begin there;
  // f(first row, last row) for the others, as many at once as there are.
  template <class F>
  void each_stretch(std::int64_t t, std::int64_t last, const V* x, F f) {
    std::int64_t row = task[t];
    for (; t < last; ++t) {
      const std::int64_t unit = t / tasks_of_unit, before = std::int64_t{task[t]} - 1;
      if (t % tasks_of_unit == 0 && before >= 0 && is_long(before)) sum_part(before, unit, x, continued + unit);
      if (!begins_in(t)) continue;
      const std::int64_t long_row = task[t + 1] - 1;
      f(row, long_row);
      sum_part(long_row, unit, x, begun + unit);
      found.store(true, std::memory_order_relaxed);
      row = long_row + 1;
    }
    f(row, task[last]);
  }
  // f(row, sum) for all long rows.
  template <class F>
  void each_sum(F f) const {
    for (std::int64_t t = 0; t + 1 < task.size(); ++t) {
      if (!begins_in(t)) continue;
      const std::int64_t row = task[t + 1] - 1;
      std::int64_t unit = t / tasks_of_unit;
      V sum = begun[unit];
      while (begin(row, ++unit) < A.ptr[row + 1]) sum += continued[unit];
      f(row, sum);
    }
  }
};

// f(row, sum, whether it has entries), entry by entry: to fill registers takes longer than such rows do.
template <class V, class F>
void each_short_row(const CsrView<V>& A, const V* x, F f) {
  const Offset* ptr = A.ptr.data();
  const Index* col = A.col.data();
  const V* val = A.val.data();
  Offset k = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const Offset end = ptr[row + 1];
    const bool any = k < end;
    V sum = 0;
    for (; k < end; ++k) sum += val[k] * x[col[k]];
    f(row, sum, any);
  }
}

// A matrix of one task: nothing is shared, and no row is long. A core of a Xeon, 2026-11, ns:
//
//                          1 entry   100 rows of 3   of 5   of 0 to 7
//   sums in registers           85             500    740         505
//   so                           8             215    330         218
template <class V>
void multiply_tiny(const CsrView<V>& A, const Product<V>& p, bool plain) {
  constexpr std::int64_t short_row = 8;
  if (A.nnz() >= short_row * A.rows)
    return plain ? sum_rows(A, p.x, 0, A.rows, p.update.y) : multiply_rows(A, p, 0, A.rows);
  if (plain)
    each_short_row(A, p.x, [y = p.update.y](std::int64_t row, V sum, bool) { y[row] = sum; });
  else
    each_short_row(A, p.x, [&](std::int64_t row, V sum, bool any) { p.update.row(row, sum, any); });
}

}  // namespace

template <class V>
void CsrFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  // y = A x needs no update at all: the sum over no entries is the +0 that a row without entries must give.
  const bool plain = p.update.alpha == V(1) && p.update.beta == V(0) && p.update.row_of == nullptr;
  const CsrView<V> A{{rows, cols, ptr, col}, val};
  if (task.size() == 2) return multiply_tiny(A, p, plain);
  LongRows<V> long_rows(A, task);
  parallel_stretches(task.size() - 1, row_tasks_per_thread(), [&](std::int64_t t, std::int64_t last) {
    long_rows.each_stretch(t, last, p.x, [&](std::int64_t first, std::int64_t end) {
      plain ? sum_rows(A, p.x, first, end, p.update.y + first) : multiply_rows(A, p, first, end);
    });
  });
  if (long_rows.found) long_rows.each_sum([&](std::int64_t row, V sum) { p.update(row, sum); });
}

template void CsrFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CsrFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
