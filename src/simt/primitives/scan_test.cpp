// Sums before each item, for numbers of items around every change of way: one tile, few, many; items of a thread.
#include "simt/primitives/scan.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::device {
namespace {

struct Two {
  std::int64_t items = 0, weight = 0;
  SIMT_BOTH void add(const Two& other) {
    items += other.items;
    weight += other.weight;
  }
};

struct Weighed {
  using Sum = Two;
  Two* to;

  static std::int64_t weight(std::int64_t i) { return i * 7919 % 1000 + 1; }
  SIMT_DEVICE Two item(std::int64_t i) const { return {1, weight(i)}; }
  SIMT_DEVICE void place(std::int64_t i, const Two& before) const { to[i] = before; }
};

struct WeighedApart : Weighed {
  static constexpr bool placed_apart = true;
};

// item() reads what place() writes.
struct WeighedInPlace : Weighed {
  SIMT_DEVICE Two item(std::int64_t i) const { return to[i]; }
};

template <class Items>
void expect_all_placed() {
  constexpr std::int64_t few = few_scan_tiles * scan_tile;
  constexpr std::int64_t tile = scan_tile, threads = scan_threads;
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, threads, threads + 1, tile, tile + 1, 3 * tile - 5,
        few / scan_items_of_thread, few / scan_items_of_thread + 1, few_scan_items, few_scan_items + 1, few, few + 1}) {
    std::vector<Two> placed(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) placed[static_cast<std::size_t>(i)] = {1, Weighed::weight(i)};
    const Two all = scan(simt::Here{}, Items{{placed.data()}}, count, Device::emulator());
    std::int64_t weight = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(placed[static_cast<std::size_t>(i)].items, i) << "of " << count;
      ASSERT_EQ(placed[static_cast<std::size_t>(i)].weight, weight) << "before item " << i << " of " << count;
      weight += Weighed::weight(i);
    }
    EXPECT_EQ(all.items, count);
    EXPECT_EQ(all.weight, weight) << "of " << count;
  }
}

TEST(Scan, places_every_item_behind_all_before_it) { expect_all_placed<WeighedInPlace>(); }
TEST(Scan, places_items_apart_in_one_launch) { expect_all_placed<WeighedApart>(); }

}  // namespace
}  // namespace heddle::device
