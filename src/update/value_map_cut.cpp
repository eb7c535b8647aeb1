#include "update/value_map_cut.hpp"

#include <array>
#include <bit>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace heddle::value_map {

namespace {

constexpr std::uint32_t most_narrow = PlaceBlock::narrow_none;  // entries from the lowest to the highest

// Of the bits of word w those of numbers begin .. end - 1.
std::uint32_t bits_between(std::span<const std::uint32_t> words, std::int64_t w, std::int64_t begin, std::int64_t end) {
  std::uint32_t bits = words[static_cast<std::size_t>(w)];
  if (begin > w * 32) bits &= ~0u << (begin - w * 32);
  if (end < (w + 1) * 32) bits &= ~(~0u << (end - w * 32));
  return bits;
}

// The last number, or the first, of begin .. end - 1 whose bit is set; 0: none.
std::int64_t last_bit(std::span<const std::uint32_t> words, std::int64_t begin, std::int64_t end) {
  for (std::int64_t w = (end - 1) / 32; w >= begin / 32 && end > begin; --w)
    if (const std::uint32_t bits = bits_between(words, w, begin, end)) return w * 32 + 31 - std::countl_zero(bits);
  return 0;
}
std::int64_t first_bit(std::span<const std::uint32_t> words, std::int64_t begin, std::int64_t end) {
  for (std::int64_t w = begin / 32; w * 32 < end; ++w)
    if (const std::uint32_t bits = bits_between(words, w, begin, end)) return w * 32 + std::countr_zero(bits);
  return 0;
}

struct Shape {
  std::int32_t places;
  std::uint32_t span;
  std::uint64_t hash;

  bool operator==(const Shape&) const = default;
};
struct ShapeHash {
  std::size_t operator()(const Shape& s) const {
    return static_cast<std::size_t>(s.hash ^ std::uint64_t{s.span} * 0x9e3779b97f4a7c15u);
  }
};
using KnownShapes =
    std::unordered_map<Shape, Offset, ShapeHash, std::equal_to<>, HostAllocator<std::pair<const Shape, Offset>>>;

// `most`: grains of a block.
Vector<PlaceRange> cut_into(std::span<const std::uint32_t> cuts, std::int64_t places, std::int64_t most) {
  constexpr std::int64_t good = good_places / grain, few = few_places / grain;
  const std::int64_t grains = (places + grain - 1) / grain;
  Vector<PlaceRange> ranges;
  for (std::int64_t begin = 0, end = 0; begin < grains; begin = end) {
    end = std::min(grains, begin + good);
    if (end < grains) {
      std::int64_t cut = last_bit(cuts, begin + 1, end + 1);
      if (cut == 0) cut = first_bit(cuts, end + 1, std::min(grains, begin + most + 1));
      if (cut == 0 && grains - begin <= most) cut = grains;
      end = cut > 0 ? cut : begin + few;
    }
    ranges.push_back({begin * grain, std::min(places, end * grain)});
  }
  return ranges;
}

bool few_of(std::int64_t part, std::int64_t all) { return 4 * part < all; }

// The most entries from the lowest to the highest of a block that are staged: more than that of a block's places and
// entries of others between them would be wasted reads.
std::uint32_t most_span(const PlaceRange& range) { return static_cast<std::uint32_t>(2 * range.size()); }
// Of any block. Where few places are in large blocks that shared memory holds, none of those is staged.
std::uint32_t most_span(const Vector<PlaceRange>& ranges, std::span<const BlockFacts> facts, int value_bytes) {
  const auto most = static_cast<std::uint32_t>(most_staged_bytes / value_bytes);
  std::int64_t in_large = 0, all = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::uint32_t span = facts[i].entries.span();
    if (span > good_places && span <= std::min(most, most_span(ranges[i]))) in_large += ranges[i].size();
    all += ranges[i].size();
  }
  return few_of(in_large, all) ? static_cast<std::uint32_t>(good_places) : most;
}

