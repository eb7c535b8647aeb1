// The order in which nodes may become roots of aggregates: that of their numbers, or tile by tile.
//
// A node waits for the lower ones within two couplings. Along a path that is a third of all nodes, one after the other.
// Tiles that follow each other in another order than they lie cut such chains: neighbours in space are then far apart
// in time, and no chain is longer than that of two or three tiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "simt/annotations.hpp"

namespace heddle::solve_method {

struct NodeOrder {
  static constexpr std::int64_t tile = 1 << 14;  // nodes
  static constexpr double long_and_thin = 64;    // couplings as short as this one on average make chains

  std::int64_t nodes = 0, tiles = 0;
  std::int64_t step = 1, back = 1;  // tile t comes at place t * back % tiles; at place p comes tile p * step % tiles

  static NodeOrder by_number(std::int64_t nodes) { return {nodes, (nodes + tile - 1) / tile}; }
  // For couplings whose distances add up to `distance`.
  static NodeOrder for_graph(std::int64_t nodes, std::int64_t couplings, std::int64_t distance) {
    NodeOrder made = by_number(nodes);
    if (made.tiles > 2 && static_cast<double>(distance) < long_and_thin * static_cast<double>(couplings)) made.mix();
    return made;
  }

  SIMT_BOTH std::int64_t tile_at(std::int64_t place) const { return place * step % tiles; }
  // Rises along the order.
  SIMT_BOTH std::int64_t rank(std::int64_t node) const {
    return step == 1 ? node : node / tile * back % tiles * tile + node % tile;
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
