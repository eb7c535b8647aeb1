// Making a ValueMap on the device that the numbered array lies on:
//
//   grains   lowest and highest entry of 32 places each
//   scans    forwards the highest entry so far, backwards the lowest one behind: cuts           -> host: blocks
//   facts    of every block: lowest and highest entry, hash of its codes                        -> host: who owns codes
//   store    codes; those who share them compare
#include "simt/primitives/reduce.hpp"
#include "simt/primitives/scan.hpp"
#include "update/value_map_cut.hpp"

namespace heddle {

namespace {

using namespace value_map;

constexpr int threads = 256;

simt::Launch thread_per(std::int64_t items) { return {simt::blocks_for(items, threads), threads}; }

template <class V>
SIMT_KERNEL number_thread_per_entry(V* to, std::int64_t entries) {
  if (simt::global_thread() < entries) to[simt::global_thread()] = entry_number<V>(simt::global_thread());
}
SIMT_KERNEL clear_thread_per_word(std::uint32_t* words, std::int64_t count) {
  if (simt::global_thread() < count) words[simt::global_thread()] = 0;
}

template <class V>
struct Numbered {
  const V* data;
  std::int64_t places, entries;

  SIMT_DEVICE std::uint32_t entry(std::int64_t place) const { return entry_of(data[place], entries); }
  SIMT_DEVICE bool stranger(std::int64_t place) const {
    return value_bits(data[place]) > static_cast<std::uint64_t>(entries);
  }
};

SIMT_DEVICE EntryRange over_warp(EntryRange mine) {
  for (int step = simt::warp_size / 2; step > 0; step /= 2)
    mine.add({simt::shuffle_xor(mine.low, step), simt::shuffle_xor(mine.high, step)});
  return mine;
}

// A warp a grain.
template <class V>
SIMT_KERNEL look_at_grains(Numbered<V> numbered, std::int64_t grains, EntryRange* to, std::uint32_t* found) {
  const std::int64_t place = simt::global_thread(), g = place / grain;
  if (g >= grains) return;
  const std::uint32_t entry = place < numbered.places ? numbered.entry(place) : PlaceBlock::wide_none;
  if (entry != PlaceBlock::wide_none) simt::atomic_or(found + entry / 32, 1u << entry % 32);
  EntryRange mine;
  mine.add_entry(entry);
  mine = over_warp(mine);
  if (simt::lane() == 0) to[g] = mine;
}

struct GrainsForward {
  using Sum = EntryRange;
  const EntryRange* grains;
  EntryRange* before;

  SIMT_DEVICE EntryRange item(std::int64_t g) const { return grains[g]; }
  SIMT_DEVICE void place(std::int64_t g, const EntryRange& sum) const { before[g] = sum; }
};
struct GrainsBackward {
  using Sum = EntryRange;
  const EntryRange *grains, *before;
  std::int64_t count;
  std::uint8_t* cut;

