// Where each value of a matrix lies in an array of a format, so that new values find their places without building
// anew: place <- val[entry of the place]. Made for any format by building it once with numbers of entries instead of
// values (value_numbers), so no format has code for it.
//
//   array of a format   | places of a block | places of a block | ...       a block of threads each
//   cuts                where all entries before have lower numbers than all behind: between slices, mostly. So the
//                       entries of a block are a piece of val that no other block needs: it is read in order into
//                       shared memory and dealt out from there, as a sliced layout is a transposition. Every value is
//                       read once and every place written once. Entries are 16-bit distances from the lowest one.
//   equal blocks        (the same distances: csr everywhere, grids, dense rows) are stored once
//   padding             holds zeros, and gets them again where a block has no other places without an entry: all of it
//                       is written in whole loads then
//   between far cuts    (rows sorted over the whole matrix, entries by tile) blocks have 2048 places and read val where
//                       it is; entries further apart than 65,535 have 32-bit numbers as well
#pragma once

#include <span>

#include <heddle/matrix.hpp>

#include "codec/value_codec.hpp"
#include "layout/scale.hpp"
#include "simt/simt.hpp"

namespace heddle {

struct PlaceBlock {
  static constexpr std::int32_t straight = 0, wide = -1;
  static constexpr std::uint16_t narrow_none = 0xffff;
  static constexpr std::uint32_t wide_none = 0xffffffffu;

  std::int64_t place;   // its first
  Offset map;           // its codes start here
  std::uint32_t first;  // the lowest entry
  std::int32_t places;
  std::int32_t staged;  // entries that pass through shared memory, from `first` on; or `straight` or `wide`
  std::int32_t filled;  // all places without an entry hold zeros
};

// Of one array. Places without an entry are left alone unless they hold zeros, which they then keep.
struct ValueMap {
  int staged = 0;     // the most of any block
  bool gaps = false;  // between values in shared memory (value_map_cut.hpp)
  Buffer<PlaceBlock> blocks;
  Buffer<std::uint16_t> narrow;  // entry - first, of the places of each distinct block
  Buffer<std::uint32_t> wide;    // entry

  std::int64_t bytes() const { return static_cast<std::int64_t>(blocks.bytes() + narrow.bytes() + wide.bytes()); }
};

// The most entries a map can number.
inline constexpr std::int64_t most_mapped_entries = PlaceBlock::wide_none - 1;

// Entry k as the value with the bits of k + 1: formats keep bits, whatever they mean, and leave zeros elsewhere.
template <class V>
SIMT_BOTH V entry_number(std::int64_t k) {
  decltype(value_bits(V{})) bits = static_cast<decltype(value_bits(V{}))>(k + 1);
  V number;
  memcpy(&number, &bits, sizeof number);
  return number;
}
// wide_none: it is no number.
template <class V>
SIMT_BOTH std::uint32_t entry_of(V number, std::int64_t entries) {
  const std::uint64_t bits = value_bits(number);
  return bits != 0 && bits <= static_cast<std::uint64_t>(entries) ? static_cast<std::uint32_t>(bits - 1)
                                                                  : PlaceBlock::wide_none;
}

// One bit an entry: whether some array holds it.
using FoundEntries = Buffer<std::uint32_t>;

// The four steps, for arrays in host memory and on the devices. `there`: where the arrays lie.
//
//   value_numbers   what to build the format with
//   nothing_found   of a matrix with so many entries
//   map_values      of one array of what was built. Arrays of scratch may hold anything, and may be given anything:
//                   they are written before they are read.
//   all_found       in the arrays of the format together
template <class V>
Buffer<V> value_numbers(OnCpu, std::int64_t entries, Device there);
template <class V>
Buffer<V> value_numbers(simt::Emulator, std::int64_t entries, Device there);
template <class V>
Buffer<V> value_numbers(simt::Cuda, std::int64_t entries, Device there);

FoundEntries nothing_found(OnCpu, std::int64_t entries, Device there);
FoundEntries nothing_found(simt::Emulator, std::int64_t entries, Device there);
FoundEntries nothing_found(simt::Cuda, std::int64_t entries, Device there);

template <class V>
ValueMap map_values(OnCpu, std::span<const V> numbered, std::int64_t entries, FoundEntries& found);
template <class V>
ValueMap map_values(simt::Emulator, std::span<const V> numbered, std::int64_t entries, FoundEntries& found);
template <class V>
ValueMap map_values(simt::Cuda, std::span<const V> numbered, std::int64_t entries, FoundEntries& found);

bool all_found(OnCpu, const FoundEntries& found, std::int64_t entries);
bool all_found(simt::Emulator, const FoundEntries& found, std::int64_t entries);
bool all_found(simt::Cuda, const FoundEntries& found, std::int64_t entries);

// to[place] = val[entry of the place].
template <class V>
void place_values(OnCpu, const ValueMap& map, const V* val, V* to, Stream stream);
template <class V>
void place_values(simt::Emulator, const ValueMap& map, const V* val, V* to, Stream stream);
template <class V>
void place_values(simt::Cuda, const ValueMap& map, const V* val, V* to, Stream stream);

// *differ = 1 when some to[place] has not the bits of val[entry of the place]; those become NaN. Else 0.
template <class V>
void compare_values(OnCpu, const ValueMap& map, const V* val, V* to, std::uint32_t* differ, Stream stream);
template <class V>
void compare_values(simt::Emulator, const ValueMap& map, const V* val, V* to, std::uint32_t* differ, Stream stream);
template <class V>
void compare_values(simt::Cuda, const ValueMap& map, const V* val, V* to, std::uint32_t* differ, Stream stream);

}  // namespace heddle
