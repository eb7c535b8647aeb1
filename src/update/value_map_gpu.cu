#include <limits>

#include "simt/copy_ahead.hpp"
#include "update/value_map_cut.hpp"

namespace heddle {

namespace {

// What a thread has in flight at a time: loads of 16 bytes of values, or of the codes of as many.
constexpr int in_flight = 4, fewest_threads = 256, most_threads = 512;

struct MapView {
  const PlaceBlock* blocks;
  const std::uint16_t* narrow;
  const std::uint32_t* wide;
};

template <class V>
inline constexpr int values_of_load = static_cast<int>(16 / sizeof(V));

// Codes of W neighbouring places, `in_flight` times a thread. Loads go without asking: behind the end they bring the
// last ones again, so that none waits for another.
template <int W, class Code>
struct HeldCodes {
  simt::Pack<Code, W> at[in_flight];

  SIMT_DEVICE void load(const Code* codes, int packs, int first) {
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const int pack = first + u * simt::block_threads() + simt::thread();
      at[u] = simt::cached_pack<W>(codes + (pack < packs ? pack : packs - 1) * W);
    }
  }
};

// By the block of threads: to[i] = read(code of place i) for all of its places that have one. `held` has the first
// codes already. A place without an entry reads what code 0 would and keeps what it has.
template <int W, class V, class Code, class Read>
SIMT_DEVICE void deal_out(HeldCodes<W, Code>& held, const Code* codes, int places, V* to, const Read& read) {
  constexpr Code none = static_cast<Code>(~Code{0});
  const int packs = places / W, of_round = in_flight * simt::block_threads();
  for (int first = 0; first < packs; first += of_round) {
    if (first > 0) held.load(codes, packs, first);
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const int pack = first + u * simt::block_threads() + simt::thread();
      simt::Pack<V, W> values;
      bool all = true;
#pragma unroll
      for (int j = 0; j < W; ++j) {
        const Code code = held.at[u].at[j];
        values.at[j] = read(code == none ? Code{0} : code);
        all &= code != none;
      }
      if (pack >= packs) continue;
      if (all) {
        *reinterpret_cast<simt::Pack<V, W>*>(to + pack * W) = values;
      } else {
#pragma unroll
        for (int j = 0; j < W; ++j)
          if (held.at[u].at[j] != none) to[pack * W + j] = values.at[j];
      }
    }
  }
  const int rest = packs * W + simt::thread();
  if (rest < places && codes[rest] != none) to[rest] = read(codes[rest]);
}

// The same for places whose codes, from `before` on, are entries in shared memory; those without an entry read the one
// behind the `behind` entries of the block, a zero. So there is nothing to ask.
template <int W, class V>
SIMT_DEVICE void deal_out_filled(HeldCodes<W, std::uint16_t>& held, const std::uint16_t* codes, int places, V* to,
                                 const V* staged, unsigned behind) {
  const int packs = places / W, of_round = in_flight * simt::block_threads();
  const auto value = [&](unsigned code) { return staged[code < behind ? code : behind]; };
  for (int first = 0; first < packs; first += of_round) {
    if (first > 0) held.load(codes, packs, first);
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const int pack = first + u * simt::block_threads() + simt::thread();
      if (pack >= packs) break;
      simt::Pack<V, W> values;
#pragma unroll
      for (int j = 0; j < W; ++j) values.at[j] = value(held.at[u].at[j]);
      *reinterpret_cast<simt::Pack<V, W>*>(to + pack * W) = values;
    }
  }
  const int rest = packs * W + simt::thread();
  if (rest < places) to[rest] = value(codes[rest]);
}

// By the block of threads: values of entries 0 .. count - 1 from `from` on, aligned to W of them, into shared memory.
template <int W, class V>
SIMT_DEVICE void stage_with_gaps(const V* from, int count, V* staged) {
  const int packs = count / W, of_round = in_flight * simt::block_threads();
  for (int first = 0; first < packs; first += of_round) {
    simt::Pack<V, W> values[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const int pack = first + u * simt::block_threads() + simt::thread();
      values[u] = simt::stream_pack<W>(from + (pack < packs ? pack : packs - 1) * W);
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const int pack = first + u * simt::block_threads() + simt::thread();
      if (pack >= packs) continue;
#pragma unroll
      for (int j = 0; j < W; ++j) staged[value_map::place_with_gaps<V>(pack * W + j)] = values[u].at[j];
    }
  }
  const int rest = packs * W + simt::thread();
  if (rest < count) staged[value_map::place_with_gaps<V>(rest)] = from[rest];
}

// The same in one piece, all of it in flight at once, and a zero behind it.
template <int W, class V>
SIMT_DEVICE void stage_together(const V* from, int count, V* staged) {
  static_assert(W * sizeof(V) == 16);
  const int packs = count / W;
  for (int pack = simt::thread(); pack < packs; pack += simt::block_threads())
    simt::copy_16_bytes(staged + pack * W, from + pack * W);
  const int rest = packs * W + simt::thread();
  if (rest <= count) staged[rest] = rest < count ? from[rest] : V(0);
  simt::wait_for_copies();
}

