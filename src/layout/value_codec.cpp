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

// The distinct bit patterns, sorted; more than dictionary_size of them are not collected. Neighbours are often equal,
// and a matrix with many values shows it within its first thousand.
template <class V>
Vector<Bits<V>> distinct_bits(std::span<const V> all) {
  Vector<Bits<V>> found;
  Bits<V> previous = 0;
  for (const V value : all) {
    const Bits<V> bits = bits_of(value);
    if (!found.empty() && bits == previous) continue;
    previous = bits;
    const auto at = std::lower_bound(found.begin(), found.end(), bits);
    if (at != found.end() && *at == bits) continue;
    found.insert(at, bits);
    if (found.size() > dictionary_size) break;
  }
  return found;
}

}  // namespace

template <class V>
ValueCodec smallest_codec(std::span<const V> all) {
  if (distinct_bits(all).size() <= dictionary_size) return ValueCodec::dictionary;
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
      const Vector<Bits<V>> distinct = distinct_bits(all);
      check(distinct.size() <= dictionary_size, ErrorKind::unavailable,
            "values=dictionary: the matrix has more than {} distinct values", dictionary_size);
      made.table = Buffer<V>(dictionary_size);
      for (std::size_t i = 0; i < dictionary_size; ++i)
        made.table[static_cast<std::int64_t>(i)] =
            distinct.empty() ? V(0) : std::bit_cast<V>(distinct[std::min(i, distinct.size() - 1)]);
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
    case ValueCodec::dictionary: {
      const auto lower =
          std::lower_bound(table.begin(), table.end(), value, [](V a, V b) { return bits_of(a) < bits_of(b); });
      code[at] = static_cast<std::uint8_t>(lower - table.begin());
      return;
    }
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
