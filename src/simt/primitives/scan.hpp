// Sums of all items before each item, on the device, and the sum of all of them on the host.
//
//   struct Items {
//     using Sum = ...;                                               // plain, exact; Sum{} is the sum of no items
//     SIMT_DEVICE Sum item(std::int64_t i) const;
//     SIMT_DEVICE void place(std::int64_t i, const Sum& before) const;    // `before`: the sum of items 0 .. i-1
//   };
//   struct Sum { SIMT_BOTH void add(const Sum& other); };
//
// Three launches:  sums of tiles | one block scans those | every tile places its items.  Of a few tiles each adds up
// those before it, and the second is left out; where there is one tile there is one launch. Items are spread over as
// many threads as there may be without one more launch.
//
// Items that say `static constexpr bool placed_apart = true` have nothing in place() that item() reads: of a few
// thousand of them every tile adds up all items before it by itself, in one launch.
#pragma once

#include <algorithm>

#include "simt/primitives/answers.hpp"
#include "simt/primitives/workspace.hpp"
#include "simt/simt.hpp"

namespace heddle::device {

inline constexpr int scan_threads = 256, scan_items_of_thread = 8, scan_tile = scan_threads * scan_items_of_thread;
inline constexpr std::int64_t few_scan_tiles = 32, few_scan_items = 3 * few_scan_tiles * scan_threads;

template <class Items>
constexpr bool are_placed_apart() {
  if constexpr (requires { Items::placed_apart; })
    return Items::placed_apart;
  else
    return false;
}

// The sum of what the threads before this one brought; `total`: of all threads. `shared` has room for each of them.
template <class Sum>
SIMT_DEVICE Sum block_scan(const Sum& mine, Sum* shared, Sum& total) {
  shared[simt::thread()] = mine;
  for (int distance = 1; distance < scan_threads; distance *= 2) {
    simt::sync_block();
    Sum upto = simt::thread() >= distance ? shared[simt::thread() - distance] : Sum{};
    upto.add(shared[simt::thread()]);
    simt::sync_block();
    shared[simt::thread()] = upto;
  }
  simt::sync_block();
  total = shared[scan_threads - 1];
  const Sum before = simt::thread() > 0 ? shared[simt::thread() - 1] : Sum{};
  simt::sync_block();
  return before;
}

template <class Items>
SIMT_DEVICE typename Items::Sum sum_of_thread(const Items& items, std::int64_t first, std::int64_t count,
                                              int of_thread = scan_items_of_thread) {
  typename Items::Sum sum{};
  for (std::int64_t i = first; i < first + of_thread && i < count; ++i) sum.add(items.item(i));
  return sum;
}

// How items are cut into tiles.
struct ScanTiles {
  std::int64_t count;
  int of_thread;

