#include <algorithm>

#include "codec/value_codec.hpp"
#include "codec/value_table.hpp"

namespace heddle {

namespace {

constexpr int table_threads = 256;
constexpr std::int64_t most_blocks = 792;

// Different bits, but for those of +0, by open addressing. Four slots for each of the `most` values it is for; once
// there are more, all threads stop.
template <class Bits, class Counts>
struct BitSet {
  Bits* slot;
  std::uint32_t slots, most;  // powers of two
  Counts* counts;

  SIMT_DEVICE bool overfull() const { return simt::uncached_load(&counts->distinct) > most; }
  SIMT_DEVICE void enter(Bits bits) const {
    if (bits == 0) {
      if (simt::uncached_load(&counts->has_zero) == 0) simt::atomic_or(&counts->has_zero, 1u);
      return;
    }
    for (auto at = value_slot(bits, slots);; at = (at + 1) & (slots - 1)) {
      Bits there = simt::uncached_load(slot + at);
      if (there == 0) there = simt::atomic_claim(slot + at, bits);
      if (there == 0) simt::atomic_add(&counts->distinct, 1u);
      if (there == 0 || there == bits || overfull()) return;
    }
  }
};

template <class Bits, class Counts>
SIMT_KERNEL clear_thread_per_slot(BitSet<Bits, Counts> set) {
  const std::int64_t i = simt::global_thread();
  if (i < set.slots) set.slot[i] = 0;
  if (i == 0) *set.counts = {};
}

// Values 0, step, 2 step, ..
template <class V, class Bits, class Counts>
SIMT_KERNEL enter_values(const V* val, std::int64_t size, std::int64_t step, BitSet<Bits, Counts> set) {
  constexpr int between_looks = 16;
  const std::int64_t stride = step * simt::grid_blocks() * simt::block_threads();
  int entered = 0;
  for (std::int64_t i = step * simt::global_thread(); i < size; i += stride) {
    if (entered++ % between_looks == 0 && set.overfull()) return;
    set.enter(value_bits(simt::stream_load(val + i)));
  }
}

// A set of few in shared memory.
template <class Bits>
struct NearSet {
  static constexpr std::uint32_t slots = 4 * dictionary_size;
  Bits slot[slots];
  std::uint32_t distinct;

