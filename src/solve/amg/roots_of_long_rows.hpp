// The same roots where rows are long: a warp a node. Its lanes take the entries of the neighbours' rows side by side.
// Lower nodes that are open go into a table of words in shared memory, two for each lane, and those alone it waits for.
// Where the table has no room for all of them it looks once more.
#pragma once

#include <algorithm>

#include "solve/amg/roots_on_device.hpp"

namespace heddle::solve_method {

// The lower nodes within two couplings of a warp's node that are not decided yet.
class OpenNodes {
 public:
  static constexpr unsigned slots = 2 * simt::warp_size;
  struct Table {
    unsigned key[slots];  // word + 1; 0: free
    unsigned nodes[slots];
  };

  SIMT_DEVICE OpenNodes(const StrongGraph& graph, const NodeOrder& order, Index node, Table& table)
      : g_(graph), order_(order), node_(node), table_(table) {}

  // Without strong neighbours it is none.
  SIMT_DEVICE bool is_root(const std::uint64_t* words) {
    do
      if (looks_at_root(words) || waits_for_root(words)) return false;
    while (simt::any(no_room_));
    return simt::any(has_strong_);
  }

  // Goes through the rows and lists open nodes; true when there is a root among the others.
  SIMT_DEVICE bool looks_at_root(const std::uint64_t* words) {
    clear();
    bool root = false;
    const Offset end = g_.nodes.ptr[node_ + 1];
    for (Offset base = g_.nodes.ptr[node_]; base < end && !root; base += simt::warp_size) {
      const Offset k = base + simt::lane();
      const Index neighbour[1] = {k < end ? g_.nodes.col[k] : node_};
      const bool strong[1] = {k < end && g_.strong[k] != 0};
      has_strong_ = has_strong_ || strong[0];
      const bool sees = look(neighbour, strong, words);
      root = simt::any(sees) || looks_at_rows(neighbour[0], simt::ballot(strong[0]), words);
    }
    take();
    return root;
  }
  // Until all that are listed are decided, or one of them is a root.
  SIMT_DEVICE bool waits_for_root(const std::uint64_t* words) {
    bool open = true;
    while (open) {
      RootWord found[2];
#pragma unroll
      for (int u = 0; u < 2; ++u) found[u] = RootWord::of(nodes_[u] != 0 ? simt::relaxed_load(words + word_[u]) : 0);
      if (simt::any(((found[0].roots & nodes_[0]) | (found[1].roots & nodes_[1])) != 0)) return true;
#pragma unroll
      for (int u = 0; u < 2; ++u) nodes_[u] &= ~found[u].decided;
      open = simt::any((nodes_[0] | nodes_[1]) != 0);
    }
    return false;
  }

 private:
  static constexpr int together = 4;  // rows

  // The rows of the lanes' neighbours that `left` names.
  SIMT_DEVICE bool looks_at_rows(Index neighbour, unsigned left, const std::uint64_t* words) {
    const Offset first = g_.nodes.ptr[neighbour];
    const auto length = static_cast<int>(g_.nodes.ptr[neighbour + 1] - first);
    bool root = false;
    while (left != 0 && !root) {
      Offset from[together];
      int entries[together], longest = 0;
#pragma unroll
      for (int u = 0; u < together; ++u) {
        const int lane = left != 0 ? simt::warp_size - 1 - simt::leading_zeros(left) : 0;
        from[u] = simt::shuffle(first, lane);
        const int all = simt::shuffle(length, lane);
        entries[u] = left != 0 ? all : 0;
        longest = entries[u] > longest ? entries[u] : longest;
        left &= ~(1u << lane);
      }
      bool sees = false;
      for (int at = simt::lane(); at - simt::lane() < longest; at += simt::warp_size) {
        Index other[together];
        bool strong[together];
#pragma unroll
        for (int u = 0; u < together; ++u) {
          const Offset k = at < entries[u] ? from[u] + at : g_.nodes.ptr[node_];
          other[u] = g_.nodes.col[k];
          strong[u] = g_.strong[k] != 0 && at < entries[u];
        }
        sees = look(other, strong, words) || sees;
      }
      root = simt::any(sees);
    }
    return root;
  }
  template <int N>
  SIMT_DEVICE bool look(const Index (&other)[N], const bool (&strong)[N], const std::uint64_t* words) {
    bool lower[N], root = false;
    std::uint64_t word[N];
#pragma unroll
    for (int u = 0; u < N; ++u) {
      lower[u] = strong[u] && order_.before(other[u], node_);
      word[u] = simt::relaxed_load(words + ((lower[u] ? other[u] : node_) >> simt::warp_size_log2));
    }
#pragma unroll
    for (int u = 0; u < N; ++u) {
      const RootWord found = RootWord::of(word[u]);
      const unsigned bit = RootWord::bit(other[u]);
      root = root || (lower[u] && (found.roots & bit) != 0);
      if (lower[u] && (found.decided & bit) == 0) note(other[u]);
    }
    return root;
  }