  SIMT_DEVICE EntryRange item(std::int64_t i) const { return grains[count - 1 - i]; }
  SIMT_DEVICE void place(std::int64_t i, const EntryRange& sum) const {
    const std::int64_t g = count - 1 - i;
    EntryRange behind = sum;
    behind.add(grains[g]);
    cut[g] = before[g].empty() || behind.empty() || before[g].high < behind.low;
  }
};
SIMT_KERNEL pack_thread_per_grain(const std::uint8_t* cut, std::int64_t grains, std::uint32_t* words) {
  const std::int64_t g = simt::global_thread();
  const unsigned bits = simt::ballot(g < grains && cut[g] != 0);
  if (g < grains && simt::lane() == 0) words[g / 32] = bits;
}

// By the block of threads: f(place of the block) for all of its places.
template <class F>
SIMT_DEVICE void each_place(std::int64_t places, F f) {
#pragma unroll 4
  for (std::int64_t i = simt::thread(); i < places; i += threads) f(i);
}

template <class V>
SIMT_KERNEL look_at_blocks(Numbered<V> numbered, const PlaceRange* ranges, BlockFacts* to) {
  const PlaceRange range = ranges[simt::block()];
  auto* of_warps = simt::shared<BlockFacts>();
  constexpr int warps = threads / simt::warp_size;
  BlockFacts mine;
  each_place(range.end - range.begin, [&](std::int64_t i) { mine.entries.add_entry(numbered.entry(range.begin + i)); });
  mine.entries = over_warp(mine.entries);
  if (simt::lane() == 0) of_warps[simt::warp()].entries = mine.entries;
  simt::sync_block();
  for (int w = 0; w < warps; ++w) mine.entries.add(of_warps[w].entries);
  simt::sync_block();  // everybody has read what is overwritten below
  each_place(range.end - range.begin, [&](std::int64_t i) {
    const std::uint32_t entry = numbered.entry(range.begin + i);
    if (entry != PlaceBlock::wide_none) mine.hash += code_hash(i, entry - mine.entries.low);
    mine.strangers += numbered.stranger(range.begin + i);
  });
  mine.hash = simt::warp_sum(mine.hash);
  mine.strangers = simt::sum_lanes(mine.strangers);
  if (simt::lane() == 0) of_warps[simt::warp()] = mine;
  simt::sync_block();
  if (simt::thread() != 0) return;
  for (int w = 1; w < warps; ++w) {
    mine.hash += of_warps[w].hash;
    mine.strangers += of_warps[w].strangers;
  }
  to[simt::block()] = mine;
}

struct MapTarget {
  const PlaceBlock* blocks;
  const std::uint8_t* owns;
  std::uint16_t* narrow;
  std::uint32_t* wide;
  std::int32_t* unequal;
};

// Twice: those who own codes write them, then the others compare.
template <class V>
SIMT_KERNEL store_block_per_places(Numbered<V> numbered, MapTarget to, bool owners) {
  const PlaceBlock block = to.blocks[simt::block()];
  if ((to.owns[simt::block()] != 0) != owners) return;
  each_place(block.places, [&](std::int64_t i) {
    const std::uint32_t entry = numbered.entry(block.place + i);
    const auto code =
        entry == PlaceBlock::wide_none ? PlaceBlock::narrow_none : static_cast<std::uint16_t>(entry - block.first);
    if (block.staged == PlaceBlock::wide)
      to.wide[block.map + i] = entry;
    else if (owners)
      to.narrow[block.map + i] = code;
    else if (to.narrow[block.map + i] != code)
      *to.unequal = 1;
  });
}

template <class V>
Vector<PlaceRange> find_blocks(simt::Here here, const Numbered<V>& numbered, FoundEntries& found,
                               device::Workspace& memory) {
  const std::int64_t grains = simt::blocks_for(numbered.places, grain), words = simt::blocks_for(grains, 32);
  auto* ranges = memory.take<EntryRange>(grains);
  auto* before = memory.take<EntryRange>(grains);
  auto* cut = memory.take<std::uint8_t>(grains);
  auto* packed = memory.take<std::uint32_t>(words);
  simt::launch(here, thread_per(grains * grain), look_at_grains<V>, numbered, grains, ranges, found.data());
  if (numbered.places <= good_places) return {{0, numbered.places}};  // one block, wherever cuts are
  device::queue_scan(here, GrainsForward{ranges, before}, grains, memory);
  device::queue_scan(here, GrainsBackward{ranges, before, grains, cut}, grains, memory);
  simt::launch(here, thread_per(grains), pack_thread_per_grain, cut, grains, packed);
  Vector<std::uint32_t> cuts(static_cast<std::size_t>(words));
  memory::copy(cuts.data(), Device::cpu(), packed, memory.device(), cuts.size() * sizeof(std::uint32_t));
  return cut_places(cuts, numbered.places, sizeof(V));
}

template <class V>
Buffer<BlockFacts> facts_of(simt::Here here, const Numbered<V>& numbered, const Vector<PlaceRange>& ranges,
                            Device device) {
  const auto there = Buffer<PlaceRange>::copy_of(ranges, device);
  Buffer<BlockFacts> facts(there.size(), device);
  simt::launch(here, {there.size(), threads, threads / simt::warp_size * sizeof(BlockFacts)}, look_at_blocks<V>,
               numbered, there.data(), facts.data());
  return facts.to(Device::cpu());
}

// False: a block is not what the block is whose codes it shares.
template <class V>
bool store(simt::Here here, const Numbered<V>& numbered, const MapPlan& plan, ValueMap& map, Device device) {
  const auto owns = Buffer<std::uint8_t>::copy_of(plan.owns, device);
  const Buffer<std::int32_t> unequal = Buffer<std::int32_t>{0}.to(device);
  const MapTarget target{map.blocks.data(), owns.data(), map.narrow.data(), map.wide.data(),
                         const_cast<std::int32_t*>(unequal.data())};
  for (const bool owners : {true, false})
    simt::launch(here, {map.blocks.size(), threads}, store_block_per_places<V>, numbered, target, owners);
  return unequal.to(Device::cpu())[0] == 0;
}

bool gaps_help(const MapPlan& plan, const ValueMap& map, int value_bytes) {
  const PlaceBlock* block = typical_block(plan);
  if (!block) return false;
  Vector<std::uint16_t> codes(static_cast<std::size_t>(block->places));
  memory::copy(codes.data(), Device::cpu(), map.narrow.data() + block->map, map.narrow.device(),
               codes.size() * sizeof(std::uint16_t));
  return better_with_gaps(codes, value_bytes);
}

struct BitCount {
  std::int64_t bits = 0;
  SIMT_BOTH void add(const BitCount& other) { bits += other.bits; }
};
struct FoundBits {
  using Result = BitCount;
  const std::uint32_t* words;

