#include "layout/value_map_cut.hpp"

#include <bit>
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

}  // namespace

Vector<PlaceRange> cut_places(std::span<const std::uint32_t> cuts, std::int64_t places, int value_bytes) {
  constexpr std::int64_t good = good_places / grain, few = few_places / grain;
  const std::int64_t grains = (places + grain - 1) / grain, most = most_staged_bytes / value_bytes / grain;
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

MapPlan plan_map(const Vector<PlaceRange>& ranges, std::span<const BlockFacts> facts, bool share, int value_bytes) {
  MapPlan plan;
  KnownShapes known;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const EntryRange entries = facts[i].entries;
    if (entries.empty()) continue;
    const std::uint32_t span = entries.high - entries.low + 1;
    PlaceBlock block{ranges[i].begin, 0, entries.low, static_cast<std::int32_t>(ranges[i].end - ranges[i].begin),
                     PlaceBlock::straight};
    bool owns = true;
    if (span > most_narrow) {
      block.staged = PlaceBlock::wide;
      block.map = std::exchange(plan.wide, plan.wide + block.places);
    } else {
      // Entries of others between them would be read in vain.
      const bool near = span <= 2 * static_cast<std::uint32_t>(block.places) && span * value_bytes <= most_staged_bytes;
      if (near) block.staged = static_cast<std::int32_t>(span);
      const auto [at, is_new] = known.try_emplace({block.places, span, facts[i].hash}, plan.narrow);
      owns = is_new || !share;
      block.map = owns ? std::exchange(plan.narrow, plan.narrow + block.places) : at->second;
    }
    plan.staged = std::max(plan.staged, block.staged);
    plan.blocks.push_back(block);
    plan.owns.push_back(owns ? 1 : 0);
  }
  return plan;
}

}  // namespace heddle::value_map
