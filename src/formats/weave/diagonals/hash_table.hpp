// A table of hashes on a device that finds the first of all items with the same one.
#pragma once

#include <bit>

#include "simt/simt.hpp"

namespace heddle::weave {

// Open addressing: hashes, not 0, and with each the lowest number of an item that has it, as ~number. All words are 0
// to begin with.
struct HashTable {
  std::uint64_t *hash, *first;
  std::uint64_t mask;  // a power of two of places, less one

  static std::int64_t places_for(std::int64_t items) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * items + 1)));
  }
  // `words`: two for each place.
  static HashTable in(std::uint64_t* words, std::int64_t places) {
    return {words, words + places, static_cast<std::uint64_t>(places - 1)};
  }

  SIMT_DEVICE void enter(std::uint64_t wanted, std::int64_t number) const {
    std::uint64_t at = wanted & mask;
    for (;; at = (at + 1) & mask) {
      std::uint64_t there = simt::uncached_load(hash + at);
      if (there == 0) there = simt::atomic_claim(hash + at, wanted);
      if (there == 0 || there == wanted) break;
    }
    // Thousands may share a hash: only those before the first so far have something to say.
    const std::uint64_t mine = ~static_cast<std::uint64_t>(number);
    if (simt::uncached_load(first + at) < mine) simt::atomic_max(first + at, mine);
  }
  SIMT_DEVICE std::int64_t first_with(std::uint64_t wanted) const {
    std::uint64_t at = wanted & mask;
    while (hash[at] != wanted) at = (at + 1) & mask;
    return static_cast<std::int64_t>(~first[at]);
  }
};

}  // namespace heddle::weave