  SIMT_DEVICE void copy(const Bits* from) {
    for (int i = simt::thread(); i < static_cast<int>(slots); i += table_threads)
      slot[i] = simt::uncached_load(from + i);
  }
  SIMT_DEVICE bool has(Bits bits) const {
    auto at = value_slot(bits, slots);
    while (slot[at] != 0 && slot[at] != bits) at = (at + 1) & (slots - 1);
    return slot[at] == bits;
  }
  // Between two waits of the block: no thread reads meanwhile. Some slot is free (begin_set_by_one_block).
  SIMT_DEVICE void enter(Bits bits) {
    for (auto at = value_slot(bits, slots);; at = (at + 1) & (slots - 1)) {
      const Bits there = simt::atomic_claim(slot + at, bits);
      if (there == 0) simt::atomic_add(&distinct, 1u);
      if (there == 0 || there == bits) return;
    }
  }
};

// A set of few begins with what one block finds at places from all over. It looks first and enters only what is not
// there yet, a few values in the first round and more in those that follow: else threads would wait for each other at
// the slots of frequent values. Places are those of samples: at equal distances the values of a grid come again and
// again. Values lie in shared memory until their round: code for each round of its own would come from memory as slowly
// as they do.
constexpr int begin_threads = 512, begin_rounds = 8;
// In a round after which the set is overfull every thread may have entered a value; there is none after it.
static_assert(dictionary_size + begin_threads < static_cast<int>(NearSet<std::uint64_t>::slots));

template <class Bits>
struct BeginBoard {
  NearSet<Bits> near;
  Bits value[begin_threads * begin_rounds];
};

template <class V, class Bits, class Counts>
SIMT_KERNEL begin_set_by_one_block(const V* val, std::int64_t size, BitSet<Bits, Counts> set) {
  simt::let_next_start();
  auto& board = *simt::shared<BeginBoard<Bits>>();
  NearSet<Bits>& near = board.near;
#pragma unroll
  for (int r = 0; r < begin_rounds; ++r) {
    const int mine = r * begin_threads + simt::thread();
    board.value[mine] = mine < size ? value_bits(simt::stream_load(val + place_of_sample(mine, size))) : 0;
  }
  for (int i = simt::thread(); i < static_cast<int>(near.slots); i += begin_threads) near.slot[i] = 0;
  if (simt::thread() == 0) near.distinct = 0;
  simt::sync_block();
#pragma unroll 1
  for (int r = -1; r < begin_rounds; ++r) {  // in round -1 the first warp has those of round 0
    const Bits mine = board.value[(r < 0 ? 0 : r) * begin_threads + simt::thread()];
    const bool takes_part = r >= 0 || simt::warp() == 0;
    const bool is_new = takes_part && mine != 0 && near.distinct <= dictionary_size && !near.has(mine);
    simt::sync_block();
    if (is_new) near.enter(mine);
    simt::sync_block();
  }
  for (int i = simt::thread(); i < static_cast<int>(near.slots); i += begin_threads) set.slot[i] = near.slot[i];
  if (simt::thread() == 0) *set.counts = {near.distinct, 0};
}

// Most values are there already: a block copies the set into its shared memory, where mostly it finds the values of the
// matrix; the others go to the set of all. (Where each block filled a set of its own as it went, threads waited for
// each other at the slots of frequent values: 69 us of 2.5 M doubles; H200.)
template <class V, class Bits, class Counts>
SIMT_KERNEL enter_other_values(const V* val, std::int64_t size, BitSet<Bits, Counts> set) {
  auto& near = *simt::shared<NearSet<Bits>>();
  bool few = !set.overfull();
  near.copy(set.slot);
  simt::sync_block();
  const std::int64_t stride = simt::grid_blocks() * table_threads;
  constexpr int at_once = 4;
  bool zero = false;
  Bits last = 0;
  for (std::int64_t i = simt::global_thread(); few && i < size; i += at_once * stride) {
    Bits bits[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u)
      bits[u] = value_bits(simt::stream_load(val + (i + u * stride < size ? i + u * stride : i)));
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      zero |= bits[u] == 0;
      if (bits[u] == 0 || bits[u] == last || near.has(bits[u])) continue;
      last = bits[u];
      set.enter(last);
      few = few && !set.overfull();
    }
  }
  const bool any_zero = simt::any(zero);
  if (any_zero && simt::lane() == 0) set.enter(0);
  if (simt::global_thread() == 0) simt::wait_for_earlier();  // so that this grid ends behind it
}

template <class Counts>
SIMT_KERNEL tell_counts(const Counts* found, Counts* told) {
  if (simt::global_thread() == 0) *told = *found;
}

// The table of a small set, by one block, unless values are too many. Of none there is one, +0.
template <class V, class Bits, class Counts>
SIMT_KERNEL make_small_table(BitSet<Bits, Counts> set, V* table, std::uint16_t* code, Counts* told) {
  struct Board {
    Bits value[dictionary_size], highest;
    std::uint16_t slot[dictionary_size];
    std::uint32_t count;
  };
  auto& board = *simt::shared<Board>();
  const Counts found = *set.counts;
  if (simt::thread() == 0) {
    *told = found;
    board.count = found.has_zero;
    board.value[0] = 0;  // the lowest, where it is one of them
  }
  if (found.distinct + found.has_zero > dictionary_size) return;
  simt::sync_block();
  for (int i = simt::thread(); i < static_cast<int>(set.slots); i += table_threads) {
    if (set.slot[i] == 0) continue;
    const std::uint32_t at = simt::atomic_add(&board.count, 1u);
    board.value[at] = set.slot[i];
    board.slot[at] = static_cast<std::uint16_t>(i);
  }
  simt::sync_block();
  const int mine = simt::thread(), count = board.count > 0 ? static_cast<int>(board.count) : 1;
  const Bits bits = board.value[mine < count ? mine : 0];
  int rank = 0;
#pragma unroll 8
  for (int i = 0; i < count; ++i) rank += board.value[i] < bits ? 1 : 0;
  if (mine < count && rank == count - 1) board.highest = bits;
  simt::sync_block();
  if (mine < count && bits != 0) code[board.slot[mine]] = static_cast<std::uint16_t>(rank);
  const Bits stored = mine < count ? bits : board.highest;
  memcpy(table + (mine < count ? rank : mine), &stored, sizeof stored);
}
static_assert(table_threads == dictionary_size);

// What is made of the set: its values one behind the other, the rank of each, and the highest one.
template <class Bits>
struct Listed {
  Bits* value;
  std::uint32_t *slot, *rank, *count;
  Bits* highest;
};

// Empty to begin with.
template <class Bits>
SIMT_KERNEL clear_thread_per_value(Listed<Bits> list, std::int64_t values) {
  const std::int64_t i = simt::global_thread();
  if (i < values) list.rank[i] = 0;
  if (i == 0) *list.count = 0, *list.highest = 0;
}

template <class Bits, class Counts>
SIMT_KERNEL list_thread_per_slot(BitSet<Bits, Counts> set, Listed<Bits> list) {
  const std::int64_t i = simt::global_thread();
  const bool zero = i == set.slots && set.counts->has_zero != 0;
  if (i > set.slots || (i < set.slots ? set.slot[i] == 0 : !zero)) return;
  const Bits bits = zero ? 0 : set.slot[i];
  const std::uint32_t at = simt::atomic_add(list.count, 1u);
  list.value[at] = bits;
  list.slot[at] = static_cast<std::uint32_t>(i);
  simt::atomic_max(list.highest, bits);
}

// A block compares `table_threads` values with a part of all.
constexpr std::int64_t ranked_part = 1024;

template <class Bits>
SIMT_KERNEL rank_block_per_values_and_part(Listed<Bits> list, std::int64_t values, std::int64_t parts) {
  auto* part = simt::shared<Bits>();
  const std::int64_t first = simt::block() % parts * ranked_part,
                     mine = simt::block() / parts * table_threads + simt::thread();
  const auto count = static_cast<int>(values - first < ranked_part ? values - first : ranked_part);
  for (int i = simt::thread(); i < count; i += table_threads) part[i] = list.value[first + i];
  simt::sync_block();
  if (mine >= values) return;
  const Bits bits = list.value[mine];
  std::uint32_t below = 0;
  for (int i = 0; i < count; ++i) below += part[i] < bits;
  simt::atomic_add(list.rank + mine, below);
}

template <class V, class Bits>
SIMT_KERNEL place_thread_per_place(Listed<Bits> list, std::int64_t values, V* table, std::int64_t places,
                                   std::uint16_t* code) {
  const std::int64_t i = simt::global_thread();
  if (i >= places) return;
  const Bits bits = i < values ? list.value[i] : *list.highest;
  memcpy(table + (i < values ? list.rank[i] : i), &bits, sizeof bits);
  if (i < values && bits != 0) code[list.slot[i]] = static_cast<std::uint16_t>(list.rank[i]);
}

simt::Launch launch_for(std::int64_t items) { return {simt::blocks_for(items, table_threads), table_threads}; }

}  // namespace

