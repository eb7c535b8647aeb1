// A stable sort on the device, digit by digit, the lowest one first. Three steps a digit:
//
//   count   a warp counts the digits of its piece of the items
//   scan    counters lie as [segment][digit][piece]: the sum of those before is where a piece's items of a digit go
//   move    the warp walks its piece again, 32 items at a time; those of equal digits keep their order
//
// Segments are sorted each for itself. Fewer than 2^32 items.
#pragma once

#include <algorithm>

#include "layout/device_scan.hpp"

namespace heddle::device {

inline constexpr int radix_threads = 128, radix_bits = 8;

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

  // Enough warps for a large GPU, and not more counters than needed.
  RadixPieces(const Segments& s, int digits_)
      : segments(s),
        pieces(1 + s.items / std::max<std::int64_t>(1, s.count) / std::clamp<std::int64_t>(s.items / 8192, 256, 2048)),
        digits(digits_) {}
  std::int64_t all() const { return segments.count * pieces; }
};

struct ItemCount {
  std::uint32_t items = 0;
  SIMT_BOTH void add(const ItemCount& other) { items += other.items; }
};
struct RadixCounters {
  using Sum = ItemCount;
  std::uint32_t* counters;

  SIMT_DEVICE ItemCount item(std::int64_t i) const { return {counters[i]}; }
  SIMT_DEVICE void place(std::int64_t i, const ItemCount& before) const { counters[i] = before.items; }
};

// The piece of a warp.
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

namespace {  // kernels: compiled for two devices under one name

template <class Items>
SIMT_KERNEL count_warp_per_piece(Items items, RadixPieces pieces, std::uint32_t* counters) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  if (number >= pieces.segments.count * pieces.pieces) return;
  const RadixPiece piece(pieces, number);
  std::uint32_t* mine = simt::shared<std::uint32_t>() + simt::warp() * (pieces.digits + 1);
  for (int d = simt::lane(); d < pieces.digits; d += simt::warp_size) mine[d] = 0;
  simt::sync_warp();
#pragma unroll 4
  for (std::int64_t i = piece.begin + simt::lane(); i < piece.end; i += simt::warp_size)
    simt::atomic_add(mine + items.digit(i), 1u);
  simt::sync_warp();
  for (int d = simt::lane(); d < pieces.digits; d += simt::warp_size)
    counters[piece.counter + d * pieces.pieces] = mine[d];
}

// A lane without an item has a digit of its own.
template <class Items>
SIMT_KERNEL move_warp_per_piece(Items items, RadixPieces pieces, const std::uint32_t* counters) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  if (number >= pieces.segments.count * pieces.pieces) return;
  const RadixPiece piece(pieces, number);
  std::uint32_t* next = simt::shared<std::uint32_t>() + simt::warp() * (pieces.digits + 1);
  for (int d = simt::lane(); d < pieces.digits; d += simt::warp_size)
    next[d] = counters[piece.counter + d * pieces.pieces];
  if (simt::lane() == 0) next[pieces.digits] = 0;
  simt::sync_warp();
  for (std::int64_t first = piece.begin; first < piece.end; first += simt::warp_size) {
    const std::int64_t i = first + simt::lane();
    const auto digit = i < piece.end ? items.digit(i) : static_cast<unsigned>(pieces.digits);
    const unsigned alike = simt::same_lanes(digit);
    const int before = simt::count_bits(alike & ((1u << simt::lane()) - 1));
    const std::uint32_t to = next[digit] + before;
    simt::sync_warp();
    if (before == 0) next[digit] += simt::count_bits(alike);
    simt::sync_warp();
    if (i < piece.end) items.move(i, to);
  }
}

}  // namespace

//   struct Items {
//     SIMT_DEVICE unsigned digit(std::int64_t i) const;                 // below `digits`
//     SIMT_DEVICE void move(std::int64_t i, std::int64_t to) const;
//   };
template <class Items>
void queue_sort_by_digit(simt::Here here, const Items& items, const Segments& segments, int digits, Workspace& memory) {
  const RadixPieces pieces(segments, digits);
  const std::int64_t count = pieces.all() * digits;
  auto* counters = memory.take<std::uint32_t>(count);
  constexpr int warps = radix_threads / simt::warp_size;
  const simt::Launch launch{simt::blocks_for(pieces.all(), warps), radix_threads,
                            sizeof(std::uint32_t) * warps * static_cast<std::size_t>(digits + 1)};
  simt::launch(here, launch, count_warp_per_piece<Items>, items, pieces, counters);
  queue_scan(here, RadixCounters{counters}, count, memory);
  simt::launch(here, launch, move_warp_per_piece<Items>, items, pieces, counters);
}

// Numbers of items in the order of their keys, and the keys in that order.
struct SortedItems {
  std::uint32_t* key;
  Index* item;
};

// The first digit: items are where they are.
template <class Keys>
struct FirstDigit {
  Keys keys;
  unsigned mask;
  SortedItems to;

  SIMT_DEVICE unsigned digit(std::int64_t i) const { return keys.key(i) & mask; }
  SIMT_DEVICE void move(std::int64_t i, std::int64_t place) const {
    to.key[place] = keys.key(i);
    to.item[place] = static_cast<Index>(i);
  }
};
struct NextDigit {
  SortedItems from;
  int shift;
  unsigned mask;
  SortedItems to;

  SIMT_DEVICE unsigned digit(std::int64_t i) const { return from.key[i] >> shift & mask; }
  SIMT_DEVICE void move(std::int64_t i, std::int64_t place) const {
    to.key[place] = from.key[i];
    to.item[place] = from.item[i];
  }
};

// struct Keys { SIMT_DEVICE std::uint32_t key(std::int64_t item) const; } with keys of `bits` bits; fewer than 2^31
// items.
template <class Keys>
SortedItems queue_sort(simt::Here here, const Keys& keys, int bits, const Segments& segments, Workspace& memory) {
  const int passes = std::max(1, (bits + radix_bits - 1) / radix_bits), of_pass = (bits + passes - 1) / passes;
  const unsigned mask = (1u << of_pass) - 1;
  const auto room = [&] {
    return SortedItems{memory.take<std::uint32_t>(segments.items), memory.take<Index>(segments.items)};
  };
  SortedItems now = room();
  queue_sort_by_digit(here, FirstDigit<Keys>{keys, mask, now}, segments, 1 << of_pass, memory);
  SortedItems other = passes > 1 ? room() : SortedItems{};
  for (int pass = 1; pass < passes; ++pass) {
    queue_sort_by_digit(here, NextDigit{now, pass * of_pass, mask, other}, segments, 1 << of_pass, memory);
    std::swap(now, other);
  }
  return now;
}

}  // namespace heddle::device
