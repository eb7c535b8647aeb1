// How the places of an array are cut into blocks of a ValueMap, and which blocks are stored: the same on hosts and
// devices. Places are compared in grains of 32.
#pragma once

#include "update/value_map.hpp"

namespace heddle::value_map {

inline constexpr int grain = 32;

// Entries of the places of a grain, or of a block. None at all: low is above high.
struct EntryRange {
  std::uint32_t low = PlaceBlock::wide_none, high = 0;

  SIMT_BOTH bool empty() const { return low > high; }
  std::uint32_t span() const { return empty() ? 0 : high - low + 1; }
  SIMT_BOTH void add(const EntryRange& other) {
    low = other.low < low ? other.low : low;
    high = other.high > high ? other.high : high;
  }
  SIMT_BOTH void add_entry(std::uint32_t entry) {
    if (entry != PlaceBlock::wide_none) add({entry, entry});
  }
};

struct PlaceRange {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

// Two blocks of threads share the shared memory of a large GPU's unit.
inline constexpr std::int64_t most_staged_bytes = 104 << 10;

inline constexpr std::int64_t good_places = 4096, few_places = 2048;

// A block ends at the last cut that leaves it `good_places`, or at the next one as long as shared memory holds them;
// where there is none it has `few_places`. When less than a quarter of the places are in blocks of more than
// `good_places` there are none such: the largest block says how much shared memory each of them gets, and one alone
// left room for two blocks a unit (circuit: H200, 84 us for 8.9 M values). Bit g of `cuts`: there is a cut before grain
// g.
Vector<PlaceRange> cut_places(std::span<const std::uint32_t> cuts, std::int64_t places, int value_bytes);

// What the codes of a block say: blocks with equal facts are equal but for an accident, which is to be found out. The
// sum of code_hash over its places that have an entry.
struct BlockFacts {
  EntryRange entries;
  std::uint64_t hash = 0;
  std::int32_t strangers = 0;  // places that hold neither an entry nor zero
};
SIMT_BOTH std::uint64_t code_hash(std::int64_t place_of_block, std::uint32_t code) {
  std::uint64_t h = (static_cast<std::uint64_t>(place_of_block) << 32 | code) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
  return h ^ h >> 32;
}

struct MapPlan {
  Vector<PlaceBlock> blocks;  // without those that have no entries, by their lowest entry
  Vector<std::uint8_t> owns;  // of a block: it has codes of its own
  std::int64_t narrow = 0, wide = 0;
  int staged = 0;
};
MapPlan plan_map(const Vector<PlaceRange>& ranges, std::span<const BlockFacts> facts, bool share, int value_bytes);

// Rows of 16 or 32 entries all begin in one bank of shared memory, and rows of 7 or 27 each in another one. With a gap
// after every 128 bytes it is the other way round, more or less.
template <class V>
SIMT_BOTH constexpr int place_with_gaps(int i) {
  return i + i / static_cast<int>(128 / sizeof(V));
}
// Whether gaps halve the waiting, by the codes of a block: values come without them in half the time.
bool better_with_gaps(std::span<const std::uint16_t> codes, int value_bytes);
// The block to ask: one that is staged, in the middle. Null: there is none.
const PlaceBlock* typical_block(const MapPlan& plan);

}  // namespace heddle::value_map
