#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "analyze/kinds.hpp"
#include "analyze/looks.hpp"
#include "analyze/value_bits.hpp"
#include "core/isa.hpp"

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

// Values that a thread has handed to the set already, so that most are not handed to it again: a whole group is first
// compared with the last two, which is all there is in a matrix with constant coefficients, then with the group a
// period before, as rows of a grid repeat after a few, then with a table where a value has one of two neighbouring
// places. (1.1 M values of 240 kinds on two cores: the set alone 5.1 ms.)
template <class V>
class Familiar {
 public:
  static constexpr std::size_t group = 16;

  Familiar(V first, PatternSet& seen) : first_(std::bit_cast<Bits<V>>(first)), recent_{first_, first_} {
    table_.fill(first_);  // wherever it stands, it is familiar
    seen.insert(first_);
  }
  // A multiple of `group` values.
  void insert(std::span<const V> values, PatternSet& seen) {
    begin_ = values.data();
    for (; !values.empty(); values = values.subspan(group)) {
      const std::size_t known = known_groups(values) * group;
      if (known == values.size()) return;
      values = values.subspan(known);
      if (seen.full()) return;
      for (const V v : values.first(group)) insert(std::bit_cast<Bits<V>>(v), seen);
    }
  }
  void insert(Bits<V> bits, PatternSet& seen) {
    if (bits == recent_[0] || bits == recent_[1]) return;
    recent_[next_++ % 2] = bits;
    if (difference(bits) == 0) return;
    seen.insert(bits);
    const std::size_t at = slot(bits);
    table_[table_[at] != first_ && table_[at + 1] == first_ ? at + 1 : at] = bits;
  }

 private:
  static constexpr int slot_bits = 12;
  static std::size_t slot(std::uint64_t bits) { return bits * 0x9E3779B97F4A7C15u >> (64 - slot_bits); }
  static std::size_t slot(std::uint32_t bits) { return bits * 0x9E3779B9u >> (32 - slot_bits); }
  // 0: it is in the table.
  Bits<V> difference(Bits<V> bits) const { return std::min(table_[slot(bits)] ^ bits, table_[slot(bits) + 1] ^ bits); }

  // Every so many groups that the table alone knew: after how many values they came once more.
  static constexpr std::size_t most_period = 1024;
  static constexpr int patience = 64;
  void find_period(const V* at) {
    misses_ = 0;
    const auto same_bits = [](V a, V b) { return std::bit_cast<Bits<V>>(a) == std::bit_cast<Bits<V>>(b); };
    const auto far = static_cast<std::size_t>(at - begin_);
    for (std::size_t back = group; back <= std::min(far, most_period); ++back)
      if (std::equal(at, at + group, at - back, same_bits)) {
        period_ = back;
        return;
      }
  }

  // How many groups from the front are familiar throughout.
  std::size_t known_groups(std::span<const V> values) {
    const std::size_t groups = values.size() / group;
    std::size_t known = 0;
    with_fetching_isa([&, from = values.data(), a = recent_[0], b = recent_[1]](auto) {
      for (; known < groups; ++known) {
        // Loops that are not unrolled, and numbers instead of truth values: compilers make vectors of these.
        const auto bits = [&](std::size_t i) { return std::bit_cast<Bits<V>>(from[known * group + i]); };
        Bits<V> others = 0, strangers = 0;
#pragma GCC unroll 1
        for (std::size_t i = 0; i < group; ++i) others |= std::min(bits(i) ^ a, bits(i) ^ b);
        if (others == 0) continue;
        const V* const at = from + known * group;
        if (period_ > 0 && at - begin_ >= static_cast<std::ptrdiff_t>(period_)) {
          Bits<V> changed = 0;
#pragma GCC unroll 1
          for (std::size_t i = 0; i < group; ++i) changed |= bits(i) ^ std::bit_cast<Bits<V>>(*(at - period_ + i));
          if (changed == 0) continue;
        }
#pragma GCC unroll 1
        for (std::size_t i = 0; i < group; ++i) strangers |= difference(bits(i));
        if (strangers != 0) return;
        if (++misses_ == patience) find_period(at);
      }
    });
    return known;
  }

