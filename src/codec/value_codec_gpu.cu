#include "codec/value_codec.hpp"

#include <algorithm>

#include "codec/value_table.hpp"
#include "simt/csr/pattern_look.hpp"
#include "simt/primitives/reduce.hpp"

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

constexpr int look_threads = 256;
constexpr std::int64_t most_look_blocks = 792;

// What a part of the values has: one that is not the first of all, and one that is none of a float.
struct PartSeen {
  std::int32_t other = 0, beyond_float = 0;
};

// Some of the values, and what each block found.
template <class V>
struct ValuesSeen {
  V sample[most_value_samples];
  PartSeen part[most_look_blocks];
};

template <class V>
struct ValuesLook {
  const V* val;
  std::int64_t size, samples, blocks;
  ValuesSeen<V>* to;
  V* keep;  // where the first goes; null: nowhere
  bool asks_floats;
};

// By a block of those it has. A thread that has seen another value than the first, and one that is none of a float
// where that is asked for, looks no further.
template <class V>
SIMT_DEVICE void look_at_part(const ValuesLook<V>& look, std::int64_t block) {
  const auto [val, size, samples, blocks, to, keep, asks_floats] = look;
  const std::int64_t mine = block * look_threads + simt::thread(), stride = blocks * look_threads;
  if (mine < samples) to->sample[mine] = val[place_of_sample(mine, size)];
  const V only = size > 0 ? val[0] : V(0);
  if (mine == 0 && keep != nullptr) *keep = only;
  const auto first = value_bits(only);
  bool other = false, beyond_float = !asks_floats;
  for (std::int64_t i = mine; i < size && !(other && beyond_float); i += 4 * stride) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const std::int64_t at = i + u * stride;
      const V value = simt::stream_load(val + (at < size ? at : i));
      other |= value_bits(value) != first;
      if constexpr (sizeof(V) > sizeof(float)) beyond_float |= !float_keeps(value);
    }
  }
  auto* of_warps = simt::shared<PartSeen>();
  const bool any_other = simt::any(other), any_beyond = simt::any(beyond_float);
  if (simt::lane() == 0) of_warps[simt::warp()] = {any_other ? 1 : 0, any_beyond ? 1 : 0};
  simt::sync_block();
  if (simt::thread() != 0) return;
  PartSeen seen;
  for (int w = 0; w < look_threads / simt::warp_size; ++w) {
    seen.other |= of_warps[w].other;
    seen.beyond_float |= of_warps[w].beyond_float;
  }
  to->part[block] = seen;
}

template <class V>
SIMT_KERNEL look_at_values(ValuesLook<V> look) {
  simt::let_next_start();
  look_at_part(look, simt::block());
  if (simt::thread() == 0 && simt::block() == 0) simt::wait_for_earlier();  // so that this grid ends behind it
}

// A launch takes the host as long as it takes this kernel: so the first look at a matrix and the one at its values are
// one.
template <class V>
SIMT_BOUNDED_KERNEL(look_threads, PatternItems::blocks_of_unit)
look_at_pattern_and_values(PatternLook pattern, ValuesLook<V> values) {
  simt::let_next_start();
  if (simt::block() < pattern.blocks)
    device::reduce_part(PatternItems(pattern), pattern.count(), simt::block(), pattern.blocks, pattern.found);
  else
    look_at_part(values, simt::block() - pattern.blocks);
  if (simt::thread() == 0 && simt::block() == 0) simt::wait_for_earlier();
}

