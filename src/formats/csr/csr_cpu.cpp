#include <algorithm>
#include <atomic>

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

// The work (entries + rows) is cut into units of equal size. A unit has the rows that begin in it; one of two units and
// more is shared: each unit adds up the entries that lie in it, and the sums of the units are added in order.
//
//   units     |   0   |   1   |   2   |   3   |
//   rows      a a b c c c c c c c c c c c c d e
//   sums              ^ begun[0], continued[1], [2], [3]
//
// There are so few units that their sums fit on the stack, and the cut depends on the matrix alone.
template <class V>
struct Units {
  static constexpr std::int64_t most = 1024;

  const CsrView<V>& A;
  const Buffer<Index>& task;
  std::int64_t tasks_of_unit, work;  // of a unit
  V begun[most], continued[most];
  std::atomic<bool> has_shared = false;

  Units(const CsrView<V>& matrix, const Buffer<Index>& tasks)
      : A(matrix),
        task(tasks),
        tasks_of_unit(std::max<std::int64_t>(1, (tasks.size() - 1 + most - 1) / most)),
        work(tasks_of_unit * work_per_task) {}

  std::int64_t count() const { return (task.size() - 1 + tasks_of_unit - 1) / tasks_of_unit; }
  std::int64_t first_row(std::int64_t unit) const { return task[std::min(unit * tasks_of_unit, task.size() - 1)]; }
  bool is_shared(std::int64_t row) const { return A.ptr[row + 1] - A.ptr[row] >= 2 * work; }
  bool begins_shared(std::int64_t unit) const {
    return first_row(unit) < first_row(unit + 1) && is_shared(first_row(unit + 1) - 1);
  }
  // The entries of a row that lie in a unit.
  Offset begin(std::int64_t row, std::int64_t unit) const { return std::max(A.ptr[row], unit * work - row); }
  Offset end(std::int64_t row, std::int64_t unit) const { return std::min(A.ptr[row + 1], (unit + 1) * work - row); }

  void sum_part(std::int64_t row, std::int64_t unit, const V* x, V* to) {
    const Offset ends[] = {begin(row, unit), end(row, unit)};
    if (ends[0] < ends[1]) sum_rows(CsrView<V>{{1, A.cols, ends, A.col}, A.val}, x, 0, 1, to);
  }
  // Leaves the parts of shared rows that lie in some units; f(first, last) for whole rows, as many at once as there
  // are.
  template <class F>
  void each_row(std::int64_t unit, std::int64_t last_unit, const V* x, F f) {
    std::int64_t first = first_row(unit);
    for (; unit < last_unit; ++unit) {
      const std::int64_t before = first_row(unit) - 1;
      if (before >= 0 && is_shared(before)) sum_part(before, unit, x, continued + unit);
      if (!begins_shared(unit)) continue;
      const std::int64_t shared = first_row(unit + 1) - 1;
      f(first, shared);
      sum_part(shared, unit, x, begun + unit);
      has_shared.store(true, std::memory_order_relaxed);
      first = shared + 1;
    }
    f(first, first_row(last_unit));
  }
  V sum_of_parts(std::int64_t row, std::int64_t unit) const {
    V sum = begun[unit];
    for (++unit; begin(row, unit) < A.ptr[row + 1]; ++unit) sum += continued[unit];
    return sum;
  }
};

}  // namespace

template <class V>
void CsrFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  // y = A x needs no update at all: the sum over no entries is the +0 that a row without entries must give.
  const bool plain = p.update.alpha == V(1) && p.update.beta == V(0) && p.update.row_of == nullptr;
  const CsrView<V> A{{rows, cols, ptr, col}, val};
  Units<V> units(A, task);
  parallel_stretches(units.count(), tasks_per_thread / units.tasks_of_unit, [&](std::int64_t unit, std::int64_t last) {
    units.each_row(unit, last, p.x, [&](std::int64_t first, std::int64_t end) {
      plain ? sum_rows(A, p.x, first, end, p.update.y + first) : multiply_rows(A, p, first, end);
    });
  });
  if (!units.has_shared) return;
  for (std::int64_t unit = 0; unit < units.count(); ++unit) {
    const std::int64_t row = units.first_row(unit + 1) - 1;
    if (units.begins_shared(unit)) p.update(row, units.sum_of_parts(row, unit));
  }
}

template void CsrFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CsrFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
