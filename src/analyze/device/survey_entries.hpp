// All columns, where the hash is wanted, and all values: how many different ones, and whether each is a float.
#pragma once

#include "analyze/device/survey_board.hpp"
#include "analyze/parts.hpp"
#include "analyze/pattern_hash.hpp"
#include "analyze/value_bits.hpp"

namespace heddle {

inline constexpr std::int64_t entries_of_task = 1 << 15;

template <class V>
using ValueBits = std::conditional_t<sizeof(V) == 8, std::uint64_t, std::uint32_t>;

template <class V>
SIMT_DEVICE ValueBits<V> device_bits(V value) {
  ValueBits<V> bits;
  memcpy(&bits, &value, sizeof(V));
  return bits;
}

SIMT_DEVICE int value_slot(std::uint64_t bits) {
  static_assert(Survey<float>::value_slots == 1 << 10);
  return static_cast<int>(bits * 0x9E3779B97F4A7C15u >> (64 - 10));
}

// The values other than +0 that a block has met, `planning_cap` of them and not many more: half the slots stay free.
// The last two that a thread has met are in its registers: matrices with constant coefficients have hardly more.
template <class V>
class ValueLooker {
 public:
  SIMT_DEVICE ValueLooker(const Survey<V>& survey, Board& board) : survey_(survey), board_(board) {}

  // Before any other is looked at.
  SIMT_DEVICE void look_at_first(V value) {
    known_[0] = known_[1] = device_bits(value);
    meet(known_[0]);
  }
  SIMT_DEVICE bool knows(V value) const {
    return (device_bits(value) == known_[0]) | (device_bits(value) == known_[1]);
  }
  SIMT_DEVICE void look_at(V value) {
    if (knows(value)) return;
    known_[1] = known_[0];
    known_[0] = device_bits(value);
    meet(known_[0]);
  }
  // By all lanes of a warp.
  SIMT_DEVICE void finish() {
    if (simt::any(zero_) && simt::lane() == 0) simt::atomic_or(&board_.totals.zeros, std::uint64_t{1});
    if (simt::any(inexact_) && simt::lane() == 0) simt::atomic_or(&survey_.totals->inexact, std::uint64_t{1});
  }

 private:
  SIMT_DEVICE void meet(std::uint64_t bits) {
    if (sizeof(V) == 8) inexact_ |= !float_holds(bits);
    if (bits == 0)
      zero_ = true;
    else
      insert(bits);
  }
  SIMT_DEVICE void insert(std::uint64_t bits) {
    constexpr int slots = Survey<V>::value_slots;
    const volatile std::uint32_t& different = board_.different_values;
    for (int at = value_slot(bits);; at = (at + 1) % slots) {
      const std::uint64_t old = static_cast<const volatile std::uint64_t&>(board_.values[at]);
      if (old == bits || different > planning_cap) return;
      if (old != 0) continue;
      const std::uint64_t there = simt::atomic_claim(&board_.values[at], bits);
      if (there == bits) return;
      if (there != 0) continue;
      if (simt::atomic_add(&board_.different_values, 1u) == planning_cap)
        simt::atomic_or(&survey_.totals->many_values, std::uint64_t{1});
      return;
    }
  }

  const Survey<V>& survey_;
  Board& board_;
  ValueBits<V> known_[2] = {};
  bool zero_ = false, inexact_ = false;
};

// Four neighbouring elements, 16 bytes a load.
template <class T>
struct Four {
  static constexpr int per_load = 16 / sizeof(T), loads = 4 / per_load;
  simt::Pack<T, per_load> part[loads];