// Queued; the answer is read later.
template <class V>
class ValueLook {
 public:
  // along: what other blocks of the same kernel read; null: nothing. asks_floats: whether a float keeps all values.
  ValueLook(simt::Here here, std::span<const V> all, Device device, device::Queue queue, V* keep_first = nullptr,
            const PatternLook* along = nullptr, bool asks_floats = false)
      : asks_floats_(asks_floats && sizeof(V) > sizeof(float)),
        samples_(std::min(std::ssize(all), most_value_samples)),
        blocks_(std::clamp(simt::blocks_for(std::ssize(all), look_threads), std::int64_t{1}, most_look_blocks)),
        seen_(1, device, queue.stream) {
    const ValuesLook<V> look{all.data(), std::ssize(all), samples_, blocks_, seen_.there(), keep_first, asks_floats_};
    simt::Launch shape{blocks_, look_threads, look_threads / simt::warp_size * sizeof(PartSeen), queue.stream};
    shape.overlaps = queue.overlaps;
    if (along == nullptr) {
      simt::launch(here, shape, look_at_values<V>, look);
      return;
    }
    static_assert(look_threads == device::reduce_threads);
    shape.blocks += along->blocks;
    shape.shared_bytes = std::max(shape.shared_bytes, device::reduce_threads * sizeof(PatternFound));
    simt::launch(here, shape, look_at_pattern_and_values<V>, *along, look);
  }
  // Waits.
  std::span<const V> sample() { return {seen().sample, static_cast<std::size_t>(samples_)}; }
  bool all_equal() {
    return std::ranges::all_of(parts(), [](const PartSeen& part) { return part.other == 0; });
  }
  bool asked_floats() const { return asks_floats_; }
  bool all_fit_float() {
    return std::ranges::all_of(parts(), [](const PartSeen& part) { return part.beyond_float == 0; });
  }

 private:
  const ValuesSeen<V>& seen() {
    if (here_.empty()) here_ = seen_.here();
    return here_[0];
  }
  std::span<const PartSeen> parts() { return {seen().part, static_cast<std::size_t>(blocks_)}; }

  bool asks_floats_;
  std::int64_t samples_, blocks_;
  device::Answers<ValuesSeen<V>> seen_;
  std::span<const ValuesSeen<V>> here_;
};

// The table of all values, or nothing where they are more than `most`. asked: the question, if it is queued already; or
// null.
template <class V>
std::shared_ptr<ValueTable<V>> find_table(simt::Here here, std::span<const V> all, std::int64_t most,
                                          std::int64_t places, Device device, DistinctValues<V>* asked = nullptr) {
  std::optional<DistinctValues<V>> own;
  if (!asked) own.emplace(most, device).ask(here, all);
  DistinctValues<V>& distinct = asked ? *asked : *own;
  return distinct.count() <= most ? std::make_shared<ValueTable<V>>(distinct.table(here, places)) : nullptr;
}

// Unless the look has asked, samples tell whether it is worth asking.
template <class V>
bool doubles_fit_float(simt::Here here, std::span<const V> all, ValueLook<V>& look, Device device) {
  if (look.asked_floats()) return look.all_fit_float();
  return std::ranges::all_of(look.sample(), [](V v) { return float_keeps(v); }) && all_fit_float(here, all, device);
}

template <class V>
FoundCodec<V> smallest_codec(simt::Here here, std::span<const V> all, ValueLook<V>& look,
                             std::shared_ptr<ValueTable<V>> only, Codecs codecs, DistinctValues<V>* few,
                             Device device) {
  if (codecs.all && look.all_equal()) return {ValueCodec::uniform, std::move(only)};
  const std::span<const V> sampled = look.sample();
  const bool may_be_many = codecs.all && codecs.tables && dictionary16_pays<V> > 0;  // in a large table
  const int most = may_be_many ? static_cast<int>(most_value_samples) : dictionary_size;
  // Where all of a few have been asked for, samples tell nothing new about them.
  const bool asks_samples = codecs.tables && (few == nullptr || may_be_many);
  const Vector<V> seen = asks_samples ? distinct_samples(sampled, most) : Vector<V>{};
  if (codecs.tables && std::ssize(seen) <= dictionary_size)
    if (auto table = find_table<V>(here, all, dictionary_size, dictionary_size, device, few))
      return {ValueCodec::dictionary, std::move(table)};
  if (sizeof(V) > sizeof(float) && doubles_fit_float(here, all, look, device)) return {ValueCodec::f32, nullptr};
  if (may_be_many && may_be_few_values(std::ssize(sampled), std::ssize(seen)))
    if (auto table = find_table<V>(here, all, dictionary16_pays<V>, dictionary16_size, device))
      return {ValueCodec::dictionary16, std::move(table)};
  return {};
}

}  // namespace

template <class V>
CodecQuestion<V> ask_smallest_codec(simt::Here here, std::span<const V> all, Device device, device::Queue queue,
                                    const PatternLook* along, bool asks_floats) {
  const auto only = std::make_shared<ValueTable<V>>(ValueTable<V>{Buffer<V>(1, device), {}, {}});
  const auto look = std::make_shared<ValueLook<V>>(here, all, device, queue, only->table.data(), along, asks_floats);
  return [=](Codecs codecs, DistinctValues<V>* few) {
    return smallest_codec(here, all, *look, only, codecs, few, device);
  };
}