template <class V>
void DistinctValues<V>::begin(simt::Here here, std::span<const V> all) {
  const BitSet<Bits, Counts> set{reinterpret_cast<Bits*>(slot_.data()), static_cast<std::uint32_t>(slot_.size()),
                                 static_cast<std::uint32_t>(most_), found_.data()};
  const std::int64_t size = std::ssize(all);
  if (most_ == dictionary_size) {
    simt::launch(here, {1, begin_threads, sizeof(BeginBoard<Bits>)}, begin_set_by_one_block<V, Bits, Counts>,
                 all.data(), size, set);
    return;
  }
  const std::int64_t first_ones = 2 * most_;
  simt::launch(here, launch_for(slot_.size()), clear_thread_per_slot<Bits, Counts>, set);
  if (size > 4 * first_ones)
    simt::launch(here, launch_for(first_ones), enter_values<V, Bits, Counts>, all.data(), size, size / first_ones, set);
}

// Where the first ones are too many already the others stop before they begin, and do not all add to one counter.
template <class V>
void DistinctValues<V>::finish(simt::Here here, std::span<const V> all, bool overlaps) {
  const BitSet<Bits, Counts> set{reinterpret_cast<Bits*>(slot_.data()), static_cast<std::uint32_t>(slot_.size()),
                                 static_cast<std::uint32_t>(most_), found_.data()};
  const std::int64_t size = std::ssize(all);
  simt::Launch launch = launch_for(size);
  launch.blocks = std::min(launch.blocks, most_blocks);
  if (most_ == dictionary_size) {
    launch.shared_bytes = sizeof(NearSet<Bits>);
    launch.overlaps = overlaps;
    simt::launch(here, launch, enter_other_values<V, Bits, Counts>, all.data(), size, set);
    constexpr std::size_t bytes = dictionary_size * (sizeof(Bits) + sizeof(std::uint16_t)) + 2 * sizeof(std::uint64_t);
    simt::launch(here, {1, table_threads, bytes}, make_small_table<V, Bits, Counts>, set, made_.table.data(),
                 made_.code.data(), counts_.there());
    return;
  }
  simt::launch(here, launch, enter_values<V, Bits, Counts>, all.data(), size, std::int64_t{1}, set);
  simt::launch(here, {1, simt::warp_size}, tell_counts<Counts>, found_.data(), counts_.there());
}

