// A stable sort on the device, digit by digit, the lowest one first. Three steps a digit:
//
//   count   a block counts the digits of its piece of the items
//   scan    counters lie as [segment][digit][piece]: the sum of those before is where a piece's items of a digit go;
//           many segments each for itself, in one launch
//   move    the block takes 4,096 items of its piece at a time, orders them by digit in shared memory, and writes them
//           from there: neighbours of one digit to neighbouring places. (Written one by one from where they were, every
//           sector of the target was open at the same time, and went to memory and back once for each item.)
//
// Segments are sorted each for itself. Fewer than 2^31 items.
#pragma once

#include <algorithm>

#include "simt/primitives/scan.hpp"

namespace heddle::device {

inline constexpr int radix_threads = 256, radix_bits = 8;
inline constexpr int radix_warps = radix_threads / simt::warp_size, radix_items_of_lane = 16,
                     radix_tile = radix_threads * radix_items_of_lane;
static_assert(1 << radix_bits <= radix_threads);

// Segment s has the entries of rows s * rows .. (s + 1) * rows - 1; or there is one segment of all items.
struct Segments {
  std::int64_t items = 0, count = 1;
  const Offset* ptr = nullptr;
  std::int64_t rows = 0;

  SIMT_DEVICE std::int64_t begin(std::int64_t s) const { return s == 0 ? 0 : s >= count ? items : ptr[s * rows]; }
};

struct RadixPieces {
  Segments segments;
  std::int64_t pieces;  // of a segment
  int digits;

  // Most of them less than a tile.
  RadixPieces(const Segments& s, int digits_)
      : segments(s), pieces(1 + s.items / std::max<std::int64_t>(1, s.count) * 8 / (7 * radix_tile)), digits(digits_) {}
  std::int64_t all() const { return segments.count * pieces; }
};

struct ItemCount {
  std::uint32_t items = 0;
  SIMT_BOTH void add(const ItemCount& other) { items += other.items; }
};
struct RadixCounters {
  using Sum = ItemCount;
  static constexpr bool placed_apart = true;
  const std::uint32_t* counted;
  std::uint32_t* begin;

  SIMT_DEVICE ItemCount item(std::int64_t i) const { return {counted[i]}; }
  SIMT_DEVICE void place(std::int64_t i, const ItemCount& before) const { begin[i] = before.items; }
};

// The piece of a block.
struct RadixPiece {
  std::int64_t segment, begin, end;
  std::int64_t counter;  // of digit 0; those of the next digits lie `pieces` apart

  SIMT_DEVICE RadixPiece(const RadixPieces& of, std::int64_t number) {
    segment = number / of.pieces;
    const std::int64_t piece = number % of.pieces, first = of.segments.begin(segment),
                       items = of.segments.begin(segment + 1) - first;
    begin = first + items * piece / of.pieces;
    end = first + items * (piece + 1) / of.pieces;
    counter = segment * of.digits * of.pieces + piece;
  }
};

// Numbers of items in the order of their keys, and the keys in that order.
struct SortedItems {
  std::uint32_t* key;
  Index* item;
};
// Where the items of each digit begin.
struct DigitBegins {
  const std::uint32_t* of_first_piece = nullptr;  // null: unknown
  std::int64_t pieces = 0;

  SIMT_DEVICE std::uint32_t operator[](std::int64_t digit) const { return of_first_piece[digit * pieces]; }
};
// Known where one digit was enough for one segment.
struct SortedByDigit : SortedItems {
  DigitBegins begins;
};
struct MovedItems {
  SortedItems from;

  SIMT_DEVICE std::uint32_t key(std::int64_t i) const { return from.key[i]; }
  SIMT_DEVICE std::uint32_t first_key(std::int64_t i) const { return key(i); }
  SIMT_DEVICE Index item(std::int64_t i) const { return from.item[i]; }
};

// The first digit: items are where they are, and are called by their numbers unless keys know another name. Keys may
// note down what they find out for who asks again.
template <class Keys>
struct UnsortedItems {
  Keys keys;

