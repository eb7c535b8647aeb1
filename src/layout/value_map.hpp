// Where each value of a matrix lies in an array of a format, so that new values find their places without building
// anew: place <- val[entry of the place]. Made for any format by building it once with numbers of entries instead of
// values (value_numbers), so no format has code for it.
//
//   array of a format   | 2048 places | 2048 places | ...       a block of threads each
//   entries of a block  mostly lie close together in val: they are read in order into shared memory and dealt out from
//                       there, as a sliced layout is a transposition. Entries as 16-bit distances from the lowest one.
//   equal blocks        (the same distances: csr everywhere, grids, dense rows) are stored once
//   blocks wider than   4096 entries read val where it is; wider than 65,535 they have 32-bit numbers as well
#pragma once

#include <bit>
#include <span>

#include <heddle/matrix.hpp>

#include "core/system.hpp"
#include "layout/scale.hpp"
#include "simt/simt.hpp"

namespace heddle {

inline constexpr int map_block = 2048, most_staged = 4096;

struct PlaceBlock {
  static constexpr std::int32_t straight = 0, wide = -1;
  static constexpr std::uint16_t narrow_none = 0xffff;
  static constexpr std::uint32_t wide_none = 0xffffffffu;

  std::int64_t number;  // its places start at number * map_block
  Offset map;           // its codes start here
  std::uint32_t first;  // the lowest entry
  std::int32_t staged;  // entries that pass through shared memory, from `first` on; or `straight` or `wide`
};

// Of one array. Places without an entry (padding, scratch) are left alone.
struct ValueMap {
  std::int64_t places = 0;
  int staged = 0;  // the most of any block
  Buffer<PlaceBlock> blocks;
  Buffer<std::uint16_t> narrow;  // entry - first, map_block of each distinct block
  Buffer<std::uint32_t> wide;    // entry

  ValueMap to(Device device) const { return {places, staged, blocks.to(device), narrow.to(device), wide.to(device)}; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(blocks.bytes() + narrow.bytes() + wide.bytes()); }
};

// The most entries a map can number.
inline constexpr std::int64_t most_mapped_entries = PlaceBlock::wide_none - 1;

// Entry k as the value with the bits of k + 1: formats keep bits, whatever they mean, and leave zeros elsewhere.
template <class V>
using NumberBits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;
template <class V>
Buffer<V> value_numbers(std::int64_t entries);

// The map of an array that was built with value_numbers; `found` marks the entries it holds. Arrays of scratch may hold
// anything, and may be given anything: they are written before they are read.
template <class V>
ValueMap map_values(std::span<const V> numbered, std::int64_t entries, Vector<bool>& found);

// to[place] = val[entry of the place].
template <class V>
void place_values(OnCpu, const ValueMap& map, const V* val, V* to, Stream stream);
template <class V>
void place_values(simt::Emulator, const ValueMap& map, const V* val, V* to, Stream stream);
template <class V>
void place_values(simt::Cuda, const ValueMap& map, const V* val, V* to, Stream stream);

}  // namespace heddle
