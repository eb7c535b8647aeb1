// A sort of many small buckets of items, by key and then by the item itself (as 32 bits without sign), each in the
// shared memory of one block: items are read once and written once, where a sort through global memory
// (radix.hpp) does so for every digit.
//
//   load    up to 18 items a lane into registers
//   boxes   8,192 of them, by the upper bits of the key: every item asks for a seat in its box, in any order
//   order   a thread puts the few items of a box in order: the result is the same in any order
//   store   from shared memory, neighbours to neighbouring places
//
// Where a box has many items all of them are sorted digit by digit, of 10 bits, as radix.hpp does: stable, so
// that items have to ascend. (So for all of them: H200, 444 us for 16 M items in random columns.)
#pragma once

#include "simt/primitives/radix.hpp"

namespace heddle::device {

struct LocalSort {
  static constexpr int threads = 1024, warps = threads / simt::warp_size, items_of_lane = 18,
                       most_items = threads * items_of_lane, digit_bits = 10;
  static constexpr int box_bits = 13, boxes = 1 << box_bits, boxes_of_thread = boxes / threads, most_of_box = 24;
  static_assert(1 << digit_bits == threads && most_items < 1 << 16 && items_of_lane % 2 == 0);
};

struct LocalBoard {
  std::uint32_t key[LocalSort::most_items];
  Index item[LocalSort::most_items];
  union {
    std::uint16_t count[LocalSort::warps][1 << LocalSort::digit_bits];  // of a warp's items; then: of the warps before
    std::uint32_t box[LocalSort::boxes];                                // items of a box; then: its first place
  };
  std::uint32_t first[1 << LocalSort::digit_bits];  // place of a digit
  std::uint32_t of_warps[LocalSort::warps];
  std::uint32_t crowded;
};

// The items of a lane. All lanes have as many, so that no warp waits for those that have more to do (a mesh with 7,600
// items a bucket: thirteen warps of 32 had all of them).
struct LocalItems {
  int of_lane;
  std::uint32_t key[LocalSort::items_of_lane];
  Index item[LocalSort::items_of_lane];

  SIMT_DEVICE explicit LocalItems(int count) : of_lane((count + LocalSort::threads - 1) / LocalSort::threads) {}
  SIMT_DEVICE int number(int u) const { return (simt::warp() * of_lane + u) * simt::warp_size + simt::lane(); }
  // By the block, in and between barriers: items come to their places on the board.
  SIMT_DEVICE void sort_by(const RadixDigit& digit, int count, LocalBoard& board) const {
    std::uint32_t ranks[LocalSort::items_of_lane / 2] = {};  // two in a register
    std::uint16_t* counts = board.count[simt::warp()];
    for (int d = simt::lane(); d < 1 << LocalSort::digit_bits; d += simt::warp_size) counts[d] = 0;
    simt::sync_warp();
#pragma unroll
    for (int u = 0; u < LocalSort::items_of_lane; ++u) {
      if (u >= of_lane) break;
      const bool there = number(u) < count;
      const int d = digit.of(key[u]);
      const unsigned alike =
          simt::same_lanes_below(LocalSort::digit_bits, static_cast<unsigned>(d)) & simt::ballot(there);
      const int before = simt::count_bits(alike & ((1u << simt::lane()) - 1));
      const int counted = counts[d];
      simt::sync_warp();
      if (there && before == 0) counts[d] = static_cast<std::uint16_t>(counted + simt::count_bits(alike));
      simt::sync_warp();
      ranks[u / 2] |= static_cast<std::uint32_t>(counted + before) << u % 2 * 16;
    }
    simt::sync_block();
    std::uint32_t of_digit = 0;
    for (int w = 0; w < LocalSort::warps; ++w) {
      const std::uint32_t of_warp = board.count[w][simt::thread()];
      board.count[w][simt::thread()] = static_cast<std::uint16_t>(of_digit);
      of_digit += of_warp;
    }
    board.first[simt::thread()] = sum_of_lower_threads(of_digit, board.of_warps);
    simt::sync_block();
#pragma unroll
    for (int u = 0; u < LocalSort::items_of_lane; ++u) {
      if (u >= of_lane) break;
      if (number(u) >= count) continue;
      const int d = digit.of(key[u]);
      const std::uint32_t place = board.first[d] + counts[d] + (ranks[u / 2] >> u % 2 * 16 & 0xffffu);
      board.key[place] = key[u];
      board.item[place] = item[u];
    }
    simt::sync_block();
  }
  // By the block, as above. False: some box has too many items, and nothing was done.
  SIMT_DEVICE bool sort_by_boxes(const KeyBits& bits, int count, LocalBoard& board) const {
    const int shift = bits.lowest + (bits.count > LocalSort::box_bits ? bits.count - LocalSort::box_bits : 0);
    const auto box_of = [&](std::uint32_t k) { return static_cast<int>(k >> shift) & (LocalSort::boxes - 1); };
    for (int b = simt::thread(); b < LocalSort::boxes; b += LocalSort::threads) board.box[b] = 0;
    if (simt::thread() == 0) board.crowded = 0;
    simt::sync_block();
    std::uint32_t seats[LocalSort::items_of_lane / 2] = {};  // two in a register
#pragma unroll
    for (int u = 0; u < LocalSort::items_of_lane; ++u) {
      if (u >= of_lane) break;
      if (number(u) < count) seats[u / 2] |= simt::atomic_add(&board.box[box_of(key[u])], 1u) << u % 2 * 16;
    }
    simt::sync_block();
    std::uint32_t of_box[LocalSort::boxes_of_thread], all = 0;
    bool crowded = false;
#pragma unroll
    for (int i = 0; i < LocalSort::boxes_of_thread; ++i) {
      of_box[i] = board.box[simt::thread() * LocalSort::boxes_of_thread + i];
      all += of_box[i];
      crowded |= of_box[i] > LocalSort::most_of_box;
    }
    if (crowded) board.crowded = 1;
    std::uint32_t begin = sum_of_lower_threads(all, board.of_warps);
    if (board.crowded != 0) return false;
#pragma unroll
    for (int i = 0; i < LocalSort::boxes_of_thread; ++i) {
      board.box[simt::thread() * LocalSort::boxes_of_thread + i] = begin;
      begin += of_box[i];
    }
    simt::sync_block();
#pragma unroll
    for (int u = 0; u < LocalSort::items_of_lane; ++u) {
      if (u >= of_lane) break;
      if (number(u) >= count) continue;
      const std::uint32_t place = board.box[box_of(key[u])] + (seats[u / 2] >> u % 2 * 16 & 0xffffu);
      board.key[place] = key[u];
      board.item[place] = item[u];
    }
    simt::sync_block();
    const auto end_of = [&](int b) {
      return b + 1 < LocalSort::boxes ? board.box[b + 1] : static_cast<unsigned>(count);
    };
    for (int b = simt::thread(); b < LocalSort::boxes; b += LocalSort::threads)
      order_box(board, board.box[b], end_of(b));
    simt::sync_block();
    return true;
  }
  // By a thread.
  SIMT_DEVICE static void order_box(LocalBoard& board, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin + 1; i < end; ++i) {
      const std::uint32_t its_key = board.key[i];
      const Index its_item = board.item[i];
      std::uint32_t to = i;
      for (; to > begin; --to) {
        const std::uint32_t left = board.key[to - 1];
        const bool lower_item = static_cast<std::uint32_t>(board.item[to - 1]) < static_cast<std::uint32_t>(its_item);
        if (left < its_key || (left == its_key && lower_item)) break;
        board.key[to] = left;
        board.item[to] = board.item[to - 1];
      }
      board.key[to] = its_key;
      board.item[to] = its_item;
    }
  }
  SIMT_DEVICE void take_from(const LocalBoard& board, int count) {
#pragma unroll
    for (int u = 0; u < LocalSort::items_of_lane; ++u) {
      if (u >= of_lane) break;
      const int i = number(u) < count ? number(u) : count - 1;
      key[u] = board.key[i];
      item[u] = board.item[i];
    }
    simt::sync_block();  // the board may be written again
  }
};