  SIMT_DEVICE std::uint32_t key(std::int64_t i) const { return keys.key(i); }
  SIMT_DEVICE std::uint32_t first_key(std::int64_t i) const {
    if constexpr (requires { keys.first_key(i); })
      return keys.first_key(i);
    else
      return keys.key(i);
  }
  SIMT_DEVICE Index item(std::int64_t i) const {
    if constexpr (requires { keys.name(i); })
      return keys.name(i);
    else
      return static_cast<Index>(i);
  }
};

struct RadixDigit {
  int shift, digits;  // a power of two of them

  SIMT_DEVICE int of(std::uint32_t key) const { return static_cast<int>(key >> shift) & (digits - 1); }
};

// Shared memory of a block that moves items.
struct RadixBoard {
  std::uint32_t key[radix_tile];
  Index item[radix_tile];
  std::uint32_t count[radix_warps][1 << radix_bits];  // of a warp's items; then: how many the warps before have
  std::uint32_t first[1 << radix_bits], next[1 << radix_bits];  // place of a digit on the board, and in the target
  std::uint32_t of_warps[radix_warps];
};

// The sum of what the threads before this one brought. The block calls it together.
SIMT_DEVICE std::uint32_t sum_of_lower_threads(std::uint32_t mine, std::uint32_t* of_warps) {
  std::uint32_t upto = mine;
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    const std::uint32_t lower = simt::shuffle_up(upto, distance);
    if (simt::lane() >= distance) upto += lower;
  }
  if (simt::lane() == simt::warp_size - 1) of_warps[simt::warp()] = upto;
  simt::sync_block();
  for (int w = 0; w < simt::warp(); ++w) upto += of_warps[w];
  return upto - mine;
}

// The items of a lane.
struct LaneItems {
  std::uint32_t key[radix_items_of_lane];
  Index item[radix_items_of_lane];
  std::uint16_t rank[radix_items_of_lane];  // among the warp's items of its digit

  SIMT_DEVICE static int number(int u) {
    return (simt::warp() * radix_items_of_lane + u) * simt::warp_size + simt::lane();
  }
  // Behind the end the last one again, so that no load waits for another.
  template <class Items>
  SIMT_DEVICE void load(const Items& items, std::int64_t begin, int count) {
#pragma unroll
    for (int u = 0; u < radix_items_of_lane; ++u) {
      const int i = number(u) < count ? number(u) : count - 1;
      key[u] = items.key(begin + i);
      item[u] = items.item(begin + i);
    }
  }
  SIMT_DEVICE void rank_in_warp(const RadixDigit& digit, int count, std::uint32_t* counts) {
    for (int d = simt::lane(); d < digit.digits; d += simt::warp_size) counts[d] = 0;
    simt::sync_warp();
#pragma unroll
    for (int u = 0; u < radix_items_of_lane; ++u) {
      const bool there = number(u) < count;
      const int d = digit.of(key[u]);
      const unsigned alike = simt::same_lanes_below(radix_bits, static_cast<unsigned>(d)) & simt::ballot(there);
      const int before = simt::count_bits(alike & ((1u << simt::lane()) - 1));
      const std::uint32_t counted = counts[d];
      simt::sync_warp();
      if (there && before == 0) counts[d] = counted + simt::count_bits(alike);
      simt::sync_warp();
      rank[u] = static_cast<std::uint16_t>(counted + before);
    }
  }
  SIMT_DEVICE void put(const RadixDigit& digit, int count, RadixBoard& board) const {
#pragma unroll
    for (int u = 0; u < radix_items_of_lane; ++u) {
      if (number(u) >= count) continue;
      const int d = digit.of(key[u]);
      const std::uint32_t place = board.first[d] + board.count[simt::warp()][d] + rank[u];
      board.key[place] = key[u];
      board.item[place] = item[u];
    }
  }
};