// A block of threads a block of places. The first codes are on their way while values come into shared memory. W: `val`
// and `to` are aligned to so many values.
template <class V, int W, bool Gaps>
SIMT_BOUNDED_KERNEL(most_threads, Gaps ? 3 : 4)
values_block_per_places(MapView map, const V* val, V* to) {
  const PlaceBlock block = map.blocks[simt::block()];
  const bool any_pack = block.places >= W;
  to += block.place;
  if (block.staged == PlaceBlock::wide) {
    const std::uint32_t* codes = map.wide + block.map;
    HeldCodes<W, std::uint32_t> held;
    if (any_pack) held.load(codes, block.places / W, 0);
    return deal_out(held, codes, block.places, to, [&](std::uint32_t k) { return simt::cached_load(val + k); });
  }
  const std::uint16_t* codes = map.narrow + block.map;
  HeldCodes<W, std::uint16_t> held;
  if (any_pack) held.load(codes, block.places / W, 0);
  if (block.staged == PlaceBlock::straight) {
    const V* from = val + block.first;
    return deal_out(held, codes, block.places, to, [&](std::uint16_t k) { return simt::cached_load(from + k); });
  }
  V* staged = simt::shared<V>();
  const auto before = static_cast<int>(block.first % W);  // entries that are read for the sake of alignment
  const V* from = val + (block.first - before);
  if constexpr (Gaps) {
    stage_with_gaps<W>(from, before + block.staged, staged);
    simt::sync_block();
    deal_out(held, codes, block.places, to,
             [&](std::uint16_t k) { return staged[value_map::place_with_gaps<V>(before + k)]; });
  } else {
    stage_together<W>(from, before + block.staged, staged);
    simt::sync_block();
    if (block.filled)
      deal_out_filled(held, codes, block.places, to, staged + before, static_cast<unsigned>(block.staged));
    else
      deal_out(held, codes, block.places, to, [&](std::uint16_t k) { return staged[before + k]; });
  }
}

// The entry of a place of a block; wide_none: it has none.
SIMT_DEVICE std::uint32_t entry_at(const MapView& map, const PlaceBlock& block, int i) {
  if (block.staged == PlaceBlock::wide) return simt::cached_load(map.wide + block.map + i);
  const std::uint16_t code = simt::cached_load(map.narrow + block.map + i);
  return code == PlaceBlock::narrow_none ? PlaceBlock::wide_none : block.first + code;
}

SIMT_KERNEL clear_word(std::uint32_t* word) {
  if (simt::thread() == 0) *word = 0;
}

template <class V>
SIMT_KERNEL compare_block_per_places(MapView map, const V* val, V* to, std::uint32_t* differ) {
  const PlaceBlock block = map.blocks[simt::block()];
#pragma unroll 4
  for (int i = simt::thread(); i < block.places; i += simt::block_threads()) {
    const std::uint32_t entry = entry_at(map, block, i);
    if (entry == PlaceBlock::wide_none) continue;
    V& mine = to[block.place + i];
    if (value_bits(mine) == value_bits(simt::cached_load(val + entry))) continue;
    mine = std::numeric_limits<V>::quiet_NaN();
    *differ = 1;
  }
}

// So many that they fill a large GPU's unit when shared memory limits the number of blocks.
int threads_for(std::size_t shared_bytes) {
  constexpr std::size_t unit_bytes = 220 << 10, unit_threads = 2048;
  const std::size_t blocks = std::max<std::size_t>(1, unit_bytes / std::max<std::size_t>(1, shared_bytes));
  return blocks * fewest_threads >= unit_threads ? fewest_threads : most_threads;
}

template <class V, int W, bool Gaps>
void start(simt::Here here, const ValueMap& map, const V* val, V* to, Stream stream) {
  const MapView view{map.blocks.data(), map.narrow.data(), map.wide.data()};
  const int room = map.staged > 0 ? map.staged + W : 0;
  const auto shared_bytes = static_cast<std::size_t>(Gaps ? value_map::place_with_gaps<V>(room) : room) * sizeof(V);
  simt::launch(here, {map.blocks.size(), threads_for(shared_bytes), shared_bytes, stream},
               values_block_per_places<V, W, Gaps>, view, val, to);
}

}  // namespace

template <class V>
void place_values(simt::Here here, const ValueMap& map, const V* val, V* to, Stream stream) {
  const auto aligned = [](const V* array) { return reinterpret_cast<std::uintptr_t>(array) % 16 == 0; };
  if (!aligned(val) || !aligned(to))
    start<V, 1, true>(here, map, val, to, stream);
  else if (map.gaps)
    start<V, values_of_load<V>, true>(here, map, val, to, stream);
  else
    start<V, values_of_load<V>, false>(here, map, val, to, stream);
}

template <class V>
void compare_values(simt::Here here, const ValueMap& map, const V* val, V* to, std::uint32_t* differ, Stream stream) {
  const MapView view{map.blocks.data(), map.narrow.data(), map.wide.data()};
  simt::launch(here, {1, simt::warp_size, 0, stream}, clear_word, differ);
  simt::launch(here, {map.blocks.size(), most_threads, 0, stream}, compare_block_per_places<V>, view, val, to, differ);
}

template void place_values(simt::Here, const ValueMap&, const float*, float*, Stream);
template void place_values(simt::Here, const ValueMap&, const double*, double*, Stream);
template void compare_values(simt::Here, const ValueMap&, const float*, float*, std::uint32_t*, Stream);
template void compare_values(simt::Here, const ValueMap&, const double*, double*, std::uint32_t*, Stream);

}  // namespace heddle
