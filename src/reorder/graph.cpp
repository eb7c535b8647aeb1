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

// f(j) for every j != v of two ascending lists, once each, ascending.
template <class F>
void each_of_either(std::span<const Index> a, std::span<const Index> b, Index v, F f) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool from_a = j == b.size() || (i < a.size() && a[i] <= b[j]);
    const Index smallest = from_a ? a[i] : b[j];
    i += i < a.size() && a[i] == smallest;
    j += j < b.size() && b[j] == smallest;
    if (smallest != v) f(smallest);
  }
}

}  // namespace

Graph graph_of(const PatternView& A) {
  check(A.rows == A.cols, ErrorKind::input,
        "rows and columns can only be reordered together in a square matrix, this one is {} x {}", A.rows, A.cols);
  constexpr std::int64_t grain = 4096;
  const Columns T = columns_of(A);
  const auto merge = [&](std::int64_t v, auto f) {
    each_of_either(A.col.subspan(A.ptr[v], A.length(v)), T.row.span().subspan(T.ptr[v], T.ptr[v + 1] - T.ptr[v]),
                   static_cast<Index>(v), f);
  };
  Graph graph{Buffer<Offset>(A.rows + 1), {}};
  graph.ptr[0] = 0;
  parallel_ranges(A.rows, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t v = first; v < last; ++v) {
      Offset degree = 0;
      merge(v, [&](Index) { ++degree; });
      graph.ptr[v + 1] = degree;
    }
  });
  std::partial_sum(graph.ptr.begin(), graph.ptr.end(), graph.ptr.begin());
  graph.next = Buffer<Index>(graph.ptr[A.rows]);
  parallel_ranges(A.rows, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t v = first; v < last; ++v) {
      Index* to = graph.next.data() + graph.ptr[v];
      merge(v, [&](Index j) { *to++ = j; });
    }
  });
  return graph;
}

}  // namespace heddle
