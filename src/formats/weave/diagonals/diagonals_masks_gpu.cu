// Masks are numbered in the order in which patterns name them, as the host does: every mask is entered into a table of
// hashes, asks for the first one that is like it, and a scan numbers those.
#include "formats/weave/diagonals/diagonals_found.hpp"
#include "formats/weave/diagonals/hash_table.hpp"
#include "simt/primitives/scan.hpp"

namespace heddle::weave {

namespace {

constexpr int threads = 256;

simt::Launch thread_per(std::int64_t items) { return {simt::blocks_for(items, threads), threads}; }

// Mask 0 is that of all rows, whether a pattern has it or not; those of diagonals follow.
template <class V>
struct NamedMasks {
  const FoundDiagonal<V>* diagonal;
  std::int64_t count;

  SIMT_DEVICE RowMask at(std::int64_t i) const {
    if (i > 0) return diagonal[i - 1].rows;
    return {{~0u, ~0u, ~0u, ~0u}};
  }
  SIMT_DEVICE std::uint64_t hash(std::int64_t i) const {
    const RowMask mask = at(i);
    std::uint64_t h = (std::uint64_t{mask.word[0]} << 32 | mask.word[1]) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29 ^ (std::uint64_t{mask.word[2]} << 32 | mask.word[3])) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 32) * 0x94d049bb133111ebu;
    return (h ^ h >> 31) | 1;
  }
};

SIMT_KERNEL clear_thread_per_word(std::uint64_t* words, std::int64_t count) {
  if (simt::global_thread() < count) words[simt::global_thread()] = 0;
}
template <class V>
SIMT_KERNEL enter_thread_per_mask(NamedMasks<V> masks, HashTable table) {
  const std::int64_t i = simt::global_thread();
  if (i < masks.count) table.enter(masks.hash(i), i);
}
template <class V>
SIMT_KERNEL ask_thread_per_mask(NamedMasks<V> masks, HashTable table, Index* first) {
  const std::int64_t i = simt::global_thread();
  if (i < masks.count) first[i] = static_cast<Index>(table.first_with(masks.hash(i)));
}

struct MaskSums {
  Index distinct = 0, wrong = 0;  // wrong: others with the same hash

  SIMT_BOTH void add(const MaskSums& other) {
    distinct += other.distinct;
    wrong |= other.wrong;
  }
};
template <class V>
struct MaskItems {
  using Sum = MaskSums;
  NamedMasks<V> masks;
  const Index* first;
  Index* number;  // of those that are the first

  SIMT_DEVICE MaskSums item(std::int64_t i) const {
    if (first[i] == i) return {1, 0};
    const RowMask mine = masks.at(i), theirs = masks.at(first[i]);
    bool same = true;
    for (int j = 0; j < rows_per_lane; ++j) same &= mine.word[j] == theirs.word[j];
    return {0, same ? 0 : 1};
  }
  SIMT_DEVICE void place(std::int64_t i, const MaskSums& before) const { number[i] = before.distinct; }
};

template <class V>
SIMT_KERNEL write_thread_per_mask(NamedMasks<V> masks, const Index* first, const Index* number, Diagonal* pattern,
                                  RowMask* to) {
  const std::int64_t i = simt::global_thread();
  if (i >= masks.count) return;
  if (first[i] == i) to[number[i]] = masks.at(i);
  if (i > 0) pattern[i - 1] = {masks.diagonal[i - 1].offset, number[first[i]]};
}

}  // namespace

template <class V>
std::optional<DiagonalPatterns> number_masks(simt::Here here, const FoundDiagonal<V>* diagonals, std::int64_t count,
                                             Device device) {
  device::Workspace memory(device);
  const NamedMasks<V> masks{diagonals, count + 1};
  const std::int64_t places = HashTable::places_for(masks.count);
  auto* words = memory.take<std::uint64_t>(2 * places);
  auto* first = memory.take<Index>(masks.count);
  auto* number = memory.take<Index>(masks.count);
  const HashTable table = HashTable::in(words, places);
  simt::launch(here, thread_per(2 * places), clear_thread_per_word, words, 2 * places);
  simt::launch(here, thread_per(masks.count), enter_thread_per_mask<V>, masks, table);
  simt::launch(here, thread_per(masks.count), ask_thread_per_mask<V>, masks, table, first);
  const MaskSums total = device::scan(here, MaskItems<V>{masks, first, number}, masks.count, memory);
  if (total.wrong != 0) return {};
  DiagonalPatterns made{Buffer<Diagonal>(count, device), Buffer<RowMask>(total.distinct, device)};
  simt::launch(here, thread_per(masks.count), write_thread_per_mask<V>, masks, first, number, made.pattern.data(),
               made.masks.data());
  return made;
}

template std::optional<DiagonalPatterns> number_masks(simt::Here, const FoundDiagonal<float>*, std::int64_t, Device);
template std::optional<DiagonalPatterns> number_masks(simt::Here, const FoundDiagonal<double>*, std::int64_t, Device);

}  // namespace heddle::weave
