// Reverse Cuthill-McKee: number the vertices of each component breadth first from one end of it, neighbours by
// increasing degree, and turn the order around.
#include <algorithm>

#include <heddle/reorder.hpp>

#include "reorder/graph.hpp"

namespace heddle {

namespace {

class BreadthFirst {
 public:
  explicit BreadthFirst(const Graph& graph) : graph_(graph), seen_(graph.size()) {
    std::fill(seen_.begin(), seen_.end(), 0u);
  }

  struct Levels {
    Index count = 0;    // eccentricity of the root + 1
    Index far_end = 0;  // vertex of least degree in the last level, ties by number
  };

  // Writes the component of `root` to `order`, level by level.
  Levels walk(Index root, Index* order) {
    ++pass_;
    Index* end = order;
    *end++ = root;
    seen_[root] = pass_;
    Levels levels;
    Index* last_level = order;
    for (Index *at = order, *level_end = end; at != level_end; level_end = end) {
      ++levels.count;
      last_level = at;
      for (; at != level_end; ++at) end = append_new_neighbours(*at, end);
    }
    levels.far_end = *std::min_element(last_level, end, [&](Index a, Index b) { return lower(a, b); });
    return levels;
  }

  // Cuthill-McKee numbers of the component of `root`; gives the end of what was written.
  Index* number(Index root, Index* order) {
    ++pass_;
    Index* end = order;
    *end++ = root;
    seen_[root] = pass_;
    for (; order != end; ++order) {
      Index* const children = end;
      end = append_new_neighbours(*order, end);
      std::sort(children, end, [&](Index a, Index b) { return lower(a, b); });
    }
    return end;
  }

  bool seen(Index v) const { return seen_[v] != 0; }

 private:
  Index* append_new_neighbours(Index of, Index* end) {
    for (const Index v : graph_.neighbours(of))
      if (seen_[v] != pass_) {
        seen_[v] = pass_;
        *end++ = v;
      }
    return end;
  }
  bool lower(Index a, Index b) const {
    const Index of_a = graph_.degree[a], of_b = graph_.degree[b];
    return of_a != of_b ? of_a < of_b : a < b;
  }

  const Graph& graph_;
  Buffer<std::uint32_t> seen_;  // last pass that met the vertex, 0: none
  std::uint32_t pass_ = 0;      // 32 bits suffice: no component takes more passes than 3/2 of its vertices
};

// George and Liu: go to the far end of the component until it gets no farther.
Index pseudo_peripheral(BreadthFirst& search, Index start, Index* scratch) {
  Index root = start;
  auto levels = search.walk(root, scratch);
  while (true) {
    const auto from_end = search.walk(levels.far_end, scratch);
    if (from_end.count <= levels.count) return root;
    root = levels.far_end;
    levels = from_end;
  }
}

}  // namespace

Permutation rcm_order(const PatternView& A) {
  const Graph graph = graph_of(A);
  Permutation order{Buffer<Index>(A.rows)};
  BreadthFirst search(graph);
  Index* end = order.new_to_old.data();
  for (Index v = 0; v < A.rows; ++v)
    if (!search.seen(v)) end = search.number(graph.degree[v] == 0 ? v : pseudo_peripheral(search, v, end), end);
  std::reverse(order.new_to_old.begin(), order.new_to_old.end());
  return order;
}

}  // namespace heddle