// In the order in which blocks read `val`. Entries that lie by tile are read by many blocks far apart, and those that
// run at the same time find the same sectors in the cache.
void sort_by_entry(MapPlan& plan) {
  const auto by_entry = [](const PlaceBlock& a, const PlaceBlock& b) { return a.first < b.first; };
  if (std::is_sorted(plan.blocks.begin(), plan.blocks.end(), by_entry)) return;
  Vector<std::size_t> order(plan.blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(plan.blocks[a].first, a) < std::pair(plan.blocks[b].first, b);
  });
  const Vector<PlaceBlock> blocks(plan.blocks);
  const Vector<std::uint8_t> owns(plan.owns);
  for (std::size_t i = 0; i < order.size(); ++i) {
    plan.blocks[i] = blocks[order[i]];
    plan.owns[i] = owns[order[i]];
  }
}

// How long a warp waits for shared memory that reads from `place(code)` for `lanes` codes of every so many, those of
// one value of each pack of a load of 16 bytes.
template <class Place>
std::int64_t bank_conflicts(std::span<const std::uint16_t> codes, int value_bytes, const Place& place) {
  constexpr std::size_t most_codes = 8192;
  const auto width = static_cast<std::size_t>(16 / value_bytes), lanes = static_cast<std::size_t>(128 / value_bytes);
  std::int64_t conflicts = 0;
  for (std::size_t begin = 0; begin + lanes * width <= std::min(codes.size(), most_codes); begin += lanes * width)
    for (std::size_t j = 0; j < width; ++j) {
      std::array<std::int8_t, 32> of_bank{};
      std::int8_t most = 0;
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if (const std::uint16_t code = codes[begin + lane * width + j]; code != PlaceBlock::narrow_none)
          most = std::max(most, ++of_bank[static_cast<std::size_t>(place(code)) % lanes]);
      conflicts += most;
    }
  return conflicts;
}

}  // namespace

bool better_with_gaps(std::span<const std::uint16_t> codes, int value_bytes) {
  const auto with = [&](int code) {
    return value_bytes == 8 ? place_with_gaps<double>(code) : place_with_gaps<float>(code);
  };
  const auto without = [](int code) { return code; };
  return 2 * bank_conflicts(codes, value_bytes, with) < bank_conflicts(codes, value_bytes, without);
}

const PlaceBlock* typical_block(const MapPlan& plan) {
  for (std::size_t i = plan.blocks.size() / 2; i < plan.blocks.size(); ++i)
    if (plan.blocks[i].staged > 0) return &plan.blocks[i];
  return nullptr;
}

Vector<PlaceRange> cut_places(std::span<const std::uint32_t> cuts, std::int64_t places, int value_bytes) {
  Vector<PlaceRange> ranges = cut_into(cuts, places, most_staged_bytes / value_bytes / grain);
  std::int64_t in_large = 0;
  for (const PlaceRange& range : ranges)
    if (range.size() > good_places) in_large += range.size();
  return few_of(in_large, places) ? cut_into(cuts, places, good_places / grain) : ranges;
}

MapPlan plan_map(const Vector<PlaceRange>& ranges, std::span<const BlockFacts> facts, bool share, int value_bytes) {
  MapPlan plan;
  KnownShapes known;
  const std::uint32_t most_staged = most_span(ranges, facts, value_bytes);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const EntryRange entries = facts[i].entries;
    if (entries.empty()) continue;
    const std::uint32_t span = entries.span();
    PlaceBlock block{ranges[i].begin,      0,
                     entries.low,          static_cast<std::int32_t>(ranges[i].size()),
                     PlaceBlock::straight, facts[i].strangers == 0};
    bool owns = true;
    if (span > most_narrow) {
      block.staged = PlaceBlock::wide;
      block.map = std::exchange(plan.wide, plan.wide + block.places);
    } else {
      if (span <= most_span(ranges[i]) && span <= most_staged) block.staged = static_cast<std::int32_t>(span);
      const auto [at, is_new] = known.try_emplace({block.places, span, facts[i].hash}, plan.narrow);
      owns = is_new || !share;
      block.map = owns ? std::exchange(plan.narrow, plan.narrow + block.places) : at->second;
    }
    plan.staged = std::max(plan.staged, block.staged);
    plan.blocks.push_back(block);
    plan.owns.push_back(owns ? 1 : 0);
  }
  sort_by_entry(plan);
  return plan;
}

}  // namespace heddle::value_map