  Bits<V> first_, recent_[2];
  unsigned next_ = 0;
  const V* begin_ = nullptr;  // of the values that were handed over last
  std::size_t period_ = 0;    // 0: none
  int misses_ = 0;
  std::array<Bits<V>, (1 << slot_bits) + 1> table_;
};

template <class V>
bool survives_float(V value) {
  if constexpr (sizeof(V) == 4)
    return true;
  else
    return float_holds(std::bit_cast<std::uint64_t>(value));
}

// How many different ones there may be, of more than `cap`. One thread alone: a set that others fill as well takes 25
// ns for a value, this one 3.
template <class V>
std::int64_t guessed(std::span<const V> val, std::int64_t cap) {
  const auto size = static_cast<std::int64_t>(val.size());
  if (!ValueSample::wanted<V>(size)) return size;
  constexpr int slot_bits = 13;
  static_assert(1 << slot_bits == 2 * ValueSample::size);
  Vector<std::uint64_t> slots(1 << slot_bits, 0);  // 0: free
  std::int64_t kinds = 0;
  for (std::int64_t i = 0; i < ValueSample::size; ++i) {
    const auto place = static_cast<std::size_t>(ValueSample::place(i, size));
    const std::uint64_t key = ValueSample::key(std::bit_cast<Bits<V>>(val[place]));
    std::uint64_t at = key * 0x9E3779B97F4A7C15u >> (64 - slot_bits);
    while (slots[at] != 0 && slots[at] != key) at = (at + 1) % slots.size();
    kinds += slots[at] == 0;
    slots[at] = key;
  }
  return std::max(cap + 1, kinds_in_all(kinds, ValueSample::size, size));
}

constexpr std::int64_t values_of_task = 1 << 14;

template <class V>
std::span<const V> values_between(std::span<const V> val, std::int64_t first, std::int64_t last) {
  const std::int64_t begin = first * values_of_task,
                     end = std::min(static_cast<std::int64_t>(val.size()), last * values_of_task);
  return val.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

}  // namespace

template <class V>
class ValuesLook<V>::Set : public PatternSet {
  using PatternSet::PatternSet;
};

// Threads that look at `full` at the same time may each insert one more: room for 1024 of them.
template <class V>
ValuesLook<V>::ValuesLook(std::span<const V> values, std::int64_t cap)
    : val_(values),
      cap_(cap),
      tasks_((static_cast<std::int64_t>(values.size()) + values_of_task - 1) / values_of_task),
      seen_(std::make_unique<Set>(std::min(static_cast<std::int64_t>(values.size()), cap + 1024), cap)) {}
template <class V>
ValuesLook<V>::~ValuesLook() = default;

// What a thread is familiar with it learns once for each stretch.
template <class V>
void ValuesLook<V>::run(std::int64_t first, std::int64_t last) {
  if (second_round_ && last == tasks_) {  // one that is not about a piece of them
    guess_ = guessed(val_, cap_);
    --last;
  }
  if (first == last) return;
  const std::span<const V> stretch = values_between(val_, first, last);
  if (second_round_) {
    if (exact_.load(std::memory_order_relaxed) && !std::all_of(stretch.begin(), stretch.end(), survives_float<V>))
      exact_.store(false, std::memory_order_relaxed);
    return;
  }
  if (seen_->full()) return;
  Familiar<V> familiar(stretch[0], *seen_);
  const std::size_t whole = stretch.size() / Familiar<V>::group * Familiar<V>::group;
  familiar.insert(stretch.first(whole), *seen_);
  for (const V v : stretch.subspan(whole)) familiar.insert(std::bit_cast<Bits<V>>(v), *seen_);
}

// Where the set holds every value, asking each of them once is enough.
template <class V>
void ValuesLook<V>::begin_second_round() {
  second_round_ = true;
  if (seen_->size() > cap_) {
    tasks_ = sizeof(V) == 8 ? tasks_ + 1 : 1;
    return;
  }
  tasks_ = 0;
  guess_ = seen_->size();
  exact_ = seen_->all([](std::uint64_t bits) { return survives_float(std::bit_cast<V>(static_cast<Bits<V>>(bits))); });
}

template <class V>
ValueFacts ValuesLook<V>::facts() const {
  const bool capped = seen_->size() > cap_;
  return {capped ? cap_ : seen_->size(), capped, exact_, guess_};
}

template class ValuesLook<float>;
template class ValuesLook<double>;

}  // namespace heddle
