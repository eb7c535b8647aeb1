// The undirected graph of a square pattern: vertices i and j are neighbours when A(i,j) or A(j,i) is stored.
#pragma once

#include <heddle/matrix.hpp>

namespace heddle {

struct Graph {
  Buffer<Offset> ptr;  // vertex v has neighbours next[ptr[v]] .. next[ptr[v+1]-1], ascending, without v itself
  Buffer<Index> next;

  std::int64_t size() const { return ptr.size() - 1; }
  Offset degree(std::int64_t v) const { return ptr[v + 1] - ptr[v]; }
  std::span<const Index> neighbours(std::int64_t v) const {
    return {next.data() + ptr[v], static_cast<std::size_t>(degree(v))};
  }
};

// Error(input) for a matrix that is not square.
Graph graph_of(const PatternView& A);

}  // namespace heddle
