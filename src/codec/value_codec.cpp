#include "codec/value_codec.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>

#include "core/bits.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

bool float_holds(float) { return true; }
bool float_holds(double value) { return bits_of(static_cast<double>(static_cast<float>(value))) == bits_of(value); }

constexpr std::int64_t grain = 1 << 16;

template <class V>
bool all_fit_float(std::span<const V> all) {
  std::atomic<bool> fits{true};
  parallel_ranges(static_cast<std::int64_t>(all.size()), grain, [&](std::int64_t begin, std::int64_t end) {
    if (!fits.load(std::memory_order_relaxed)) return;
    if (!std::all_of(all.begin() + begin, all.begin() + end, [](V v) { return float_holds(v); }))
      fits.store(false, std::memory_order_relaxed);
  });
  return fits.load();
}

// Open addressing, with four slots for each value of a table of the largest size.
constexpr std::uint32_t no_value = UINT32_MAX;

std::uint32_t slots_for(std::int64_t values) { return std::bit_ceil(static_cast<std::uint32_t>(4 * values)); }

// The slot of a value, or the free one where it belongs. Slots are a power of two.
template <class Values>
std::uint32_t slot_of(const Vector<std::uint32_t>& finder, const Values& values, std::uint64_t bits) {
  const auto slots = static_cast<std::uint32_t>(finder.size());
  auto slot = static_cast<std::uint32_t>((bits * 0x9E3779B97F4A7C15u) >> (64 - std::countr_zero(slots)));
  while (finder[slot] != no_value && bits_of(values[finder[slot]]) != bits) slot = (slot + 1) % slots;
  return slot;
}

// Distinct bit patterns in the order they are met; more than `most` of them are not collected.
template <class V>
class Distinct {
 public:
  Vector<V> values;

  explicit Distinct(std::int64_t most)
      : most_(static_cast<std::size_t>(most)), finder_(static_cast<std::size_t>(slots_for(most)), no_value) {}

  bool full() const { return values.size() > most_; }
  void add(V value) {
    const std::uint32_t slot = slot_of(finder_, values, bits_of(value));
    if (finder_[slot] != no_value || full()) return;
    finder_[slot] = static_cast<std::uint32_t>(values.size());
    values.push_back(value);
  }

 private:
  std::size_t most_;
  Vector<std::uint32_t> finder_;
};

// Sorted by bits; more than `most` when there are more. A matrix with many values mostly shows it early, and then the
// rest is not read.
template <class V>
Vector<V> distinct_values(std::span<const V> all, std::int64_t most) {
  Distinct<V> sum(most);
  std::atomic<bool> many{false};
  std::mutex guard;
  parallel_ranges(static_cast<std::int64_t>(all.size()), grain, [&](std::int64_t begin, std::int64_t end) {
    if (many.load(std::memory_order_relaxed)) return;
    Distinct<V> part(std::min(most, grain));
    for (std::int64_t i = begin; i < end && !part.full(); ++i) part.add(all[static_cast<std::size_t>(i)]);
    const std::lock_guard lock(guard);
    for (const V value : part.values) sum.add(value);
    if (sum.full()) many.store(true, std::memory_order_relaxed);
  });
  std::sort(sum.values.begin(), sum.values.end(), [](V a, V b) { return bits_of(a) < bits_of(b); });
  return std::move(sum.values);
}

// As a sample says.
template <class V>
bool may_repeat(std::span<const V> all) {
  Vector<V> sampled;
  for (std::int64_t i = 0; i < std::min(std::ssize(all), most_value_samples); ++i)
    sampled.push_back(all[static_cast<std::size_t>(place_of_sample(i, std::ssize(all)))]);
  return may_be_few_values(std::ssize(sampled), std::ssize(distinct_samples<V>(sampled)));
}

}  // namespace

// By open addressing. 1,024 values took 2.5 us with eight slots a value, 7 us with two (branches that are
// mispredicted), and 25 us by sorting.
template <class V>
Vector<V> distinct_samples(std::span<const V> sampled, int most) {
  constexpr int slot_bits = 13;
  constexpr std::uint32_t slots = 1 << slot_bits;
  static_assert(most_value_samples <= slots / 8);
  std::array<std::int16_t, slots> number{};  // of a value, from 1 on
  Vector<V> distinct;
  for (std::size_t i = 0; i < sampled.size() && std::ssize(distinct) <= most; ++i) {
    auto at =
        static_cast<std::uint32_t>((value_bits(sampled[i]) * std::uint64_t{0x9E3779B97F4A7C15u}) >> (64 - slot_bits));
    while (number[at] != 0 && value_bits(sampled[static_cast<std::size_t>(number[at] - 1)]) != value_bits(sampled[i]))
      at = (at + 1) % slots;
    if (number[at] == 0) distinct.push_back(sampled[i]);
    number[at] = static_cast<std::int16_t>(i + 1);
  }
  return distinct;
}