// Where each digit begins on the board, and of a digit's items those of each warp. A thread a digit; gives how many of
// it there are.
SIMT_DEVICE std::uint32_t place_digits(RadixBoard& board, bool has_digit) {
  std::uint32_t of_digit = 0;
  if (has_digit)
    for (int w = 0; w < radix_warps; ++w) {
      const std::uint32_t of_warp = board.count[w][simt::thread()];
      board.count[w][simt::thread()] = of_digit;
      of_digit += of_warp;
    }
  const std::uint32_t lower = sum_of_lower_threads(of_digit, board.of_warps);
  if (has_digit) board.first[simt::thread()] = lower;
  return of_digit;
}

// What else goes where an item goes: nothing.
struct ItemsAlone {
  SIMT_DEVICE void operator()(std::uint32_t, Index) const {}
};
// Or for each item where it goes.
struct PlacesOfItems {
  Index* of_item;
  SIMT_DEVICE void operator()(std::uint32_t place, Index item) const { of_item[item] = static_cast<Index>(place); }
};

template <class Also>
SIMT_DEVICE void write_out(const RadixBoard& board, const RadixDigit& digit, int count, const SortedItems& to,
                           const Also& also) {
#pragma unroll 4
  for (int i = simt::thread(); i < count; i += radix_threads) {
    const int d = digit.of(board.key[i]);
    const std::uint32_t place = board.next[d] + (static_cast<std::uint32_t>(i) - board.first[d]);
    to.key[place] = board.key[i];
    to.item[place] = board.item[i];
    also(place, board.item[i]);
  }
}

namespace {  // kernels: compiled for two devices under one name

template <class Items>
SIMT_KERNEL count_block_per_piece(Items items, RadixPieces pieces, RadixDigit digit, std::uint32_t* counters) {
  const RadixPiece piece(pieces, simt::block());
  auto* counts = simt::shared<std::uint32_t>();
  if (simt::thread() < digit.digits) counts[simt::thread()] = 0;
  simt::sync_block();
  constexpr int at_once = 8;
  for (std::int64_t first = piece.begin + simt::thread(); first < piece.end; first += at_once * radix_threads) {
    std::uint32_t key[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const std::int64_t i = first + u * radix_threads;
      key[u] = items.first_key(i < piece.end ? i : piece.end - 1);
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u)
      if (first + u * radix_threads < piece.end) simt::atomic_add(counts + digit.of(key[u]), 1u);
  }
  simt::sync_block();
  if (simt::thread() < digit.digits) counters[piece.counter + simt::thread() * pieces.pieces] = counts[simt::thread()];
}

// The counters of a segment, by a block: where the segment begins is known without the others.
SIMT_KERNEL scan_block_per_segment(RadixPieces pieces, RadixCounters counters) {
  const std::int64_t segment = simt::block(), count = pieces.digits * pieces.pieces;
  const RadixCounters items{counters.counted + segment * count, counters.begin + segment * count};
  ItemCount before{static_cast<std::uint32_t>(pieces.segments.begin(segment))};
  for (std::int64_t begin = 0; begin < count; begin += scan_tile) {
    const std::int64_t first = begin + std::int64_t{simt::thread()} * scan_items_of_thread;
    ItemCount total, sum = before;
    sum.add(block_scan(sum_of_thread(items, first, count), simt::shared<ItemCount>(), total));
    for (std::int64_t i = first; i < first + scan_items_of_thread && i < count; ++i) {
      const ItemCount own = items.item(i);
      items.place(i, sum);
      sum.add(own);
    }
    before.add(total);
  }
}

// Warps have their items one after the other, and so do the rounds of a warp: items of equal digits keep their order.
template <class Items, class Also>
SIMT_BOUNDED_KERNEL(radix_threads, 3)
move_block_per_piece(Items items, RadixPieces pieces, RadixDigit digit, const std::uint32_t* counters, SortedItems to,
                     Also also) {
  const RadixPiece piece(pieces, simt::block());
  RadixBoard& board = *simt::shared<RadixBoard>();
  const bool has_digit = simt::thread() < digit.digits;
  if (has_digit) board.next[simt::thread()] = counters[piece.counter + simt::thread() * pieces.pieces];
  for (std::int64_t begin = piece.begin; begin < piece.end; begin += radix_tile) {
    const int count = piece.end - begin < radix_tile ? static_cast<int>(piece.end - begin) : radix_tile;
    LaneItems mine;
    mine.load(items, begin, count);
    mine.rank_in_warp(digit, count, board.count[simt::warp()]);
    simt::sync_block();
    const std::uint32_t of_digit = place_digits(board, has_digit);
    simt::sync_block();
    mine.put(digit, count, board);
    simt::sync_block();
    write_out(board, digit, count, to, also);
    simt::sync_block();
    if (has_digit) board.next[simt::thread()] += of_digit;
  }
}

}  // namespace

