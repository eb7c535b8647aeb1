#include <atomic>
#include <bit>
#include <limits>

#include "core/parallel.hpp"
#include "update/value_map_cut.hpp"

namespace heddle {

namespace {

using namespace value_map;

template <class V>
class HostMapper {
 public:
  HostMapper(std::span<const V> numbered, std::int64_t entries) : numbered_(numbered), entries_(entries) {}

  std::int64_t places() const { return static_cast<std::int64_t>(numbered_.size()); }
  std::uint32_t entry(std::int64_t place) const {
    return entry_of(numbered_[static_cast<std::size_t>(place)], entries_);
  }
  EntryRange range(std::int64_t begin, std::int64_t end) const {
    EntryRange found;
    for (std::int64_t place = begin; place < end; ++place) found.add_entry(entry(place));
    return found;
  }

  void mark(FoundEntries& found) const {
    for (std::int64_t place = 0; place < places(); ++place)
      if (const std::uint32_t e = entry(place); e != PlaceBlock::wide_none) found[e / 32] |= 1u << e % 32;
  }

  // Before a grain: nothing behind it is below what was before.
  Vector<std::uint32_t> cuts() const {
    const std::int64_t grains = (places() + grain - 1) / grain;
    Vector<EntryRange> of_grain(static_cast<std::size_t>(grains));
    parallel_ranges(grains, 1 << 10, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t g = begin; g < end; ++g)
        of_grain[static_cast<std::size_t>(g)] = range(g * grain, std::min(places(), (g + 1) * grain));
    });
    Vector<std::uint32_t> cuts(static_cast<std::size_t>((grains + 31) / 32), 0);
    Vector<EntryRange> behind(of_grain);
    for (std::size_t g = behind.size(); g-- > 1;) behind[g - 1].add(behind[g]);
    EntryRange before;
    for (std::size_t g = 0; g < of_grain.size(); ++g) {
      if (before.empty() || behind[g].empty() || before.high < behind[g].low) cuts[g / 32] |= 1u << g % 32;
      before.add(of_grain[g]);
    }
    return cuts;
  }

  BlockFacts facts(const PlaceRange& block) const {
    BlockFacts found{range(block.begin, block.end)};
    for (std::int64_t place = block.begin; place < block.end; ++place)
      if (const std::uint32_t e = entry(place); e != PlaceBlock::wide_none)
        found.hash += code_hash(place - block.begin, e - found.entries.low);
      else if (value_bits(numbered_[static_cast<std::size_t>(place)]) != 0)
        ++found.strangers;
    return found;
  }

  std::uint16_t narrow(const PlaceBlock& block, std::int64_t i) const {
    const std::uint32_t e = entry(block.place + i);
    return e == PlaceBlock::wide_none ? PlaceBlock::narrow_none : static_cast<std::uint16_t>(e - block.first);
  }
  // False: a block is not what the block is whose codes it shares.
  bool store(const MapPlan& plan, ValueMap& map) const {
    bool equal = true;
    const auto each = [&](bool owners, auto f) {
      for (std::size_t b = 0; b < plan.blocks.size(); ++b)
        if (const PlaceBlock& block = plan.blocks[b]; (plan.owns[b] != 0) == owners)
          for (std::int64_t i = 0; i < block.places; ++i) f(block, i);
    };
    each(true, [&](const PlaceBlock& block, std::int64_t i) {
      if (block.staged == PlaceBlock::wide)
        map.wide[block.map + i] = entry(block.place + i);
      else
        map.narrow[block.map + i] = narrow(block, i);
    });
    each(false,
         [&](const PlaceBlock& block, std::int64_t i) { equal &= map.narrow[block.map + i] == narrow(block, i); });
    return equal;
  }

 private:
  std::span<const V> numbered_;
  std::int64_t entries_;
};

}  // namespace

template <class V>
Buffer<V> value_numbers(OnCpu, std::int64_t entries, Device) {
  Buffer<V> numbers(entries);
  for (std::int64_t k = 0; k < entries; ++k) numbers[k] = entry_number<V>(k);
  return numbers;
}

FoundEntries nothing_found(OnCpu, std::int64_t entries, Device) {
  FoundEntries found((entries + 31) / 32);
  std::fill(found.begin(), found.end(), 0u);
  return found;
}

bool all_found(OnCpu, const FoundEntries& found, std::int64_t entries) {
  std::int64_t count = 0;
  for (const std::uint32_t word : found) count += std::popcount(word);
  return count == entries;
}

template <class V>
ValueMap map_values(OnCpu, std::span<const V> numbered, std::int64_t entries, FoundEntries& found) {
  const HostMapper<V> mapper(numbered, entries);
  mapper.mark(found);
  const Vector<PlaceRange> ranges = cut_places(mapper.cuts(), mapper.places(), sizeof(V));
  Vector<BlockFacts> facts(ranges.size());
  parallel_ranges(static_cast<std::int64_t>(ranges.size()), 16, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      facts[i] = mapper.facts(ranges[i]);
  });
  for (const bool share : {true, false}) {
    const MapPlan plan = plan_map(ranges, facts, share, sizeof(V));
    ValueMap map{plan.staged, false, Buffer<PlaceBlock>::copy_of(plan.blocks), Buffer<std::uint16_t>(plan.narrow),
                 Buffer<std::uint32_t>(plan.wide)};
    if (mapper.store(plan, map)) return map;
  }
  return {};
}

namespace {

// f(place, entry) for the places that have one.
template <class F>
void each_place(const ValueMap& map, F f) {
  parallel_ranges(map.blocks.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const PlaceBlock& block = map.blocks[b];
      if (block.staged == PlaceBlock::wide) {
        const std::uint32_t* entry = map.wide.data() + block.map;
        for (std::int32_t i = 0; i < block.places; ++i)
          if (entry[i] != PlaceBlock::wide_none) f(block.place + i, entry[i]);
      } else {
        const std::uint16_t* code = map.narrow.data() + block.map;
        for (std::int32_t i = 0; i < block.places; ++i)
          if (code[i] != PlaceBlock::narrow_none) f(block.place + i, block.first + code[i]);
      }
    }
  });
}

}  // namespace

template <class V>
void place_values(OnCpu, const ValueMap& map, const V* val, V* to, Stream) {
  each_place(map, [&](std::int64_t place, std::uint32_t entry) { to[place] = val[entry]; });
}

template <class V>
void compare_values(OnCpu, const ValueMap& map, const V* val, V* to, std::uint32_t* differ, Stream) {
  std::atomic<bool> equal = true;
  each_place(map, [&](std::int64_t place, std::uint32_t entry) {
    if (value_bits(to[place]) == value_bits(val[entry])) return;
    to[place] = std::numeric_limits<V>::quiet_NaN();
    equal = false;
  });
  *differ = equal ? 0 : 1;
}

template Buffer<float> value_numbers(OnCpu, std::int64_t, Device);
template Buffer<double> value_numbers(OnCpu, std::int64_t, Device);
template ValueMap map_values(OnCpu, std::span<const float>, std::int64_t, FoundEntries&);
template ValueMap map_values(OnCpu, std::span<const double>, std::int64_t, FoundEntries&);
template void place_values(OnCpu, const ValueMap&, const float*, float*, Stream);
template void place_values(OnCpu, const ValueMap&, const double*, double*, Stream);
template void compare_values(OnCpu, const ValueMap&, const float*, float*, std::uint32_t*, Stream);
template void compare_values(OnCpu, const ValueMap&, const double*, double*, std::uint32_t*, Stream);

}  // namespace heddle
