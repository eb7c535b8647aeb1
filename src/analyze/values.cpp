#include <algorithm>
#include <atomic>
#include <bit>

#include "analyze/kinds.hpp"
#include "analyze/parts.hpp"
#include "analyze/value_bits.hpp"
#include "core/parallel.hpp"

namespace heddle {

namespace {

template <class V>
using Bits = std::conditional_t<sizeof(V) == 8, std::uint64_t, std::uint32_t>;

// A set of bit patterns that several threads fill at once: open addressing, a slot is written once and never changes.
// The pattern 0 marks a free slot, so the value +0 is remembered apart. Insertion stops once there are more than `cap`.
class PatternSet {
 public:
  PatternSet(std::int64_t expected, std::int64_t cap_)
      : cap(cap_), slots(static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::uint64_t>(expected) + 2))) {
    std::fill(slots.begin(), slots.end(), 0);
    shift = 64 - std::countr_zero(static_cast<std::uint64_t>(slots.size()));
  }

  void insert(std::uint64_t bits) {
    if (bits == 0) return has_zero.store(true, std::memory_order_relaxed);
    const auto mask = static_cast<std::uint64_t>(slots.size()) - 1;
    for (std::uint64_t at = bits * 0x9E3779B97F4A7C15u >> shift;; at = (at + 1) & mask) {
      const std::atomic_ref slot(slots[static_cast<std::int64_t>(at)]);
      std::uint64_t seen = slot.load(std::memory_order_relaxed);
      if (seen == bits) return;
      if (seen != 0) continue;
      if (full()) return;
      if (slot.compare_exchange_strong(seen, bits, std::memory_order_relaxed)) {
        count.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      if (seen == bits) return;
    }
  }

  bool full() const { return count.load(std::memory_order_relaxed) > cap; }
  // Whether `holds` is true of every pattern; +0 is not asked.
  template <class F>
  bool all(F holds) const {
    return std::all_of(slots.begin(), slots.end(), [&](std::uint64_t bits) { return bits == 0 || holds(bits); });
  }
  std::int64_t size() const { return count.load() + (has_zero.load() ? 1 : 0); }

 private:
  std::int64_t cap;
  Buffer<std::uint64_t> slots;
  int shift = 0;
  std::atomic<std::int64_t> count{0};
  std::atomic<bool> has_zero{false};
};

// The last two distinct values of a thread. Matrices with constant coefficients have hardly more, and a comparison of a
// whole group with two registers costs less than a look into the set.
template <class V>
struct Recent {
  static constexpr std::size_t group = 16;
  Bits<V> known[2];
  unsigned next = 0;

  Recent(V first, PatternSet& seen) {
    std::fill(known, known + 2, std::bit_cast<Bits<V>>(first));
    seen.insert(known[0]);
  }
  bool knows(Bits<V> bits) const { return (bits == known[0]) | (bits == known[1]); }
  void insert(std::span<const V> values, PatternSet& seen) {
    bool all_known = true;
    for (const V v : values) all_known &= knows(std::bit_cast<Bits<V>>(v));
    if (all_known) return;
    for (const V v : values) {
      const auto bits = std::bit_cast<Bits<V>>(v);
      seen.insert(bits);
      if (!knows(bits)) known[next++ % 2] = bits;
    }
  }
};

template <class V>
bool survives_float(V value) {
  if constexpr (sizeof(V) == 4)
    return true;
  else
    return float_holds(std::bit_cast<std::uint64_t>(value));
}

// How many different ones there may be, of more than `cap`.
template <class V>
std::int64_t guessed(std::span<const V> val, std::int64_t cap) {
  const auto size = static_cast<std::int64_t>(val.size());
  if (!ValueSample::wanted<V>(size)) return size;
  PatternSet seen(ValueSample::size, ValueSample::size);
  for (std::int64_t i = 0; i < ValueSample::size; ++i)
    seen.insert(ValueSample::key(std::bit_cast<Bits<V>>(val[static_cast<std::size_t>(ValueSample::place(i, size))])));
  return std::max(cap + 1, kinds_in_all(seen.size(), ValueSample::size, size));
}

}  // namespace

template <class V>
ValueFacts measure_values(std::span<const V> val, std::int64_t cap) {
  const auto size = static_cast<std::int64_t>(val.size());
  // Threads that look at `full` at the same time may each insert one more group: room for 1024 of them.
  PatternSet seen(std::min(size, cap + 1024 * static_cast<std::int64_t>(Recent<V>::group)), cap);
  const auto for_pieces = [&](auto f) {
    parallel_ranges(size, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      f(val.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    });
  };
  for_pieces([&](std::span<const V> piece) {
    Recent<V> recent(piece[0], seen);
    for (std::size_t k = 0; k < piece.size() && !seen.full(); k += Recent<V>::group)
      recent.insert(piece.subspan(k, std::min(Recent<V>::group, piece.size() - k)), seen);
  });
  const bool capped = seen.size() > cap;
  // Where the set holds every value, asking each of them once is enough.
  if (!capped)
    return {seen.size(), false,
            seen.all([](std::uint64_t bits) { return survives_float(std::bit_cast<V>(static_cast<Bits<V>>(bits))); }),
            seen.size()};
  std::atomic<bool> exact{true};
  for_pieces([&](std::span<const V> piece) {
    if (exact.load(std::memory_order_relaxed) && !std::all_of(piece.begin(), piece.end(), survives_float<V>))
      exact.store(false, std::memory_order_relaxed);
  });
  return {cap, true, exact.load(), guessed(val, cap)};
}

template ValueFacts measure_values(std::span<const float>, std::int64_t);
template ValueFacts measure_values(std::span<const double>, std::int64_t);

}  // namespace heddle
