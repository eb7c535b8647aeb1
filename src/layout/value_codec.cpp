#include "layout/value_codec.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

template <class V>
using Bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;

template <class V>
Bits<V> bits_of(V value) {
  return std::bit_cast<Bits<V>>(value);
}

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

// Open addressing over a table of at most dictionary_size values.
constexpr std::uint32_t slots = 4 * dictionary_size;
constexpr std::uint16_t no_value = UINT16_MAX;

std::uint32_t first_slot(std::uint64_t bits) {
  return static_cast<std::uint32_t>((bits * 0x9E3779B97F4A7C15u) >> 54);  // the upper ten bits: log2 of slots
}
static_assert(slots == 1 << 10);

// The slot of a value, or the free one where it belongs.
template <class Values>
std::uint32_t slot_of(const Vector<std::uint16_t>& finder, const Values& values, std::uint64_t bits) {
  std::uint32_t slot = first_slot(bits);
  while (finder[slot] != no_value && bits_of(values[finder[slot]]) != bits) slot = (slot + 1) % slots;
  return slot;
}

// Distinct bit patterns in the order they are met; more than dictionary_size of them are not collected.
template <class V>
class Distinct {
 public:
  Vector<V> values;

  bool full() const { return values.size() > dictionary_size; }
  void add(V value) {
    const std::uint32_t slot = slot_of(finder_, values, bits_of(value));
    if (finder_[slot] != no_value || full()) return;
    finder_[slot] = static_cast<std::uint16_t>(values.size());
    values.push_back(value);
  }

 private:
  Vector<std::uint16_t> finder_ = Vector<std::uint16_t>(slots, no_value);
};

// Sorted by bits. A matrix with many values mostly shows it within its first thousand, and then the rest is not read.
template <class V>
Vector<V> distinct_values(std::span<const V> all) {
  const auto size = static_cast<std::int64_t>(all.size());
  Vector<Distinct<V>> parts(static_cast<std::size_t>((size + grain - 1) / grain));
  std::atomic<bool> many{false};
  parallel_ranges(size, grain, [&](std::int64_t begin, std::int64_t end) {
    Distinct<V>& part = parts[static_cast<std::size_t>(begin / grain)];
    for (std::int64_t i = begin; i < end && !many.load(std::memory_order_relaxed); ++i) {
      part.add(all[static_cast<std::size_t>(i)]);
      if (part.full()) many.store(true, std::memory_order_relaxed);
    }
  });
  Distinct<V> sum;
  for (const Distinct<V>& part : parts)
    for (const V value : part.values) sum.add(value);
  std::sort(sum.values.begin(), sum.values.end(), [](V a, V b) { return bits_of(a) < bits_of(b); });
  return sum.values;
}

}  // namespace

template <class V>
ValueCodec smallest_codec(std::span<const V> all) {
  if (distinct_values(all).size() <= dictionary_size) return ValueCodec::dictionary;
  if (sizeof(V) > sizeof(float) && all_fit_float(all)) return ValueCodec::f32;
  return ValueCodec::raw;
}

std::int64_t value_store_bytes(ValueCodec codec, std::int64_t size, int value_bytes) {
  switch (codec) {
    case ValueCodec::f32: return size * std::min<std::int64_t>(value_bytes, sizeof(float));
    case ValueCodec::dictionary: return size + std::int64_t{dictionary_size} * value_bytes;
    default: return size * value_bytes;
  }
}

template <class V>
ValueStore<V> make_value_store(std::span<const V> all, ValueCodec codec, std::int64_t size) {
  ValueStore<V> made;
  made.codec = codec == ValueCodec::f32 && sizeof(V) == sizeof(float) ? ValueCodec::raw : codec;
  switch (made.codec) {
    case ValueCodec::f32:
      check(all_fit_float(all), ErrorKind::unavailable, "values=f32: not every value of the matrix is exact as float");
      made.f32 = Buffer<float>(size);
      break;
    case ValueCodec::dictionary: {
      const Vector<V> distinct = distinct_values(all);
      check(distinct.size() <= dictionary_size, ErrorKind::unavailable,
            "values=dictionary: the matrix has more than {} distinct values", dictionary_size);
      made.table = Buffer<V>(dictionary_size);
      made.finder.assign(slots, no_value);
      for (std::size_t i = 0; i < dictionary_size; ++i)
        made.table[static_cast<std::int64_t>(i)] = distinct.empty() ? V(0) : distinct[std::min(i, distinct.size() - 1)];
      for (std::size_t i = 0; i < distinct.size(); ++i)
        made.finder[slot_of(made.finder, distinct, bits_of(distinct[i]))] = static_cast<std::uint16_t>(i);
      made.code = Buffer<std::uint8_t>(size);
      break;
    }
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
    default: raw[at] = value;
  }
}

template <class V>
V ValueStore<V>::get(std::int64_t at) const {
  switch (codec) {
    case ValueCodec::f32: return static_cast<V>(f32[at]);
    case ValueCodec::dictionary: return table[code[at]];
    default: return raw[at];
  }
}

template <class V>
void ValueStore<V>::clear(std::int64_t begin, std::int64_t end) {
  switch (codec) {
    case ValueCodec::f32: std::fill(f32.begin() + begin, f32.begin() + end, 0.f); return;
    case ValueCodec::dictionary: std::fill(code.begin() + begin, code.begin() + end, std::uint8_t{0}); return;
    default: std::fill(raw.begin() + begin, raw.begin() + end, V(0));
  }
}

template struct ValueStore<float>;
template struct ValueStore<double>;
template ValueStore<float> make_value_store(std::span<const float>, ValueCodec, std::int64_t);
template ValueStore<double> make_value_store(std::span<const double>, ValueCodec, std::int64_t);
template ValueCodec smallest_codec(std::span<const float>);
template ValueCodec smallest_codec(std::span<const double>);

}  // namespace heddle
