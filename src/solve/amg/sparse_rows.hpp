// Sparse matrices that are made row by row, on the host (Gustavson 1978): a mark for each column says where its sum is.
// In double, the same bits for any number of threads. Rows are functions:
//
//   rows(row, add)     calls add(column, value) for everything that is added up in the row, in the order of the sums
//   rows.bound(row)    at most so many calls
//
// Tasks take rows one after the other, and have room for as much as the bounds allow. A task begins where the one
// before it has ended, if that has ended by then, else where its own room does:
//
//   [ rows of task 0 | rows of task 1 .  .  .  .  | rows of task 2 | rows of task 3  .  .  .
//
// Room that is left over is not touched, so it costs addresses but no memory, except for the rest of a page. With pages
// of 2 MiB that adds up: while every task began in its own room, the system cleared pages for 27 % of a run of
// `amg_bench --steps gen:stencil3d7,n=60`, and for 12 % since (one thread, 2026-11).
#pragma once

#include <algorithm>
#include <atomic>

#include <heddle/matrix.hpp>

#include "core/parallel.hpp"
#include "core/system.hpp"
#include "solve/amg/row_steps.hpp"

namespace heddle::solve_method {

// -0 + x has the bits of x for every x; +0 has not.
inline constexpr double nothing_yet = -0.0;

// Few tasks: each has a mark for every column.
struct RowTasks {
  std::int64_t rows, grain;

  explicit RowTasks(std::int64_t all) : rows(all) {
    constexpr std::int64_t fewest = 512;
    const std::int64_t tasks = std::max<std::int64_t>(16, 2 * std::int64_t{threads()});
    grain = std::max(fewest, (rows + tasks - 1) / tasks);
  }
  std::int64_t count() const { return (rows + grain - 1) / grain; }
};

// Where the rows of tasks begin. Tasks may run at the same time.
class TaskRooms {
 public:
  // `bound`: how much a task may fill.
  template <class Bound>
  TaskRooms(const RowTasks& tasks, const Bound& bound)
      : begin_(static_cast<std::size_t>(tasks.count() + 1), 0), end_(static_cast<std::size_t>(tasks.count())) {
    parallel_ranges(tasks.rows, tasks.grain, [&](std::int64_t begin, std::int64_t end) {
      Offset all = 0;
      for (std::int64_t row = begin; row < end; ++row) all += bound(row);
      begin_[static_cast<std::size_t>(begin / tasks.grain + 1)] = all;
    });
    for (std::size_t task = 1; task < begin_.size(); ++task) begin_[task] += begin_[task - 1];
    for (std::atomic<Offset>& end : end_) end.store(running, std::memory_order_relaxed);
  }

  Offset all() const { return begin_.back(); }
  Offset begin(std::int64_t task) const {
    const auto at = static_cast<std::size_t>(task);
    const Offset before = at == 0 ? running : end_[at - 1].load(std::memory_order_relaxed);
    return before == running ? begin_[at] : before;
  }
  void ended(std::int64_t task, Offset at) {
    end_[static_cast<std::size_t>(task)].store(at, std::memory_order_relaxed);
  }

 private:
  static constexpr Offset running = -1;
  Vector<Offset> begin_;
  Vector<std::atomic<Offset>> end_;
};

// The rows of all tasks, with gaps after some tasks. In a row columns come as they came up, unless they were sorted.
struct LooseRows {
  std::int64_t rows = 0, cols = 0;
  Buffer<Offset> ptr;  // rows; of the last row of a task the end may not be that of the next one
  Buffer<Index> length;
  Buffer<Index> col;
  Buffer<double> val;
};

class RowSorter {
 public:
  // `place` of a column: where it is now, counted from `first`.
  void operator()(Index* col, double* val, Index count, const Index* place, Index first) {
    constexpr Index few = 24;
    if (count <= few) return insert(col, val, count);
    before_.assign(val, val + count);
    std::sort(col, col + count);
    for (Index k = 0; k < count; ++k) val[k] = before_[static_cast<std::size_t>(place[col[k]] - first)];
  }

 private:
  static void insert(Index* col, double* val, Index count) {
    for (Index k = 1; k < count; ++k) {
      const Index column = col[k];
      const double value = val[k];
      Index at = k;
      for (; at > 0 && col[at - 1] > column; --at) col[at] = col[at - 1], val[at] = val[at - 1];
      col[at] = column;
      val[at] = value;
    }
  }

