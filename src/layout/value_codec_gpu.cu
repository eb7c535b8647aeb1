#include "layout/value_codec.hpp"

#include <algorithm>

#include "layout/device_reduce.hpp"

namespace heddle {

namespace {

struct Miss {
  std::int32_t any = 0;
  SIMT_BOTH void add(const Miss& other) { any |= other.any; }
};

struct BeyondFloat {
  using Result = Miss;
  const double* val;

  SIMT_DEVICE void add(std::int64_t i, Miss& to) const {
    if (!float_keeps(val[i])) to.any = 1;
  }
};

bool all_fit_float(simt::Here, std::span<const float>, Device) { return true; }
bool all_fit_float(simt::Here here, std::span<const double> all, Device device) {
  return device::reduce(here, BeyondFloat{all.data()}, static_cast<std::int64_t>(all.size()), device).any == 0;
}

// A value that is not in the table.
template <class V>
struct Unknown {
  V value{};
  std::int32_t any = 0;

  SIMT_BOTH void add(const Unknown& other) {
    if (any == 0) *this = other;
  }
};

template <class V>
struct OutsideTable {
  using Result = Unknown<V>;
  const V* val;
  ValueWriter<V, std::uint8_t> table;

  SIMT_DEVICE void add(std::int64_t i, Unknown<V>& to) const {
    const V value = val[i];
    if (to.any == 0 && value_bits(table.table[table.encode(value)]) != value_bits(value)) to = {value, 1};
  }
};

template <class V>
SIMT_KERNEL sample_thread_per_value(const V* val, std::int64_t size, std::int64_t samples, V* to) {
  const std::int64_t i = simt::global_thread();
  if (i < samples) to[i] = val[i * size / samples];
}

// Values spread over the whole array.
template <class V>
Buffer<V> sample(simt::Here here, std::span<const V> all, Device device) {
  constexpr int threads = 256;
  const auto size = static_cast<std::int64_t>(all.size()), samples = std::min<std::int64_t>(size, 512);
  Buffer<V> there(samples, device);
  simt::launch(here, {simt::blocks_for(samples, threads), threads}, sample_thread_per_value<V>, all.data(), size,
               samples, there.data());
  return there.to(Device::cpu());
}

template <class V>
void keep_distinct(Vector<V>& values) {
  const auto before = [](V a, V b) { return value_bits(a) < value_bits(b); };
  const auto same = [](V a, V b) { return value_bits(a) == value_bits(b); };
  std::sort(values.begin(), values.end(), before);
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
}

template <class V>
Buffer<V> table_of(const Vector<V>& distinct) {
  Buffer<V> table(dictionary_size);
  for (std::size_t i = 0; i < dictionary_size; ++i)
    table[static_cast<std::int64_t>(i)] = distinct.empty() ? V(0) : distinct[std::min(i, distinct.size() - 1)];
  return table;
}

enum class Held { all, too_many, unknown };

// The table that holds all values. A sample shows most of them, and more than enough where there are many; then
// everybody looks for his value in the table, and what is missing joins it. (No atomics: the table is the same every
// time.)
template <class V>
Held find_table(simt::Here here, std::span<const V> all, const Buffer<V>& sampled, Device device, Buffer<V>& table) {
  constexpr int most_rounds = 16;
  Vector<V> distinct(sampled.begin(), sampled.end());
  for (int round = 0; round < most_rounds; ++round) {
    keep_distinct(distinct);
    if (distinct.size() > dictionary_size) return Held::too_many;
    table = table_of(distinct).to(device);
    const OutsideTable<V> outside{all.data(), {nullptr, table.data()}};
    const std::size_t known = distinct.size();
    for (const auto& found : device::reduce_by_blocks(here, outside, static_cast<std::int64_t>(all.size()), device))
      if (found.any != 0) distinct.push_back(found.value);
    if (distinct.size() == known) return Held::all;
  }
  return Held::unknown;
}

}  // namespace

template <class V>
std::optional<ValueCodec> smallest_codec(simt::Here here, std::span<const V> all, Device device) {
  Buffer<V> table;
  const Buffer<V> sampled = sample(here, all, device);
  const Held held = find_table(here, all, sampled, device, table);
  if (held == Held::unknown) return {};
  if (held == Held::all) return ValueCodec::dictionary;
  const bool smaller = sizeof(V) > sizeof(float) &&
                       std::all_of(sampled.begin(), sampled.end(), [](V v) { return float_keeps(v); }) &&
                       all_fit_float(here, all, device);
  return smaller ? ValueCodec::f32 : ValueCodec::raw;
}

template <class V>
std::optional<ValueStore<V>> make_value_store(simt::Here here, std::span<const V> all, ValueCodec codec,
                                              std::int64_t size, Device device) {
  ValueStore<V> made;
  made.codec = codec == ValueCodec::f32 && sizeof(V) == sizeof(float) ? ValueCodec::raw : codec;
  switch (made.codec) {
    case ValueCodec::f32:
      if (!all_fit_float(here, all, device)) return {};
      made.f32 = Buffer<float>(size, device);
      break;
    case ValueCodec::dictionary:
      if (find_table(here, all, sample(here, all, device), device, made.table) != Held::all) return {};
      made.code = Buffer<std::uint8_t>(size, device);
      break;
    default: made.raw = Buffer<V>(size, device);
  }
  return made;
}

template std::optional<ValueCodec> smallest_codec(simt::Here, std::span<const float>, Device);
template std::optional<ValueCodec> smallest_codec(simt::Here, std::span<const double>, Device);
template std::optional<ValueStore<float>> make_value_store(simt::Here, std::span<const float>, ValueCodec, std::int64_t,
                                                           Device);
template std::optional<ValueStore<double>> make_value_store(simt::Here, std::span<const double>, ValueCodec,
                                                            std::int64_t, Device);

}  // namespace heddle
