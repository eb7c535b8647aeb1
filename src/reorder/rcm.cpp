// Reverse Cuthill-McKee: number the vertices of each component breadth first from one end of it, neighbours by
// increasing degree, and turn the order around.
#include <algorithm>

#include <heddle/reorder.hpp>

#include "core/watch.hpp"
#include "reorder/graph.hpp"

namespace heddle {

namespace {

constexpr std::ptrdiff_t vertices_of_look = 4096;

class BreadthFirst {
 public:
  explicit BreadthFirst(const SymmetricGraph& graph) : graph_(graph), seen_((graph.size() + 63) / 64) {
    std::fill(seen_.begin(), seen_.end(), std::uint64_t{0});
  }

  struct Levels {
    Index* end;         // of what was written
    Index count = 0;    // eccentricity of the root + 1
    Index far_end = 0;  // vertex of least degree in the last level, ties by number
  };

  // Writes the component of `root` to `order`, level by level.
  Levels walk(Index root, Index* order) {
    return spread(root, order, [](Index*, Index*) {});
  }
  // The same in the order of Cuthill and McKee.
  Levels number(Index root, Index* order) {
    return spread(root, order, [this](Index* children, Index* end) {
      if (end - children > 1) std::sort(children, end, [this](Index a, Index b) { return lower(a, b); });
    });
  }
  void forget(const Index* order, const Index* end) {
    for (; order != end; ++order) seen_[*order >> 6] &= ~bit(*order);
  }
  bool seen(Index v) const { return (seen_[v >> 6] & bit(v)) != 0; }

 private:
  static std::uint64_t bit(Index v) { return std::uint64_t{1} << (v & 63); }

  template <class F>
  Levels spread(Index root, Index* order, F&& arrange) {
    Levels levels{order};
    Index*& end = levels.end;
    *end++ = root;
    seen_[root >> 6] |= bit(root);
    Index* last_level = order;
    for (Index *at = order, *level_end = end; at != level_end; level_end = end) {
      ++levels.count;
      last_level = at;
      for (; at != level_end; ++at) {
        if ((at - order) % vertices_of_look == 0) Watch::pass();
        fetch_ahead(at, end);
        Index* const children = end;
        end = append_new_neighbours(*at, end);
        arrange(children, end);
      }
    }
    levels.far_end = *std::min_element(last_level, end, [&](Index a, Index b) { return lower(a, b); });
    return levels;
  }

  // Lists of neighbours lie anywhere in memory: where the next ones begin, then what is in them.
  // Always inline: GCC takes a function that only prefetches for one without effect and drops the call.
  [[gnu::always_inline]] void fetch_ahead(const Index* at, const Index* end) const {
    if (end - at <= 16) return;
    __builtin_prefetch(graph_.begin.data() + at[16]);
    __builtin_prefetch(graph_.end.data() + at[16]);
    __builtin_prefetch(graph_.next.data() + graph_.begin[at[8]]);
  }
  Index* append_new_neighbours(Index of, Index* end) {
    for (const Index v : graph_.neighbours(of))
      if (!seen(v)) {
        seen_[v >> 6] |= bit(v);
        *end++ = v;
      }
    return end;
  }
  bool lower(Index a, Index b) const {
    const Index of_a = graph_.degree[a], of_b = graph_.degree[b];
    return of_a != of_b ? of_a < of_b : a < b;
  }

  const SymmetricGraph& graph_;
  Buffer<std::uint64_t> seen_;  // a bit a vertex: those of ten million fit the second-level cache
};

// George and Liu: go to the far end of the component until it gets no farther. The last walk there has already given
// the numbers: both ends see the same number of levels.
Index* number_component(BreadthFirst& search, Index start, Index* order) {
  auto levels = search.walk(start, order);
  while (true) {
    search.forget(order, levels.end);
    const auto from_end = search.number(levels.far_end, order);
    if (from_end.count <= levels.count) return from_end.end;
    levels = from_end;
  }
}

}  // namespace

Permutation rcm_order(const PatternView& A) {
  validate(A, Require::canonical);
  const SymmetricGraph graph = graph_of(A);
  Permutation order{Buffer<Index>(A.rows)};
  BreadthFirst search(graph);
  Index* end = order.new_to_old.data();
  for (Index v = 0; v < A.rows; ++v)
    if (!search.seen(v)) end = number_component(search, v, end);
  std::reverse(order.new_to_old.begin(), order.new_to_old.end());
  return order;
}

}  // namespace heddle