  Vector<double> before_;
};

enum class InRows { as_they_come, sorted };

template <class Rows>
LooseRows loose_rows(std::int64_t rows, std::int64_t cols, const Rows& from, InRows order) {
  const RowTasks tasks(rows);
  TaskRooms rooms(tasks, [&](std::int64_t row) { return from.bound(row); });
  LooseRows made{
      rows, cols, Buffer<Offset>(rows), Buffer<Index>(rows), Buffer<Index>(rooms.all()), Buffer<double>(rooms.all())};
  parallel_ranges(rows, tasks.grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t task = begin / tasks.grain;
    const Offset base = rooms.begin(task);
    Index* const col = made.col.data() + base;
    double* const val = made.val.data() + base;
    Vector<Index> marks(static_cast<std::size_t>(cols), -1);
    Index* const mark = marks.data();
    RowSorter sorter;
    Index last = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      const Index first = last;
      from(row, [&](std::int64_t column, double value) {
        const Index place = mark[column];
        if (place < first) {
          mark[column] = last;
          col[last] = static_cast<Index>(column);
          val[last++] = value;
        } else {
          val[place] += value;
        }
      });
      if (order == InRows::sorted) sorter(col + first, val + first, last - first, mark, first);
      made.ptr[row] = base + first;
      made.length[row] = last - first;
    }
    rooms.ended(task, base + last);
  });
  return made;
}

template <class Rows>
Csr<double> from_rows(std::int64_t rows, std::int64_t cols, const Rows& from) {
  const LooseRows loose = loose_rows(rows, cols, from, InRows::sorted);
  Csr<double> made{rows, cols, Buffer<Offset>(rows + 1), Buffer<Index>(), Buffer<double>()};
  made.ptr[0] = 0;
  for (std::int64_t row = 0; row < rows; ++row) made.ptr[row + 1] = made.ptr[row] + loose.length[row];
  made.col = Buffer<Index>(made.ptr[rows]);
  made.val = Buffer<double>(made.ptr[rows]);
  const RowTasks tasks(rows);
  parallel_ranges(rows, tasks.grain, [&](std::int64_t begin, std::int64_t end) {
    const Offset count = made.ptr[end] - made.ptr[begin];
    std::copy_n(loose.col.begin() + loose.ptr[begin], count, made.col.begin() + made.ptr[begin]);
    std::copy_n(loose.val.begin() + loose.ptr[begin], count, made.val.begin() + made.ptr[begin]);
  });
  return made;
}

// New values on the pattern that from_rows has given for these rows: the same bits as from_rows would give.
template <class Rows>
void refill_rows(const PatternView& pattern, Buffer<double>& val, const Rows& from) {
  const RowTasks tasks(pattern.rows);
  parallel_ranges(pattern.rows, tasks.grain, [&](std::int64_t begin, std::int64_t end) {
    Vector<Offset> mark(static_cast<std::size_t>(pattern.cols));
    std::fill(val.begin() + pattern.ptr[begin], val.begin() + pattern.ptr[end], nothing_yet);
    for (std::int64_t row = begin; row < end; ++row) {
      for (Offset k = pattern.ptr[row]; k < pattern.ptr[row + 1]; ++k)
        mark[static_cast<std::size_t>(pattern.col[k])] = k;
      from(row, [&](std::int64_t column, double value) { val[mark[static_cast<std::size_t>(column)]] += value; });
    }
  });
}

// What is added up in the rows of A B.
template <class B>
struct ProductRows {
  MatrixRows A;
  const B& right;

  template <class Add>
  void operator()(std::int64_t row, const Add& add) const {
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const double factor = A.val[k];
      const Offset begin = right.ptr[A.col[k]], end = end_of(right, A.col[k]);
      for (Offset m = begin; m < end; ++m) add(right.col[m], factor * right.val[m]);
    }
  }
  Offset bound(std::int64_t row) const {
    Offset all = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) all += end_of(right, A.col[k]) - right.ptr[A.col[k]];
    return all;
  }

 private:
  static Offset end_of(const LooseRows& of, std::int64_t row) { return of.ptr[row] + of.length[row]; }
  static Offset end_of(const CsrView<double>& of, std::int64_t row) { return of.ptr[row + 1]; }
};
template <class B>
ProductRows(const MatrixRows&, const B&) -> ProductRows<B>;

inline Csr<double> product(const CsrView<double>& A, const CsrView<double>& B) {
  return from_rows(A.rows, B.cols, ProductRows{MatrixRows(A), B});
}

}  // namespace heddle::solve_method