//   struct Items {
//     SIMT_DEVICE std::uint32_t key(std::int64_t i) const;
//     SIMT_DEVICE std::uint32_t first_key(std::int64_t i) const;  // the same; asked for every item before `key` is
//     SIMT_DEVICE Index item(std::int64_t i) const;
//   };
// Gives where the items of each segment, digit and piece begin.
template <class Items, class Also>
const std::uint32_t* queue_sort_by_digit(simt::Here here, const Items& items, const Segments& segments,
                                         const RadixDigit& digit, const SortedItems& to, Workspace& memory,
                                         const Also& also) {
  const RadixPieces pieces(segments, digit.digits);
  const std::int64_t count = pieces.all() * digit.digits;
  auto* counted = memory.take<std::uint32_t>(count);
  auto* begins = memory.take<std::uint32_t>(count);
  simt::launch(here, {pieces.all(), radix_threads, sizeof(std::uint32_t) * static_cast<std::size_t>(digit.digits)},
               count_block_per_piece<Items>, items, pieces, digit, counted);
  constexpr std::int64_t many_segments = 64;
  if (segments.count >= many_segments)
    simt::launch(here, {segments.count, scan_threads, scan_threads * sizeof(ItemCount)}, scan_block_per_segment, pieces,
                 RadixCounters{counted, begins});
  else
    queue_scan(here, RadixCounters{counted, begins}, count, memory);
  simt::launch(here, {pieces.all(), radix_threads, sizeof(RadixBoard)}, move_block_per_piece<Items, Also>, items,
               pieces, digit, begins, to, also);
  return begins;
}

// The bits of keys that are sorted by.
struct KeyBits {
  int count, lowest = 0;
};

// struct Keys { SIMT_DEVICE std::uint32_t key(std::int64_t item) const; }; fewer than 2^31 items. With
// `Index name(std::int64_t item) const` the names are what comes out instead of the numbers.
// also(place, item): for every item, when its last place is known. Where one digit is enough, a block does so for items
// that lie together.
template <class Keys, class Also = ItemsAlone>
SortedByDigit queue_sort(simt::Here here, const Keys& keys, const KeyBits& bits, const Segments& segments,
                         Workspace& memory, const Also& also = {}) {
  const int passes = std::max(1, (bits.count + radix_bits - 1) / radix_bits),
            of_pass = (bits.count + passes - 1) / passes;
  const auto room = [&] {
    return SortedItems{memory.take<std::uint32_t>(segments.items), memory.take<Index>(segments.items)};
  };
  const auto sort = [&](const auto& items, int pass, const SortedItems& to) {
    const RadixDigit digit{bits.lowest + pass * of_pass, 1 << of_pass};
    return pass < passes - 1 ? queue_sort_by_digit(here, items, segments, digit, to, memory, ItemsAlone{})
                             : queue_sort_by_digit(here, items, segments, digit, to, memory, also);
  };
  SortedItems now = room();
  const std::uint32_t* counters = sort(UnsortedItems<Keys>{keys}, 0, now);
  SortedItems other = passes > 1 ? room() : SortedItems{};
  for (int pass = 1; pass < passes; ++pass) {
    sort(MovedItems{now}, pass, other);
    std::swap(now, other);
  }
  if (passes > 1 || segments.count > 1) return {now, {}};
  return {now, {counters, RadixPieces(segments, 1 << of_pass).pieces}};
}

}  // namespace heddle::device