  SIMT_DEVICE void note(Index other) {
    constexpr unsigned most_tries = 16;
    const unsigned key = (static_cast<unsigned>(other) >> simt::warp_size_log2) + 1;
    for (unsigned at = key % slots, tries = 0; tries < most_tries; at = (at + 1) % slots, ++tries) {
      const unsigned before = simt::atomic_claim(&table_.key[at], key);
      if (before != 0 && before != key) continue;
      simt::atomic_or(&table_.nodes[at], RootWord::bit(other));
      return;
    }
    no_room_ = true;
  }
  SIMT_DEVICE void clear() {
    simt::sync_warp();
    for (unsigned at = static_cast<unsigned>(simt::lane()); at < slots; at += simt::warp_size)
      table_.key[at] = table_.nodes[at] = 0;
    no_room_ = false;
    simt::sync_warp();
  }
  SIMT_DEVICE void take() {
    simt::sync_warp();
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      const int at = simt::lane() + u * simt::warp_size;
      word_[u] = table_.key[at] - 1;
      nodes_[u] = table_.nodes[at];
    }
  }

  StrongGraph g_;
  NodeOrder order_;
  Index node_;
  Table& table_;
  unsigned word_[2] = {}, nodes_[2] = {};  // of the table, this lane's
  bool no_room_ = false, has_strong_ = false;
};

namespace {  // kernels: compiled for two devices under one name

// Warps draw tickets until there are none left.
[[maybe_unused]] SIMT_KERNEL find_roots_of_long_rows(StrongGraph graph, NodeOrder order, std::uint64_t* words,
                                                     std::uint64_t* tickets) {
  OpenNodes::Table& table = simt::shared<OpenNodes::Table>()[simt::warp()];
  for (;;) {
    std::uint64_t ticket = simt::lane() == 0 ? simt::atomic_add(tickets, std::uint64_t{1}) : 0;
    ticket = simt::shuffle(ticket, 0);
    if (ticket >= static_cast<std::uint64_t>(order.places())) return;
    const std::int64_t node = order.node_at(static_cast<std::int64_t>(ticket));
    if (node >= graph.nodes.rows) continue;
    const bool root = OpenNodes(graph, order, static_cast<Index>(node), table).is_root(words);
    const unsigned bit = RootWord::bit(node);
    if (simt::lane() == 0)
      simt::atomic_or(words + (node >> simt::warp_size_log2), RootWord{bit, root ? bit : 0}.word());
  }
}

}  // namespace

// Strong couplings a node, on average, from which on rows are long.
inline constexpr std::int64_t long_row = 12;

// No more warps than a GPU runs at once.
inline simt::Launch shape_for_long_rows(std::int64_t nodes) {
  constexpr std::int64_t warps = 4, most_blocks = 2400;
  return {std::min(simt::blocks_for(nodes, warps), most_blocks), static_cast<int>(warps * simt::warp_size),
          warps * sizeof(OpenNodes::Table)};
}

}  // namespace heddle::solve_method