  SIMT_DEVICE explicit Four(const T* from) {
#pragma unroll
    for (int i = 0; i < loads; ++i) part[i] = simt::stream_pack<per_load>(from + i * per_load);
  }
  SIMT_DEVICE Four() {}
  SIMT_DEVICE T operator[](int i) const { return part[i / per_load].at[i % per_load]; }
};

// A whole task: eight groups of four entries a thread, several of them on the way at once, as registers allow.
template <class V>
SIMT_DEVICE std::uint64_t look_at_groups(const Survey<V>& s, std::int64_t begin, bool values, ValueLooker<V>& looker) {
  constexpr int at_once = sizeof(V) == 8 ? 2 : 4, groups = entries_of_task / 4 / survey_threads;
  std::uint64_t hash = 0;
  for (int g = 0; g < groups; g += at_once) {
    Four<Index> col[at_once];
    Four<V> val[at_once];
    const std::int64_t mine = begin + 4 * (std::int64_t{g} * survey_threads + simt::thread());
    if (s.hashes) {
#pragma unroll
      for (int i = 0; i < at_once; ++i) col[i] = Four<Index>(s.col + mine + 4 * i * survey_threads);
    }
    if (values) {
#pragma unroll
      for (int i = 0; i < at_once; ++i) val[i] = Four<V>(s.val + mine + 4 * i * survey_threads);
    }
#pragma unroll
    for (int i = 0; i < at_once && s.hashes; ++i) {
      const std::int64_t pair = mine / 2 + 2 * i * survey_threads;
      hash += PatternHash::columns(pair, col[i][0], col[i][1]) + PatternHash::columns(pair + 1, col[i][2], col[i][3]);
    }
    if (!values) continue;
    if (g == 0) looker.look_at_first(val[0][0]);
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const Four<V>& four = val[i];
      if (looker.knows(four[0]) & looker.knows(four[1]) & looker.knows(four[2]) & looker.knows(four[3])) continue;
#pragma unroll
      for (int k = 0; k < 4; ++k) looker.look_at(four[k]);
    }
  }
  return hash;
}

// The last task, or arrays that do not begin at a multiple of 16 bytes.
template <class V>
SIMT_DEVICE std::uint64_t look_at_pairs(const Survey<V>& s, std::int64_t begin, std::int64_t end,
                                        ValueLooker<V>& looker) {
  std::uint64_t hash = 0;
  const std::int64_t mine = begin + 2 * simt::thread();
  if (mine < end) looker.look_at_first(s.val[mine]);
  for (std::int64_t k = mine; k < end; k += 2 * survey_threads) {
    const bool two = k + 1 < end;
    if (s.hashes) hash += PatternHash::columns(k / 2, s.col[k], two ? s.col[k + 1] : PatternHash::nothing);
    looker.look_at(s.val[k]);
    if (two) looker.look_at(s.val[k + 1]);
  }
  return hash;
}

template <class V>
SIMT_DEVICE void survey_entries(const Survey<V>& s, std::int64_t task, Board& board) {
  const std::int64_t begin = task * entries_of_task, end = std::min(s.nnz, begin + entries_of_task);
  ValueLooker<V> looker(s, board);
  const bool whole = s.aligned && end - begin == entries_of_task;
  add_own(board.mine().hash,
          whole ? look_at_groups(s, begin, board.looks_at_values, looker) : look_at_pairs(s, begin, end, looker));
  looker.finish();
}

// How many different values a sample has: a set in shared memory, where 0 marks a free slot.
template <class V>
SIMT_DEVICE void survey_sampled_values(const Survey<V>& s, Board& board) {
  constexpr std::uint32_t slots = 2 * ValueSample::size;
  static_assert(slots == 1 << 13);
  for (std::uint32_t i = simt::thread(); i < slots; i += survey_threads) board.sampled[i] = 0;
  simt::sync_block();
  std::uint32_t fresh = 0;
  for (std::int64_t i = simt::thread(); i < ValueSample::size; i += survey_threads) {
    const std::uint64_t bits = ValueSample::key(device_bits(s.val[ValueSample::place(i, s.nnz)]));
    for (auto at = static_cast<std::uint32_t>(bits * 0x9E3779B97F4A7C15u >> (64 - 13));; at = (at + 1) % slots) {
      const std::uint64_t there = simt::atomic_claim(&board.sampled[at], bits);
      fresh += there == 0;
      if (there == 0 || there == bits) break;
    }
  }
  add_warp(&board.totals.sampled_values, fresh);
}

// The block's different values into the set of all blocks. A thread that finds no free slot has found many.
template <class V>
SIMT_DEVICE void hand_in_values(const Survey<V>& s, const Board& board) {
  constexpr int slots = Survey<V>::value_slots;
  static_assert(slots <= survey_threads);
  const std::uint64_t bits = simt::thread() < slots ? board.values[simt::thread()] : 0;
  if (bits == 0 || board.different_values > planning_cap) return;
  for (int at = value_slot(bits), tries = 0; tries < slots; at = (at + 1) % slots, ++tries) {
    const std::uint64_t old = simt::uncached_load(s.values + at);
    if (old == bits) return;
    if (old != 0) continue;
    const std::uint64_t there = simt::atomic_claim(s.values + at, bits);
    if (there == bits) return;
    if (there == 0) {
      if (simt::atomic_add(&s.totals->values, std::uint64_t{1}) < planning_cap) return;
      break;
    }
  }
  simt::atomic_or(&s.totals->many_values, std::uint64_t{1});
}

}  // namespace heddle