namespace {  // kernels: compiled for two devices under one name

//   struct Buckets {
//     SIMT_DEVICE std::int64_t begin(std::int64_t bucket) const, end(std::int64_t bucket) const;  // most_items at most
//     // `room`: a word of shared memory for each item. By the block, which waits for it.
//     SIMT_DEVICE void prepare(std::int64_t bucket, std::uint32_t* room) const;
//     SIMT_DEVICE std::uint32_t key(std::int64_t i) const;
//     SIMT_DEVICE Index item(std::int64_t i, std::int64_t begin, const std::uint32_t* room) const;
//   };
//   target(place, key, item) for every item, when its place is known.
template <class Buckets, class Target>
SIMT_BOUNDED_KERNEL(LocalSort::threads, 1)
sort_block_per_bucket(Buckets buckets, KeyBits bits, Target target) {
  LocalBoard& board = *simt::shared<LocalBoard>();
  const std::int64_t begin = buckets.begin(simt::block());
  const int count = static_cast<int>(buckets.end(simt::block()) - begin);
  if (count == 0) return;
  buckets.prepare(simt::block(), board.key);
  simt::sync_block();
  LocalItems mine(count);
#pragma unroll
  for (int u = 0; u < LocalSort::items_of_lane; ++u) {
    if (u >= mine.of_lane) break;
    const std::int64_t i = begin + (mine.number(u) < count ? mine.number(u) : count - 1);
    mine.key[u] = buckets.key(i);
    mine.item[u] = buckets.item(i, begin, board.key);
  }
  simt::sync_block();
  const bool in_boxes = mine.sort_by_boxes(bits, count, board);
  const int passes = in_boxes ? 0 : (bits.count + LocalSort::digit_bits - 1) / LocalSort::digit_bits,
            of_pass = in_boxes ? 0 : (bits.count + passes - 1) / passes;
  for (int pass = 0; pass < passes; ++pass) {
    if (pass > 0) mine.take_from(board, count);
    mine.sort_by({bits.lowest + pass * of_pass, 1 << of_pass}, count, board);
  }
#pragma unroll 4
  for (int i = simt::thread(); i < count; i += LocalSort::threads) target(begin + i, board.key[i], board.item[i]);
}

}  // namespace

// A bit at least is sorted by.
template <class Buckets, class Target>
void queue_local_sort(simt::Here here, const Buckets& buckets, std::int64_t count, const KeyBits& bits,
                      const Target& target) {
  simt::launch(here, {count, LocalSort::threads, sizeof(LocalBoard)}, sort_block_per_bucket<Buckets, Target>, buckets,
               bits, target);
}

}  // namespace heddle::device
