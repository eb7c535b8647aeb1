#include "layout/value_map.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/parallel.hpp"

namespace heddle {

namespace {

using Codes = std::uint16_t[map_block];
using KnownBlocks = std::unordered_map<std::size_t, Offset, std::hash<std::size_t>, std::equal_to<>,
                                       HostAllocator<std::pair<const std::size_t, Offset>>>;

// Collects the blocks of one array.
class Mapper {
 public:
  template <class V>
  void add(std::int64_t number, std::span<const V> places, std::int64_t entries, Vector<bool>& found) {
    std::uint32_t low = PlaceBlock::wide_none, high = 0;
    for (int i = 0; i < map_block; ++i) {
      const auto bits = i < static_cast<int>(places.size()) ? std::bit_cast<NumberBits<V>>(places[i]) : 0;
      const bool entry = bits != 0 && bits <= static_cast<std::uint64_t>(entries);
      entry_[i] = entry ? static_cast<std::uint32_t>(bits - 1) : PlaceBlock::wide_none;
      if (!entry) continue;
      found[entry_[i]] = true;
      low = std::min(low, entry_[i]);
      high = std::max(high, entry_[i]);
    }
    if (low > high) return;
    const std::uint32_t span = high - low + 1;
    if (span > PlaceBlock::narrow_none) return add_wide(number, low);
    add_narrow(number, low, span <= most_staged ? static_cast<std::int32_t>(span) : PlaceBlock::straight);
  }

  ValueMap finish(std::int64_t places) const {
    return {places, staged_, Buffer<PlaceBlock>::copy_of(blocks_), Buffer<std::uint16_t>::copy_of(narrow_),
            Buffer<std::uint32_t>::copy_of(wide_)};
  }

 private:
  void add_wide(std::int64_t number, std::uint32_t low) {
    blocks_.push_back({number, static_cast<Offset>(wide_.size()), low, PlaceBlock::wide});
    wide_.insert(wide_.end(), std::begin(entry_), std::end(entry_));
  }
  void add_narrow(std::int64_t number, std::uint32_t low, std::int32_t staged) {
    for (int i = 0; i < map_block; ++i)
      codes_[i] =
          entry_[i] == PlaceBlock::wide_none ? PlaceBlock::narrow_none : static_cast<std::uint16_t>(entry_[i] - low);
    blocks_.push_back({number, place_of_codes(), low, staged});
    staged_ = std::max(staged_, staged);
  }
  // Of an equal block that came before, else new ones.
  Offset place_of_codes() {
    const std::string_view bytes(reinterpret_cast<const char*>(codes_), sizeof(codes_));
    const auto [known, is_new] =
        known_.try_emplace(std::hash<std::string_view>{}(bytes), static_cast<Offset>(narrow_.size()));
    if (!is_new && std::equal(std::begin(codes_), std::end(codes_), narrow_.begin() + known->second))
      return known->second;
    const auto at = static_cast<Offset>(narrow_.size());
    narrow_.insert(narrow_.end(), std::begin(codes_), std::end(codes_));
    return at;
  }

  std::uint32_t entry_[map_block];
  Codes codes_;
  int staged_ = 0;
  Vector<PlaceBlock> blocks_;
  Vector<std::uint16_t> narrow_;
  Vector<std::uint32_t> wide_;
  KnownBlocks known_;
};

}  // namespace

template <class V>
Buffer<V> value_numbers(std::int64_t entries) {
  Buffer<V> numbers(entries);
  for (std::int64_t k = 0; k < entries; ++k) numbers[k] = std::bit_cast<V>(static_cast<NumberBits<V>>(k + 1));
  return numbers;
}

template <class V>
ValueMap map_values(std::span<const V> numbered, std::int64_t entries, Vector<bool>& found) {
  Mapper mapper;
  const auto places = static_cast<std::int64_t>(numbered.size());
  for (std::int64_t begin = 0; begin < places; begin += map_block) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(map_block, places - begin));
    mapper.add(begin / map_block, numbered.subspan(static_cast<std::size_t>(begin), count), entries, found);
  }
  return mapper.finish(places);
}

template <class V>
void place_values(OnCpu, const ValueMap& map, const V* val, V* to, Stream) {
  parallel_ranges(map.blocks.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const PlaceBlock& block = map.blocks[b];
      V* target = to + block.number * map_block;
      const std::int64_t count = std::min<std::int64_t>(map_block, map.places - block.number * map_block);
      if (block.staged == PlaceBlock::wide) {
        const std::uint32_t* entry = map.wide.data() + block.map;
        for (std::int64_t i = 0; i < count; ++i)
          if (entry[i] != PlaceBlock::wide_none) target[i] = val[entry[i]];
      } else {
        const std::uint16_t* code = map.narrow.data() + block.map;
        for (std::int64_t i = 0; i < count; ++i)
          if (code[i] != PlaceBlock::narrow_none) target[i] = val[block.first + code[i]];
      }
    }
  });
}

template Buffer<float> value_numbers(std::int64_t);
template Buffer<double> value_numbers(std::int64_t);
template ValueMap map_values(std::span<const float>, std::int64_t, Vector<bool>&);
template ValueMap map_values(std::span<const double>, std::int64_t, Vector<bool>&);
template void place_values(OnCpu, const ValueMap&, const float*, float*, Stream);
template void place_values(OnCpu, const ValueMap&, const double*, double*, Stream);

}  // namespace heddle
