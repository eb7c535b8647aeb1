// The roots of aggregates without rounds. A node is a root when no lower one is within two couplings, so it waits for
// those. Warps draw tickets and take the next 32 nodes of the order: all lower nodes are with warps that run already,
// and no order in which warps start can make them wait for ever.
//
//   list   a lane goes through the rows of its node and of the node's neighbours and lists where lower nodes are: words
//          of 32 nodes, and the bits in them. Those of its own warp are bits in a register.
//   look   it reads the words of its list: a root settles the node, places without open nodes are struck off
//   settle inside the warp by votes, until nothing changes; what is decided is published in the warp's word at once
//
// So a wait is for a store and a load of one word, and nothing that was looked up is looked up again.
#pragma once

#include "solve/amg/row_steps.hpp"

namespace heddle::solve_method {

// What is published of 32 nodes: a bit of each that is decided, and one of each root.
struct RootWord {
  unsigned decided = 0, roots = 0;

  SIMT_DEVICE static RootWord of(std::uint64_t word) {
    return {static_cast<unsigned>(word), static_cast<unsigned>(word >> 32)};
  }
  SIMT_DEVICE std::uint64_t word() const { return std::uint64_t{roots} << 32 | decided; }
  SIMT_DEVICE static unsigned bit(std::int64_t node) { return 1u << (node & (simt::warp_size - 1)); }
  SIMT_DEVICE static bool is_root(const std::uint64_t* words, std::int64_t node) {
    return (of(words[node >> simt::warp_size_log2]).roots & bit(node)) != 0;
  }
};

SIMT_DEVICE bool has_strong(const StrongGraph& graph, std::int64_t node) {
  for (Offset k = graph.nodes.ptr[node]; k < graph.nodes.ptr[node + 1]; ++k)
    if (graph.strong[k]) return true;
  return false;
}

// The lower nodes that a lane's node depends on.
class LowerNodes {
 public:
  static constexpr int most_places = 16;  // listed at a time
  static constexpr std::size_t bytes_of_warp = sizeof(std::uint64_t) * most_places * simt::warp_size;

  SIMT_DEVICE LowerNodes(const StrongGraph& graph, const NodeOrder& order, Index node)
      : g_(graph),
        order_(order),
        place_(simt::shared<std::uint64_t>() + simt::lane()),
        node_(node),
        next_row_(graph.nodes.ptr[node]),
        rows_end_(graph.nodes.ptr[node + 1]),
        at_(next_row_),
        end_(rows_end_) {}

  // Of the same warp, as far as they have been listed.
  SIMT_DEVICE unsigned near() const { return near_; }
  // Whether one in the words of other warps is a root.
  SIMT_DEVICE bool finds_root(const std::uint64_t* words) {
    do {
      list();
      if (looks_at_root(words)) return true;
    } while (count_ == 0 && !all_listed());
    return false;
  }
  // None is open in other warps.
  SIMT_DEVICE bool all_decided() const { return count_ == 0; }

 private:
  static constexpr int together =
      2;  // words that are loaded at once; 1 took up to 25 % longer, 4 up to 19 %, 8 more (H200, 2026-11)

  SIMT_DEVICE std::uint64_t& place(int p) { return place_[p * simt::warp_size]; }
  SIMT_DEVICE bool all_listed() const { return at_ == end_ && next_row_ == rows_end_; }

