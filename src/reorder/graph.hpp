// The undirected graph of a square pattern: vertices i and j are neighbours when A(i,j) or A(j,i) is stored.
#pragma once

#include <heddle/matrix.hpp>

namespace heddle {

// Vertex v has neighbours next[begin[v]] .. next[end[v]-1], ascending; v itself may be among them. `degree` counts
// them without v. A symmetric pattern is its own graph: nothing is copied, so the matrix must outlive it.
struct SymmetricGraph {
  Buffer<Offset> begin, end;
  Buffer<Index> next, degree;

  std::int64_t size() const { return degree.size(); }
  std::span<const Index> neighbours(std::int64_t v) const {
    return {next.data() + begin[v], static_cast<std::size_t>(end[v] - begin[v])};
  }
};

// Error(input) for a matrix that is not square.
SymmetricGraph graph_of(const PatternView& A);

}  // namespace heddle
