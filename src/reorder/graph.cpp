#include "reorder/graph.hpp"

#include <algorithm>
#include <numeric>

#include "core/check.hpp"
#include "core/parallel.hpp"

namespace heddle {

namespace {

struct Columns {  // the transposed pattern
  Buffer<Offset> ptr;
  Buffer<Index> row;
};

Columns columns_of(const PatternView& A) {
  Columns T{Buffer<Offset>(A.cols + 2), Buffer<Index>(A.nnz())};
  std::fill(T.ptr.begin(), T.ptr.end(), 0);
  for (const Index c : A.col) ++T.ptr[c + 2];
  std::partial_sum(T.ptr.begin(), T.ptr.end(), T.ptr.begin());
  // ptr[c+1] runs through column c while it is filled and ends where column c + 1 starts.
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) T.row[T.ptr[A.col[k] + 1]++] = static_cast<Index>(row);
  return T;
}

// Rows are met in ascending order, so in a symmetric pattern the entries (j, i) of row j come up in the order in which
// it stores them: one cursor for every row. The first entry without a partner ends it.
bool is_symmetric(const PatternView& A) {
  Buffer<Offset> cursor = Buffer<Offset>::copy_of(A.ptr.first(A.rows));
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const Index j = A.col[k];
      if (cursor[j] == A.ptr[j + 1] || A.col[cursor[j]++] != row) return false;
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

constexpr std::int64_t grain = 4096;

Graph borrowed(const PatternView& A) {
  Graph graph{Buffer<Offset>::borrow(A.ptr.first(A.rows)), Buffer<Offset>::borrow(A.ptr.subspan(1)),
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
Graph united(const PatternView& A, const Columns& T) {
  Graph graph{Buffer<Offset>(A.rows), Buffer<Offset>(A.rows), Buffer<Index>(2 * A.nnz()), Buffer<Index>(A.rows)};
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

Graph graph_of(const PatternView& A) {
  check(A.rows == A.cols, ErrorKind::input,
        "rows and columns can only be reordered together in a square matrix, this one is {} x {}", A.rows, A.cols);
  return is_symmetric(A) ? borrowed(A) : united(A, columns_of(A));
}

}  // namespace heddle