  explicit ScanTiles(std::int64_t items) : count(items) {
    const std::int64_t threads = items <= scan_tile ? scan_threads : few_scan_tiles * scan_threads;
    of_thread = static_cast<int>(
        std::clamp<std::int64_t>(simt::blocks_for(items, static_cast<int>(threads)), 1, scan_items_of_thread));
  }
  std::int64_t tiles() const { return simt::blocks_for(count, scan_threads * of_thread); }
  SIMT_DEVICE std::int64_t first_of_thread() const {
    return (simt::block() * scan_threads + simt::thread()) * of_thread;
  }
  template <class Items>
  SIMT_DEVICE typename Items::Sum sum_of_thread(const Items& items) const {
    return device::sum_of_thread(items, first_of_thread(), count, of_thread);
  }
};

namespace {  // kernels: compiled for two devices under one name

template <class Items>
SIMT_KERNEL sum_tiles(Items items, ScanTiles cut, typename Items::Sum* tiles) {
  typename Items::Sum total;
  block_scan(cut.sum_of_thread(items), simt::shared<typename Items::Sum>(), total);
  if (simt::thread() == 0) tiles[simt::block()] = total;
}

// One block. Tile sums become the sums of all tiles before.
template <class Sum>
SIMT_KERNEL scan_tiles(Sum* tiles, std::int64_t count, Sum* all) {
  Sum carry{};
  for (std::int64_t first = 0; first < count; first += scan_threads) {
    const std::int64_t i = first + simt::thread();
    Sum total, before = carry;
    before.add(block_scan(i < count ? tiles[i] : Sum{}, simt::shared<Sum>(), total));
    if (i < count) tiles[i] = before;
    carry.add(total);
  }
  if (simt::thread() == 0) *all = carry;
}

// What comes before a tile. Where there are few, `tiles` are the sums of each, else the sums before each.
template <class Sum>
SIMT_DEVICE Sum sum_before_tile(const Sum* tiles) {
  if (simt::grid_blocks() > few_scan_tiles) return tiles[simt::block()];
  Sum* near = simt::shared<Sum>();
  if (simt::thread() < simt::block()) near[simt::thread()] = tiles[simt::thread()];
  simt::sync_block();
  Sum before{};
  for (int t = 0; t < simt::block(); ++t) before.add(near[t]);
  simt::sync_block();
  return before;
}

// The last of few tiles knows the sum of all.
template <class Items>
SIMT_KERNEL place_items(Items items, ScanTiles cut, const typename Items::Sum* tiles, typename Items::Sum* all) {
  using Sum = typename Items::Sum;
  const std::int64_t first = cut.first_of_thread();
  Sum total, before = sum_before_tile(tiles);
  const Sum before_tile = before;
  before.add(block_scan(cut.sum_of_thread(items), simt::shared<Sum>(), total));
  total.add(before_tile);
  const bool knows_all = simt::grid_blocks() <= few_scan_tiles && simt::block() == simt::grid_blocks() - 1;
  if (knows_all && simt::thread() == 0) *all = total;
  for (std::int64_t i = first; i < first + cut.of_thread && i < cut.count; ++i) {
    const Sum own = items.item(i);
    items.place(i, before);
    before.add(own);
  }
}

// A thread an item, whichever come before it.
template <class Items>
SIMT_KERNEL place_few_items(Items items, std::int64_t count, typename Items::Sum* all) {
  using Sum = typename Items::Sum;
  const std::int64_t first = simt::block() * scan_threads, mine = first + simt::thread();
  Sum earlier{}, before, total;
#pragma unroll 8
  for (std::int64_t i = simt::thread(); i < first; i += scan_threads) earlier.add(items.item(i));
  block_scan(earlier, simt::shared<Sum>(), before);
  const Sum own = mine < count ? items.item(mine) : Sum{};
  const Sum of_tile = block_scan(own, simt::shared<Sum>(), total);
  total.add(before);
  before.add(of_tile);
  if (mine < count) items.place(mine, before);
  if (simt::block() == simt::grid_blocks() - 1 && simt::thread() == 0) *all = total;
}

}  // namespace

// Only queued: the sum of all items will lie at `all`, which kernels of the scan only write.
template <class Items>
void queue_scan(simt::Here here, const Items& items, std::int64_t count, Workspace& memory, typename Items::Sum* all) {
  using Sum = typename Items::Sum;
  constexpr std::size_t shared_bytes = scan_threads * sizeof(Sum);
  if constexpr (are_placed_apart<Items>())
    if (count > scan_tile && count <= few_scan_items)
      return simt::launch(here, {simt::blocks_for(count, scan_threads), scan_threads, shared_bytes},
                          place_few_items<Items>, items, count, all);
  const ScanTiles cut(count);
  const std::int64_t tiles = cut.tiles();
  Sum* sums = memory.take<Sum>(tiles);
  if (tiles != 1) simt::launch(here, {tiles, scan_threads, shared_bytes}, sum_tiles<Items>, items, cut, sums);
  if (tiles == 0 || tiles > few_scan_tiles)
    simt::launch(here, {1, scan_threads, shared_bytes}, scan_tiles<Sum>, sums, tiles, all);
  simt::launch(here, {tiles, scan_threads, shared_bytes}, place_items<Items>, items, cut, sums, all);
}
// The same; the result says where.
template <class Items>
const typename Items::Sum* queue_scan(simt::Here here, const Items& items, std::int64_t count, Workspace& memory) {
  auto* all = memory.take<typename Items::Sum>(1);
  queue_scan(here, items, count, memory, all);
  return all;
}

template <class Items>
typename Items::Sum scan(simt::Here here, const Items& items, std::int64_t count, Workspace& memory) {
  Answers<typename Items::Sum> all(1, memory.device());
  queue_scan(here, items, count, memory, all.there());
  return all.here()[0];
}
template <class Items>
typename Items::Sum scan(simt::Here here, const Items& items, std::int64_t count, Device device) {
  Workspace memory(device);
  return scan(here, items, count, memory);
}

}  // namespace heddle::device