namespace {

// What is on its way, for codecs that ask for it: whether all values are one, and that one, which the look keeps; or
// how many there are.
template <class V>
struct ValuesAsked {
  std::optional<ValueLook<V>> look;
  Buffer<V> only;
  std::optional<DistinctValues<V>> distinct;

  ValuesAsked(simt::Here here, const ValuesThere<V>& there, ValueCodec codec, Device device) {
    if (there.found.table) return;
    if (codec == ValueCodec::uniform) {
      only = Buffer<V>(1, device);
      // Overlaps the questions about the pattern: the matrix is on the device and checked.
      const Stream beside = device::side_stream(device, device::Side::second);
      look.emplace(here, there.all, device, device::Queue{beside}, only.data());
    }
    if (codec == ValueCodec::dictionary) distinct.emplace(dictionary_size, device).ask(here, there.all);
    if (codec == ValueCodec::dictionary16) distinct.emplace(dictionary16_size, device).ask(here, there.all);
  }

  // False: they are too many.
  bool take_table(simt::Here here, const ValuesThere<V>& there, std::int64_t places, ValueStore<V>& to) {
    if (there.found.table)
      to.there = std::move(*there.found.table);
    else if (look && look->all_equal())
      to.there.table = std::move(only);
    else if (distinct && distinct->count() <= places)
      to.there = distinct->table(here, places);
    to.table = std::move(to.there.table);
    return to.table.size() == places;
  }
};

template <class V>
std::optional<ValueStore<V>> make_store(simt::Here here, const ValuesThere<V>& there, ValueCodec codec,
                                        ValuesAsked<V>& asked, std::int64_t size, Device device) {
  ValueStore<V> made;
  made.codec = codec == ValueCodec::f32 && sizeof(V) == sizeof(float) ? ValueCodec::raw : codec;
  switch (made.codec) {
    case ValueCodec::f32:
      if (there.found.codec != ValueCodec::f32 && !all_fit_float(here, there.all, device)) return {};
      made.f32 = Buffer<float>(size, device);
      break;
    case ValueCodec::dictionary:
      if (!asked.take_table(here, there, dictionary_size, made)) return {};
      made.code = Buffer<std::uint8_t>(size, device);
      break;
    case ValueCodec::dictionary16:
      if (!asked.take_table(here, there, dictionary16_size, made)) return {};
      made.code16 = Buffer<std::uint16_t>(size, device);
      break;
    case ValueCodec::uniform:
      if (!asked.take_table(here, there, 1, made)) return {};
      break;
    default: made.raw = Buffer<V>(size, device);
  }
  return made;
}

}  // namespace

template <class V>
ValueStoreQuestion<V> ask_value_store(simt::Here here, const ValuesThere<V>& there, ValueCodec codec, Device device) {
  const auto asked = std::make_shared<ValuesAsked<V>>(here, there, codec, device);
  return [=](std::int64_t size) { return make_store(here, there, codec, *asked, size, device); };
}

template <class V>
std::optional<ValueStore<V>> make_value_store(simt::Here here, const ValuesThere<V>& there, ValueCodec codec,
                                              std::int64_t size, Device device) {
  return ask_value_store(here, there, codec, device)(size);
}

template CodecQuestion<float> ask_smallest_codec(simt::Here, std::span<const float>, Device, device::Queue,
                                                 const PatternLook*, bool);
template CodecQuestion<double> ask_smallest_codec(simt::Here, std::span<const double>, Device, device::Queue,
                                                  const PatternLook*, bool);
template ValueStoreQuestion<float> ask_value_store(simt::Here, const ValuesThere<float>&, ValueCodec, Device);
template ValueStoreQuestion<double> ask_value_store(simt::Here, const ValuesThere<double>&, ValueCodec, Device);
template std::optional<ValueStore<float>> make_value_store(simt::Here, const ValuesThere<float>&, ValueCodec,
                                                           std::int64_t, Device);
template std::optional<ValueStore<double>> make_value_store(simt::Here, const ValuesThere<double>&, ValueCodec,
                                                            std::int64_t, Device);

}  // namespace heddle
