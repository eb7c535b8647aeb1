// The roots of aggregates without rounds. A node is a root when no lower one is within two couplings, so it waits for
// those. Blocks draw tickets and take the next 256 nodes of the order: all lower nodes are with blocks that run
// already, and no order in which blocks start can make them wait for ever.
//
//   turn     every open node looks at the place that it waits for and, once that is decided, on from there;
//            then what has been decided is published;  until the block has no open node
//
// The nodes within two couplings are those in the rows of the neighbours. How far the nodes of a row are decided is
// noted for all who look at it, so that each row is gone through about once by all of them together.
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

// The first node of a row that is undecided or a root: all before it are neither. A node's own row has the node itself,
// as its diagonal entry is stored. Notes may be older than what is known meanwhile; they only spare work.
struct RowNote {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t node = none;  // none: the row has ended
  std::uint32_t place = 0;    // in the row

  SIMT_DEVICE static RowNote of(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }
  SIMT_DEVICE std::uint64_t word() const { return std::uint64_t{place} << 32 | node; }

  // The next one from a place on.
  SIMT_DEVICE static RowNote from(const StrongGraph& graph, std::int64_t row, std::uint32_t place) {
    const Offset end = graph.nodes.ptr[row + 1];
    for (Offset k = graph.nodes.ptr[row] + place; k < end; ++k, ++place)
      if (graph.strong[k] || graph.nodes.col[k] == row) return {static_cast<std::uint32_t>(graph.nodes.col[k]), place};
    return {};
  }
};

// What a search begins with.
struct UndecidedNodes {
  StrongGraph graph;
  std::uint64_t *words, *notes;
  unsigned* tickets;

  SIMT_DEVICE void operator()(std::int64_t node) const {
    words[node] = undecided;
    notes[node] = RowNote::from(graph, node, 0).word();
    if (node == 0) *tickets = 0;
  }
};

// Looks through the rows of a node's neighbours and its own for lower nodes.
class RootSearch {
 public:
  SIMT_DEVICE RootSearch(const StrongGraph& graph, const NodeOrder& order, std::int64_t node,
                         const std::uint64_t* words, std::uint64_t* notes, std::int64_t first, const unsigned* near)
      : g_(graph),
        order_(order),
        words_(words),
        notes_(notes),
        near_(near),
        row_(graph.nodes.ptr[node]),
        first_(static_cast<Index>(first)),
        node_(static_cast<Index>(node)),
        length_(static_cast<int>(graph.nodes.ptr[node + 1] - row_)) {}

  SIMT_DEVICE std::uint64_t look() {
    if (waits_for_ >= 0) {
      const std::uint64_t state = state_of(waits_for_);
      if (state == undecided) return undecided;
      if (state == is_root) return no_root;
    }
    waits_for_ = -1;
    for (int k = begin_; k < length_; k += together)
      if (has_root(k)) return no_root;
    if (waits_for_ >= 0) return undecided;
    return has_neighbour_ ? is_root : no_root;
  }

 private:
  static constexpr int together = 4;  // rows whose notes are loaded at once

  SIMT_DEVICE std::uint64_t state_of(Index node) const {
    const Index at = node - first_;
    return at >= 0 && at < root_threads ? near_[at] : simt::relaxed_load(words_ + node);
  }
  SIMT_DEVICE bool lower(Index node) const { return order_.before(node, node_); }
  // Of the first neighbours it is remembered that there is nothing to be found in their rows any more.
  SIMT_DEVICE bool is_settled(int k) const { return k < 64 && (settled_ >> k & 1) != 0; }
  SIMT_DEVICE void settle(int k) {
    if (k < 64) settled_ |= std::uint64_t{1} << k;
  }

  // A lower root in the rows of the neighbours from entry k on.
  SIMT_DEVICE bool has_root(int k) {
    Index row[together];
    RowNote note[together];
#pragma unroll
    for (int u = 0; u < together; ++u) {
      row[u] = -1;
      if (k + u >= length_ || is_settled(k + u)) continue;
      const Index other = g_.nodes.col[row_ + k + u];
      const bool strong = g_.strong[row_ + k + u] != 0;
      has_neighbour_ = has_neighbour_ || strong;
      if (strong || other == node_) row[u] = other;
    }
#pragma unroll
    for (int u = 0; u < together; ++u)
      if (row[u] >= 0) note[u] = RowNote::of(simt::relaxed_load(notes_ + row[u]));
    bool waits = false;
#pragma unroll
    for (int u = 0; u < together; ++u) {
      if (row[u] < 0) continue;
      const std::uint64_t found = look_through(row[u], note[u]);
      if (found == is_root) return true;
      if (found == undecided)
        waits = true;
      else
        settle(k + u);
    }
    if (!waits && begin_ == k) begin_ = k + together;
    return false;
  }
  // Whether a row has a lower root or one that may become one.
  SIMT_DEVICE std::uint64_t look_through(Index row, RowNote at) {
    bool notes = true;  // all before are decided and none is a root
    const std::uint32_t known = at.place;
    RowNote reached = at;
    std::uint64_t found = no_root;
    if (at.node == RowNote::none) return found;
    while (at.node != RowNote::none) {
      const auto node = static_cast<Index>(at.node);
      if (!lower(node)) {
        if (order_.step == 1) break;  // nor is any behind it
        notes = false;
      } else {
        const std::uint64_t state = state_of(node);
        if (state != no_root) {
          found = state;
          if (state == undecided && waits_for_ < 0) waits_for_ = node;
          break;
        }
      }
      at = RowNote::from(g_, row, at.place + 1);
      if (notes) reached = at;
    }
    if (reached.node == RowNote::none || reached.place != known) simt::relaxed_store(notes_ + row, reached.word());
    return found;
  }

  StrongGraph g_;
  NodeOrder order_;
  const std::uint64_t* words_;
  std::uint64_t* notes_;
  const unsigned* near_;
  Offset row_;
  Index first_, node_, waits_for_ = -1;
  int begin_ = 0, length_;
  std::uint64_t settled_ = 0;
  bool has_neighbour_ = false;
};

namespace {  // kernels: compiled for two devices under one name

SIMT_BOUNDED_KERNEL(root_threads, 5)
find_roots(StrongGraph graph, NodeOrder order, std::uint64_t* words, std::uint64_t* notes, unsigned* tickets) {
  RootBoard& board = *simt::shared<RootBoard>();
  if (simt::thread() == 0) {
    board.ticket = simt::atomic_add(tickets, 1u);
    board.open[0] = 0;
  }
  board.decided[simt::thread()] = undecided;
  simt::sync_block();
  const std::int64_t groups = order.tile() / root_threads;
  const std::int64_t first = order.tile_at(board.ticket / groups) * order.tile() + board.ticket % groups * root_threads;
  const std::int64_t node = first + simt::thread();
  bool open = node < graph.nodes.rows;
  RootSearch search(graph, order, open ? node : 0, words, notes, first, board.decided);
  for (int turn = 0;; turn ^= 1) {
    const std::uint64_t found = open ? search.look() : undecided;
    simt::sync_block();  // all have looked at the board
    if (found != undecided) {
      board.decided[simt::thread()] = static_cast<unsigned>(found);
      simt::relaxed_store(words + node, found);
      open = false;
    }
    if (simt::any(open) && simt::lane() == 0) simt::atomic_or(&board.open[turn], 1u);
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