template <class V>
ValueTable<V> DistinctValues<V>::table(simt::Here here, std::int64_t places) {
  if (!made_.table.empty()) {
    made_.slot = std::move(slot_);
    return std::move(made_);
  }
  const Device device = slot_.device();
  memory_.emplace(device);
  const std::int64_t values = std::min(count(), places), parts = simt::blocks_for(values, ranked_part);
  ValueTable<V> made{Buffer<V>(places, device), std::move(slot_), {}};
  made.code = Buffer<std::uint16_t>(made.slot.size(), device);
  const BitSet<Bits, Counts> set{reinterpret_cast<Bits*>(made.slot.data()),
                                 static_cast<std::uint32_t>(made.slot.size()), 0, found_.data()};
  const auto room = [&]<class T>(std::int64_t size, T) { return memory_->take<T>(size); };
  const Listed<Bits> list{room(values + 1, Bits{}), room(values + 1, std::uint32_t{}),
                          room(values + 1, std::uint32_t{}), room(1, std::uint32_t{}), room(1, Bits{})};
  simt::launch(here, launch_for(values + 1), clear_thread_per_value<Bits>, list, values);
  simt::launch(here, launch_for(made.slot.size() + 1), list_thread_per_slot<Bits, Counts>, set, list);
  simt::launch(here, {simt::blocks_for(values, table_threads) * parts, table_threads, ranked_part * sizeof(Bits)},
               rank_block_per_values_and_part<Bits>, list, values, parts);
  simt::launch(here, launch_for(places), place_thread_per_place<V, Bits>, list, values, made.table.data(), places,
               made.code.data());
  return made;
}

template void DistinctValues<float>::begin(simt::Here, std::span<const float>);
template void DistinctValues<double>::begin(simt::Here, std::span<const double>);
template void DistinctValues<float>::finish(simt::Here, std::span<const float>, bool);
template void DistinctValues<double>::finish(simt::Here, std::span<const double>, bool);
template ValueTable<float> DistinctValues<float>::table(simt::Here, std::int64_t);
template ValueTable<double> DistinctValues<double>::table(simt::Here, std::int64_t);

}  // namespace heddle