template <class V>
ValueCodec smallest_codec(std::span<const V> all, Codecs codecs) {
  const std::size_t few = distinct_values(all, codecs.tables ? dictionary_size : 1).size();
  if (few <= 1 && codecs.all) return ValueCodec::uniform;
  if (few <= dictionary_size && codecs.tables) return ValueCodec::dictionary;
  if (sizeof(V) > sizeof(float) && all_fit_float(all)) return ValueCodec::f32;
  constexpr std::int64_t most = dictionary16_pays<V>;
  if (codecs.all && codecs.tables && most > 0 && may_repeat(all) &&
      static_cast<std::int64_t>(distinct_values(all, most).size()) <= most)
    return ValueCodec::dictionary16;
  return ValueCodec::raw;
}

std::int64_t value_store_bytes(ValueCodec codec, std::int64_t size, int value_bytes) {
  switch (codec) {
    case ValueCodec::f32: return size * std::min<std::int64_t>(value_bytes, sizeof(float));
    case ValueCodec::dictionary: return size + std::int64_t{dictionary_size} * value_bytes;
    case ValueCodec::dictionary16: return 2 * size + std::int64_t{dictionary16_size} * value_bytes;
    case ValueCodec::uniform: return value_bytes;
    default: return size * value_bytes;
  }
}

namespace {

// The table of a dictionary with so many places, and the way to find a value in it.
template <class V>
void make_table(std::span<const V> all, std::int64_t places, ValueStore<V>& to) {
  const Vector<V> distinct = distinct_values(all, places);
  check(static_cast<std::int64_t>(distinct.size()) <= places, ErrorKind::unavailable,
        "values={}: the matrix has more than {} distinct values", value_codec_names[static_cast<std::size_t>(to.codec)],
        places);
  to.table = Buffer<V>(places);
  std::fill(to.table.begin(), to.table.end(), distinct.empty() ? V(0) : distinct.back());
  std::copy(distinct.begin(), distinct.end(), to.table.begin());
  to.finder.assign(slots_for(places), no_value);
  for (std::size_t i = 0; i < distinct.size(); ++i)
    to.finder[slot_of(to.finder, distinct, bits_of(distinct[i]))] = static_cast<std::uint32_t>(i);
}

}  // namespace

template <class V>
ValueStore<V> make_value_store(std::span<const V> all, ValueCodec codec, std::int64_t size) {
  ValueStore<V> made;
  made.codec = codec == ValueCodec::f32 && sizeof(V) == sizeof(float) ? ValueCodec::raw : codec;
  switch (made.codec) {
    case ValueCodec::f32:
      check(all_fit_float(all), ErrorKind::unavailable, "values=f32: not every value of the matrix is exact as float");
      made.f32 = Buffer<float>(size);
      break;
    case ValueCodec::dictionary:
      make_table(all, dictionary_size, made);
      made.code = Buffer<std::uint8_t>(size);
      break;
    case ValueCodec::dictionary16:
      make_table(all, dictionary16_size, made);
      made.code16 = Buffer<std::uint16_t>(size);
      break;
    case ValueCodec::uniform: make_table(all, 1, made); break;
    default: made.raw = Buffer<V>(size);
  }
  return made;
}

template <class V>
void ValueStore<V>::set(std::int64_t at, V value) {
  switch (codec) {
    case ValueCodec::f32: f32[at] = static_cast<float>(value); return;
    case ValueCodec::dictionary:
      code[at] = static_cast<std::uint8_t>(finder[slot_of(finder, table, bits_of(value))]);
      return;
    case ValueCodec::dictionary16:
      code16[at] = static_cast<std::uint16_t>(finder[slot_of(finder, table, bits_of(value))]);
      return;
    case ValueCodec::uniform: return;
    default: raw[at] = value;
  }
}

template <class V>
V ValueStore<V>::get(std::int64_t at) const {
  switch (codec) {
    case ValueCodec::f32: return static_cast<V>(f32[at]);
    case ValueCodec::dictionary: return table[code[at]];
    case ValueCodec::dictionary16: return table[code16[at]];
    case ValueCodec::uniform: return table[0];
    default: return raw[at];
  }
}

template <class V>
void ValueStore<V>::clear(std::int64_t begin, std::int64_t end) {
  switch (codec) {
    case ValueCodec::f32: std::fill(f32.begin() + begin, f32.begin() + end, 0.f); return;
    case ValueCodec::dictionary: std::fill(code.begin() + begin, code.begin() + end, std::uint8_t{0}); return;
    case ValueCodec::dictionary16: std::fill(code16.begin() + begin, code16.begin() + end, std::uint16_t{0}); return;
    case ValueCodec::uniform: return;
    default: std::fill(raw.begin() + begin, raw.begin() + end, V(0));
  }
}

template struct ValueStore<float>;
template struct ValueStore<double>;
template ValueStore<float> make_value_store(std::span<const float>, ValueCodec, std::int64_t);
template ValueStore<double> make_value_store(std::span<const double>, ValueCodec, std::int64_t);
template Vector<float> distinct_samples(std::span<const float>, int);
template Vector<double> distinct_samples(std::span<const double>, int);
template ValueCodec smallest_codec(std::span<const float>, Codecs);
template ValueCodec smallest_codec(std::span<const double>, Codecs);

}  // namespace heddle