  // Goes on, its own row first and then those of the neighbours, as long as there is room.
  SIMT_DEVICE void list() {
    while (count_ < most_places && !all_listed()) {
      if (at_ == end_) {
        const Offset k = next_row_++;
        if (!g_.strong[k]) continue;
        at_ = g_.nodes.ptr[g_.nodes.col[k]];
        end_ = g_.nodes.ptr[g_.nodes.col[k] + 1];
        continue;
      }
      const Offset k = at_++;
      const Index other = g_.nodes.col[k];
      if (!order_.before(other, node_)) {
        if (order_.step == 1) at_ = end_;  // nor is any behind it
      } else if (g_.strong[k]) {
        note(other);
      }
    }
  }
  SIMT_DEVICE void note(Index other) {
    const unsigned bit = RootWord::bit(other);
    const auto word = static_cast<unsigned>(other >> simt::warp_size_log2);
    if (word == static_cast<unsigned>(node_ >> simt::warp_size_log2)) {
      near_ |= bit;
      return;
    }
    int p = count_ - 1;
    while (p >= 0 && static_cast<unsigned>(place(p)) != word) --p;
    if (p < 0) place(p = count_++) = word;
    place(p) |= std::uint64_t{bit} << 32;
  }
  // As long as nothing has changed in the first places it does not look at more.
  SIMT_DEVICE bool looks_at_root(const std::uint64_t* words) {
    int kept = 0;
    for (int first = 0; first < count_; first += together) {
      std::uint64_t wanted[together], word[together];
#pragma unroll
      for (int u = 0; u < together; ++u) {
        wanted[u] = place(first + u < count_ ? first + u : first);
        word[u] = simt::relaxed_load(words + static_cast<unsigned>(wanted[u]));
      }
      bool changed = false;
#pragma unroll
      for (int u = 0; u < together; ++u) {
        const RootWord found = RootWord::of(word[u]);
        const auto nodes = static_cast<unsigned>(wanted[u] >> 32);
        if ((found.roots & nodes) != 0) return true;
        const unsigned open = nodes & ~found.decided;
        changed = changed || open != nodes;
        if (first + u < count_ && open != 0)
          place(kept++) = std::uint64_t{open} << 32 | static_cast<unsigned>(wanted[u]);
      }
      if (first == 0 && !changed) return false;
    }
    count_ = kept;
    return false;
  }

  StrongGraph g_;
  NodeOrder order_;
  std::uint64_t* place_;
  Index node_;
  Offset next_row_, rows_end_;  // of the neighbours
  Offset at_, end_;             // in one of their rows
  unsigned near_ = 0;
  int count_ = 0;
};

namespace {  // kernels: compiled for two devices under one name

[[maybe_unused]] SIMT_KERNEL find_roots(StrongGraph graph, NodeOrder order, std::uint64_t* words,
                                        std::uint64_t* tickets) {
  std::uint64_t ticket = simt::lane() == 0 ? simt::atomic_add(tickets, std::uint64_t{1}) : 0;
  ticket = simt::shuffle(ticket, 0);
  const std::int64_t first = order.node_at(static_cast<std::int64_t>(ticket) * simt::warp_size);
  if (first >= graph.nodes.rows) return;
  const std::int64_t node = first + simt::lane(), last = graph.nodes.rows - 1;
  LowerNodes lower(graph, order, static_cast<Index>(node < last ? node : last));
  bool open = node <= last && has_strong(graph, node);
  RootWord mine{~simt::ballot(open), 0};
  for (bool news = mine.decided != 0;; news = false) {
    const bool sees_root = open && lower.finds_root(words);
    for (;;) {
      const bool out = open && (sees_root || (lower.near() & mine.roots) != 0);
      const bool root = open && !out && lower.all_decided() && (lower.near() & ~mine.decided) == 0;
      const unsigned decided = simt::ballot(out || root);
      if (decided == 0 && !news) break;
      mine.decided |= decided;
      mine.roots |= simt::ballot(root);
      open = open && !out && !root;
      news = false;
      if (simt::lane() == 0) simt::relaxed_store(words + (first >> simt::warp_size_log2), mine.word());
    }
    if (mine.decided == simt::full_warp) return;
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

  SIMT_DEVICE Sum item(std::int64_t i) const { return {RootWord::is_root(words, i) ? 1 : 0}; }
  SIMT_DEVICE void place(std::int64_t i, const Sum& before) const {
    number[i] = RootWord::is_root(words, i) ? static_cast<Index>(before.roots) : no_aggregate;
  }
};

}  // namespace heddle::solve_method
