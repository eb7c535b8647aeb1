#include "layout/value_map.hpp"

namespace heddle {

namespace {

constexpr int map_threads = 256, per_thread = map_block / map_threads;

struct MapView {
  const PlaceBlock* blocks;
  const std::uint16_t* narrow;
  const std::uint32_t* wide;
};

template <class V>
SIMT_DEVICE void place_wide(const MapView& map, const PlaceBlock& block, std::int64_t begin, const V* val, V* to) {
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    const int at = i * map_threads + simt::thread();
    const std::uint32_t entry = simt::stream_load(map.wide + block.map + at);
    if (entry != PlaceBlock::wide_none) to[begin + at] = simt::cached_load(val + entry);
  }
}

// A block of threads a block of places. Codes are on their way while values come into shared memory. (The places
// behind the end of the array have the code of none.)
template <class V>
SIMT_KERNEL values_block_per_places(MapView map, const V* val, V* to) {
  const PlaceBlock block = map.blocks[simt::block()];
  const std::int64_t begin = block.number * map_block;
  if (block.staged == PlaceBlock::wide) return place_wide(map, block, begin, val, to);
  V* staged = simt::shared<V>();
  std::uint16_t code[per_thread];
#pragma unroll
  for (int i = 0; i < per_thread; ++i)
    code[i] = simt::cached_load(map.narrow + block.map + i * map_threads + simt::thread());
  const V* from = val + block.first;
#pragma unroll 4
  for (int i = simt::thread(); i < block.staged; i += map_threads) staged[i] = simt::stream_load(from + i);
  if (block.staged > 0) {
    simt::sync_block();
    from = staged;
  }
#pragma unroll
  for (int i = 0; i < per_thread; ++i)
    if (code[i] != PlaceBlock::narrow_none) to[begin + i * map_threads + simt::thread()] = from[code[i]];
}

}  // namespace

template <class V>
void place_values(simt::Here here, const ValueMap& map, const V* val, V* to, Stream stream) {
  const MapView view{map.blocks.data(), map.narrow.data(), map.wide.data()};
  simt::launch(here, {map.blocks.size(), map_threads, static_cast<std::size_t>(map.staged) * sizeof(V), stream},
               values_block_per_places<V>, view, val, to);
}

template void place_values(simt::Here, const ValueMap&, const float*, float*, Stream);
template void place_values(simt::Here, const ValueMap&, const double*, double*, Stream);

}  // namespace heddle
