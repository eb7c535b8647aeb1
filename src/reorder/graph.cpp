#include "reorder/graph.hpp"

#include <algorithm>
#include <utility>

#include <heddle/device.hpp>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/watch.hpp"

namespace heddle {

namespace {

constexpr std::int64_t grain = 4096;  // rows

struct Columns {  // the transposed pattern
  Buffer<Offset> ptr;
  Buffer<Index> row;
};

// Rows are cut into a segment for each thread. Segment s knows for every column how many entries earlier segments put
// there, so all are placed at the same time, and a column's rows ascend however many segments there are.
//
//   next[s][c]   first: entries of segment s in column c;   then: where the next one of them goes
Columns columns_of(const PatternView& A) {
  const std::int64_t affordable = 1 + A.nnz() / (4 * (A.cols + 1));
  const std::int64_t segments = std::clamp<std::int64_t>(threads(), 1, affordable);
  Columns T{Buffer<Offset>(A.cols + 1), Buffer<Index>(A.nnz())};
  Buffer<Offset> next(segments * A.cols);
  const auto each_entry = [&](std::int64_t s, auto&& f) {
    Offset* const of_segment = next.data() + s * A.cols;
    for (std::int64_t row = A.rows * s / segments; row < A.rows * (s + 1) / segments; ++row) {
      if (row % grain == 0) Watch::pass();
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) f(of_segment[A.col[k]], static_cast<Index>(row));
    }
  };
  parallel_tasks(segments, [&](std::int64_t s) {
    std::fill_n(next.data() + s * A.cols, A.cols, 0);
    each_entry(s, [](Offset& count, Index) { ++count; });
  });
  Offset start = 0;
  for (std::int64_t c = 0; c < A.cols; ++c) {
    T.ptr[c] = start;
    for (std::int64_t s = 0; s < segments; ++s) start += std::exchange(next[s * A.cols + c], start);
  }
  T.ptr[A.cols] = start;
  parallel_tasks(segments, [&](std::int64_t s) { each_entry(s, [&](Offset& at, Index row) { T.row[at++] = row; }); });
  return T;
}

// Rows are met in ascending order, so in a symmetric pattern the entries (j, i) of row j come up in the order in which
// it stores them: one cursor for every row. The first entry without a partner ends it.
bool is_symmetric(const PatternView& A) {
  Buffer<Offset> cursor = Buffer<Offset>::copy_of(A.ptr.first(A.rows));
  for (std::int64_t row = 0; row < A.rows; ++row) {
    if (row % grain == 0) Watch::pass();
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const Index j = A.col[k];
      if (cursor[j] == A.ptr[j + 1] || A.col[cursor[j]++] != row) return false;
    }
  }
  return true;
}

// Writes what is in either of two ascending lists, once each, ascending, without v; gives the end of it.
Index* unite(std::span<const Index> a, std::span<const Index> b, Index v, Index* to) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool from_a = j == b.size() || (i < a.size() && a[i] <= b[j]);
    const Index smallest = from_a ? a[i] : b[j];
    i += i < a.size() && a[i] == smallest;
    j += j < b.size() && b[j] == smallest;
    if (smallest != v) *to++ = smallest;
  }
  return to;
}

SymmetricGraph borrowed(const PatternView& A) {
  SymmetricGraph graph{Buffer<Offset>::borrow(A.ptr.first(A.rows)), Buffer<Offset>::borrow(A.ptr.subspan(1)),
                       Buffer<Index>::borrow(A.col), Buffer<Index>(A.rows)};
  parallel_ranges(A.rows, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t v = first; v < last; ++v) {
      const auto of_v = graph.neighbours(v);
      const bool itself = std::binary_search(of_v.begin(), of_v.end(), static_cast<Index>(v));
      graph.degree[v] = static_cast<Index>(A.length(v) - itself);
    }
  });
  return graph;
}

// The lists of v lie where there is room for both of its halves, with a gap for what they share.
SymmetricGraph united(const PatternView& A, const Columns& T) {
  SymmetricGraph graph{Buffer<Offset>(A.rows), Buffer<Offset>(A.rows), Buffer<Index>(2 * A.nnz()),
                       Buffer<Index>(A.rows)};
  parallel_ranges(A.rows, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t v = first; v < last; ++v) {
      const auto in_row = A.col.subspan(A.ptr[v], A.length(v));
      const auto in_column = T.row.span().subspan(T.ptr[v], T.ptr[v + 1] - T.ptr[v]);
      Index* const to = graph.next.data() + A.ptr[v] + T.ptr[v];
      graph.degree[v] = static_cast<Index>(unite(in_row, in_column, static_cast<Index>(v), to) - to);
      graph.begin[v] = A.ptr[v] + T.ptr[v];
      graph.end[v] = graph.begin[v] + graph.degree[v];
    }
  });
  return graph;
}

}  // namespace

SymmetricGraph graph_of(const PatternView& A) {
  check(A.rows == A.cols, ErrorKind::input,
        "rows and columns can only be reordered together in a square matrix, this one is {} x {}", A.rows, A.cols);
  return is_symmetric(A) ? borrowed(A) : united(A, columns_of(A));
}

}  // namespace heddle
