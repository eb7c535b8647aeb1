// The order in which nodes may become roots of aggregates: that of their numbers, or tile by tile.
//
// A node waits for the lower ones within two couplings. Along a path that is a third of all nodes, one after the other.
// Tiles that follow each other in another order than they lie cut such chains: neighbours in space are then far apart
// in time, and no chain is longer than that of two or three tiles. The thinner a graph, the shorter they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "simt/annotations.hpp"

namespace heddle::solve_method {

// Entries of the longest row: on a device a thread looks at the rows of all neighbours of a node.
inline constexpr std::int64_t most_neighbours_on_device = 4096;

struct NodeOrder {
  static constexpr int wide_tile = 14, thin_tile = 11;  // powers of two of nodes
  // Couplings as short as this one on average make chains, and those of a path or of a few next to each other.
  static constexpr double long_and_thin = 64, very_thin = 8;

  std::int64_t nodes = 0, tiles = 0;
  std::int64_t step = 1, back = 1;  // tile t comes at place t * back % tiles; at place p comes tile p * step % tiles

  int tile_bits = wide_tile;

  static NodeOrder by_number(std::int64_t nodes, int bits = wide_tile) {
    return {.nodes = nodes, .tiles = ((nodes - 1) >> bits) + 1, .tile_bits = bits};
  }
  // For couplings whose distances add up to `distance`.
  static NodeOrder for_graph(std::int64_t nodes, std::int64_t couplings, std::int64_t distance) {
    const auto shorter_than = [&](double most) {
      return static_cast<double>(distance) < most * static_cast<double>(couplings);
    };
    NodeOrder made = by_number(nodes, shorter_than(very_thin) ? thin_tile : wide_tile);
    if (made.tiles > 2 && shorter_than(long_and_thin)) made.mix();
    return made;
  }

  SIMT_BOTH std::int64_t tile() const { return std::int64_t{1} << tile_bits; }
  SIMT_BOTH std::int64_t tile_at(std::int64_t place) const { return place * step % tiles; }
  // Node by node; the last tile may be shorter than its places.
  SIMT_BOTH std::int64_t places() const { return step == 1 ? nodes : tiles * tile(); }
  SIMT_BOTH std::int64_t node_at(std::int64_t place) const {
    return tile_at(place >> tile_bits) * tile() + (place & (tile() - 1));
  }
  SIMT_BOTH bool before(std::int64_t node, std::int64_t other) const {
    const std::int64_t mine = node >> tile_bits, its = other >> tile_bits;
    if (step == 1 || mine == its) return node < other;
    return mine * back % tiles < its * back % tiles;
  }

 private:
  // Places of neighbouring tiles differ by the golden section of all places: of two or three that follow each other one
  // is later than the next.
  void mix() {
    back = std::max<std::int64_t>(2, static_cast<std::int64_t>(0.6180339887498949 * static_cast<double>(tiles)));
    while (std::gcd(back, tiles) != 1) ++back;
    for (step = 1; step * back % tiles != 1;) ++step;
  }
};

}  // namespace heddle::solve_method
