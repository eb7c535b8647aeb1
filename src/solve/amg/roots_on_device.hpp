// The roots of aggregates without rounds. A node is a root when no lower one is within two couplings, so it waits for
// those. Blocks draw tickets and take the next 256 nodes of the order: all lower nodes are with blocks that run
// already, and no order in which blocks start can make them wait for ever.
//
//   turn     every open node looks at the place that it waits for and, once that is decided, on from there;
//            then what has been decided is published;  until the block has no open node
#pragma once

#include "solve/amg/row_steps.hpp"

namespace heddle::solve_method {

inline constexpr int root_threads = 256;
inline constexpr std::uint64_t undecided = 0, no_root = 1, is_root = 2;

struct RootBoard {
  unsigned ticket;
  unsigned open[2];  // of even and odd turns
  unsigned decided[root_threads];
};

// The lower nodes within two couplings of a node, one after the other.
class RootSearch {
 public:
  SIMT_DEVICE RootSearch(const StrongGraph& graph, const NodeOrder& order, std::int64_t node,
                         const std::uint64_t* words, std::int64_t first, const unsigned* near)
      : g_(graph), order_(order), words_(words), near_(near), first_(first), node_(node), rank_(order.rank(node)) {
    outer_ = g_.nodes.ptr[node] - 1;
    inner_ = inner_end_ = 0;
  }

  SIMT_DEVICE std::uint64_t look() {
    if (waits_for_ >= 0) {
      const std::uint64_t state = state_of(waits_for_);
      if (state == undecided) return undecided;
      if (state == is_root) return no_root;
    }
    waits_for_ = -1;
    Offset outer = outer_, inner = inner_, end = inner_end_;
    for (std::int64_t lower; (lower = next(outer, inner, end)) >= 0;) {
      const std::uint64_t state = state_of(lower);
      if (state == is_root) return no_root;
      if (state == undecided && waits_for_ < 0) {
        waits_for_ = lower;
        outer_ = outer;
        inner_ = inner;
        inner_end_ = end;
      }
    }
    if (waits_for_ >= 0) return undecided;
    return has_neighbour_ ? is_root : no_root;
  }

 private:
  SIMT_DEVICE std::uint64_t state_of(std::int64_t node) const {
    const std::int64_t at = node - first_;
    return at >= 0 && at < root_threads ? near_[at] : simt::relaxed_load(words_ + node);
  }
  SIMT_DEVICE bool lower(std::int64_t node) const { return order_.rank(node) < rank_; }
  // A neighbour, then those that it sees. -1: there are no more.
  SIMT_DEVICE std::int64_t next(Offset& outer, Offset& inner, Offset& end) {
    for (;;) {
      for (; inner < end; ++inner)
        if (g_.strong[inner] && lower(g_.nodes.col[inner])) return g_.nodes.col[inner++];
      do ++outer;
      while (outer < g_.nodes.ptr[node_ + 1] && !g_.strong[outer]);
      if (outer >= g_.nodes.ptr[node_ + 1]) return -1;
      has_neighbour_ = true;
      const Index neighbour = g_.nodes.col[outer];
      inner = g_.nodes.ptr[neighbour];
      end = g_.nodes.ptr[neighbour + 1];
      if (lower(neighbour)) return neighbour;
    }
  }

  StrongGraph g_;
  NodeOrder order_;
  const std::uint64_t* words_;
  const unsigned* near_;
  std::int64_t first_, node_, rank_;
  std::int64_t waits_for_ = -1;
  Offset outer_, inner_, inner_end_;  // where the place that is waited for has been found
  bool has_neighbour_ = false;
};

namespace {  // kernels: compiled for two devices under one name

SIMT_KERNEL find_roots(StrongGraph graph, NodeOrder order, std::uint64_t* words, unsigned* tickets) {
  RootBoard& board = *simt::shared<RootBoard>();
  if (simt::thread() == 0) {
    board.ticket = simt::atomic_add(tickets, 1u);
    board.open[0] = 0;
  }
  board.decided[simt::thread()] = undecided;
  simt::sync_block();
  constexpr std::int64_t groups = NodeOrder::tile / root_threads;
  const std::int64_t first =
      order.tile_at(board.ticket / groups) * NodeOrder::tile + board.ticket % groups * root_threads;
  const std::int64_t node = first + simt::thread();
  bool open = node < graph.nodes.rows;
  RootSearch search(graph, order, open ? node : 0, words, first, board.decided);
  for (int turn = 0;; turn ^= 1) {
    const std::uint64_t found = open ? search.look() : undecided;
    simt::sync_block();  // all have looked at the board
    if (found != undecided) {
      board.decided[simt::thread()] = static_cast<unsigned>(found);
      simt::relaxed_store(words + node, found);
      open = false;
    }
    if (open) simt::atomic_or(&board.open[turn], 1u);
    if (simt::thread() == 0) board.open[turn ^ 1] = 0;
    simt::sync_block();
    if (board.open[turn] == 0) return;
  }
}

}  // namespace

struct RootCount {
  std::int64_t roots = 0;
  SIMT_BOTH void add(const RootCount& other) { roots += other.roots; }
};
struct NumberedRoots {
  using Sum = RootCount;
  static constexpr bool placed_apart = true;
  const std::uint64_t* words;
  Index* number;

  SIMT_DEVICE Sum item(std::int64_t i) const { return {words[i] == is_root ? 1 : 0}; }
  SIMT_DEVICE void place(std::int64_t i, const Sum& before) const {
    number[i] = words[i] == is_root ? static_cast<Index>(before.roots) : no_aggregate;
  }
};

}  // namespace heddle::solve_method
