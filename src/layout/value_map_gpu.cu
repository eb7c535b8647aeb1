#include "layout/value_map_cut.hpp"

namespace heddle {

namespace {

constexpr int map_threads = 512, per_thread = 8;

struct MapView {
  const PlaceBlock* blocks;
  const std::uint16_t* narrow;
  const std::uint32_t* wide;
};

template <class V>
SIMT_DEVICE void place_wide(const std::uint32_t* entry, int places, const V* val, V* to) {
#pragma unroll 4
  for (int i = simt::thread(); i < places; i += map_threads) {
    const std::uint32_t k = simt::stream_load(entry + i);
    if (k != PlaceBlock::wide_none) to[i] = simt::cached_load(val + k);
  }
}

// A block of threads a block of places. The first codes are on their way while values come into shared memory.
template <class V>
SIMT_KERNEL values_block_per_places(MapView map, const V* val, V* to) {
  const PlaceBlock block = map.blocks[simt::block()];
  to += block.place;
  if (block.staged == PlaceBlock::wide) return place_wide(map.wide + block.map, block.places, val, to);
  V* staged = simt::shared<V>();
  const V* from = val + block.first;
  const std::uint16_t* codes = map.narrow + block.map;
  std::uint16_t code[per_thread];
  const auto load_codes = [&](int first) {
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      const int at = first + i * map_threads + simt::thread();
      code[i] = at < block.places ? simt::cached_load(codes + at) : PlaceBlock::narrow_none;
    }
  };
  load_codes(0);
#pragma unroll 8
  for (int i = simt::thread(); i < block.staged; i += map_threads)
    staged[value_map::staged_place<V>(i)] = simt::stream_load(from + i);
  simt::sync_block();
  for (int first = 0; first < block.places; first += per_thread * map_threads) {
    if (first > 0) load_codes(first);
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
      if (code[i] == PlaceBlock::narrow_none) continue;
      to[first + i * map_threads + simt::thread()] =
          block.staged > 0 ? staged[value_map::staged_place<V>(code[i])] : from[code[i]];
    }
  }
}

}  // namespace

template <class V>
void place_values(simt::Here here, const ValueMap& map, const V* val, V* to, Stream stream) {
  const MapView view{map.blocks.data(), map.narrow.data(), map.wide.data()};
  const auto shared_bytes = static_cast<std::size_t>(value_map::staged_place<V>(map.staged)) * sizeof(V);
  simt::launch(here, {map.blocks.size(), map_threads, shared_bytes, stream}, values_block_per_places<V>, view, val, to);
}

template void place_values(simt::Here, const ValueMap&, const float*, float*, Stream);
template void place_values(simt::Here, const ValueMap&, const double*, double*, Stream);

}  // namespace heddle