  SIMT_DEVICE void add(std::int64_t w, BitCount& to) const { to.bits += simt::count_bits(words[w]); }
};

}  // namespace

template <class V>
Buffer<V> value_numbers(simt::Here here, std::int64_t entries, Device there) {
  Buffer<V> numbers(entries, there);
  simt::launch(here, thread_per(entries), number_thread_per_entry<V>, numbers.data(), entries);
  return numbers;
}

FoundEntries nothing_found(simt::Here here, std::int64_t entries, Device there) {
  FoundEntries found(simt::blocks_for(entries, 32), there);
  simt::launch(here, thread_per(found.size()), clear_thread_per_word, found.data(), found.size());
  return found;
}

bool all_found(simt::Here here, const FoundEntries& found, std::int64_t entries) {
  return device::reduce(here, FoundBits{found.data()}, found.size(), found.device()).bits == entries;
}

template <class V>
ValueMap map_values(simt::Here here, std::span<const V> numbered, std::int64_t entries, FoundEntries& found) {
  const Device device = found.device();
  device::Workspace memory(device);
  const Numbered<V> there{numbered.data(), static_cast<std::int64_t>(numbered.size()), entries};
  const Vector<PlaceRange> ranges = find_blocks(here, there, found, memory);
  const Buffer<BlockFacts> facts = facts_of(here, there, ranges, device);
  for (const bool share : {true, false}) {
    const MapPlan plan = plan_map(ranges, facts, share, sizeof(V));
    ValueMap map{plan.staged, false, Buffer<PlaceBlock>::copy_of(plan.blocks, device),
                 Buffer<std::uint16_t>(plan.narrow, device), Buffer<std::uint32_t>(plan.wide, device)};
    if (!store(here, there, plan, map, device)) continue;
    map.gaps = gaps_help(plan, map, sizeof(V));
    return map;
  }
  return {};
}

template Buffer<float> value_numbers(simt::Here, std::int64_t, Device);
template Buffer<double> value_numbers(simt::Here, std::int64_t, Device);
template ValueMap map_values(simt::Here, std::span<const float>, std::int64_t, FoundEntries&);
template ValueMap map_values(simt::Here, std::span<const double>, std::int64_t, FoundEntries&);

}  // namespace heddle
