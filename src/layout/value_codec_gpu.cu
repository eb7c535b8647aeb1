#include "layout/value_codec.hpp"

#include <algorithm>

#include "layout/device_reduce.hpp"
#include "layout/pattern_look.hpp"
#include "layout/value_table.hpp"

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

// Some of the values; and which blocks found one that is not the first.
template <class V>
struct ValuesSeen {
  V sample[most_value_samples];
  std::int32_t differ[most_look_blocks];
};

template <class V>
struct ValuesLook {
  const V* val;
  std::int64_t size, samples, blocks;
  ValuesSeen<V>* to;
  V* keep;  // where the first goes; null: nowhere
};

// By a block of those it has. A thread that has seen another value than the first looks no further.
template <class V>
SIMT_DEVICE void look_at_part(const ValuesLook<V>& look, std::int64_t block) {
  const auto [val, size, samples, blocks, to, keep] = look;
  const std::int64_t mine = block * look_threads + simt::thread(), stride = blocks * look_threads;
  if (mine < samples) to->sample[mine] = val[place_of_sample(mine, size)];
  const V only = size > 0 ? val[0] : V(0);
  if (mine == 0 && keep != nullptr) *keep = only;
  const auto first = value_bits(only);
  bool differs = false;
  for (std::int64_t i = mine; i < size && !differs; i += 4 * stride) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const std::int64_t at = i + u * stride;
      differs |= value_bits(simt::stream_load(val + (at < size ? at : i))) != first;
    }
  }
  auto* of_warps = simt::shared<std::int32_t>();
  const bool any = simt::any(differs);
  if (simt::lane() == 0) of_warps[simt::warp()] = any ? 1 : 0;
  simt::sync_block();
  if (simt::thread() != 0) return;
  std::int32_t found = 0;
  for (int w = 0; w < look_threads / simt::warp_size; ++w) found |= of_warps[w];
  to->differ[block] = found;
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

// Queued, and looked at later.
template <class V>
class ValueLook {
 public:
  // along: what is looked at by other blocks of the same kernel; null: nothing.
  ValueLook(simt::Here here, std::span<const V> all, Device device, device::Queue queue, V* keep_first = nullptr,
            const PatternLook* along = nullptr)
      : samples_(std::min(std::ssize(all), most_value_samples)),
        blocks_(std::clamp(simt::blocks_for(std::ssize(all), look_threads), std::int64_t{1}, most_look_blocks)),
        seen_(1, device, queue.stream) {
    const ValuesLook<V> look{all.data(), std::ssize(all), samples_, blocks_, seen_.there(), keep_first};
    simt::Launch shape{blocks_, look_threads, look_threads / simt::warp_size * sizeof(std::int32_t), queue.stream};
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
    const std::int32_t* differ = seen().differ;
    return std::all_of(differ, differ + blocks_, [](std::int32_t one) { return one == 0; });
  }

 private:
  const ValuesSeen<V>& seen() {
    if (here_.empty()) here_ = seen_.here();
    return here_[0];
  }

  std::int64_t samples_, blocks_;
  device::Answers<ValuesSeen<V>> seen_;
  std::span<const ValuesSeen<V>> here_;
};

// The table of all values, or nothing where they are more than `most`.
template <class V>
std::shared_ptr<ValueTable<V>> find_table(simt::Here here, std::span<const V> all, std::int64_t most,
                                          std::int64_t places, Device device) {
  DistinctValues<V> distinct;
  distinct.ask(here, all, most, device);
  return distinct.count() <= most ? std::make_shared<ValueTable<V>>(distinct.table(here, places)) : nullptr;
}

template <class V>
FoundCodec<V> smallest_codec(simt::Here here, std::span<const V> all, ValueLook<V>& look,
                             std::shared_ptr<ValueTable<V>> only, Codecs codecs, Device device) {
  if (codecs.all && look.all_equal()) return {ValueCodec::uniform, std::move(only)};
  const std::span<const V> sampled = look.sample();
  const bool may_be_many = codecs.all && codecs.tables && dictionary16_pays<V> > 0;  // in a large table
  const int most = may_be_many ? static_cast<int>(most_value_samples) : dictionary_size;
  const Vector<V> seen = codecs.tables ? distinct_samples(sampled, most) : Vector<V>{};
  if (codecs.tables && std::ssize(seen) <= dictionary_size)
    if (auto table = find_table<V>(here, all, dictionary_size, dictionary_size, device))
      return {ValueCodec::dictionary, std::move(table)};
  const bool smaller = sizeof(V) > sizeof(float) &&
                       std::all_of(sampled.begin(), sampled.end(), [](V v) { return float_keeps(v); }) &&
                       all_fit_float(here, all, device);
  if (smaller) return {ValueCodec::f32, nullptr};
  if (may_be_many && may_be_few_values(std::ssize(sampled), std::ssize(seen)))
    if (auto table = find_table<V>(here, all, dictionary16_pays<V>, dictionary16_size, device))
      return {ValueCodec::dictionary16, std::move(table)};
  return {};
}

}  // namespace

template <class V>
CodecQuestion<V> ask_smallest_codec(simt::Here here, std::span<const V> all, Device device, device::Queue queue,
                                    const PatternLook* along) {
  const auto only = std::make_shared<ValueTable<V>>(ValueTable<V>{Buffer<V>(1, device), {}, {}});
  const auto look = std::make_shared<ValueLook<V>>(here, all, device, queue, only->table.data(), along);
  return [=](Codecs codecs) { return smallest_codec(here, all, *look, only, codecs, device); };
}

namespace {

// What is on its way, for codecs that ask for it: whether all values are one, and that one, which the look keeps; or
// how many there are.
template <class V>
struct ValuesAsked {
  std::optional<ValueLook<V>> look;
  Buffer<V> only;
  DistinctValues<V> distinct;

  ValuesAsked(simt::Here here, const ValuesThere<V>& there, ValueCodec codec, Device device) {
    if (there.found.table) return;
    if (codec == ValueCodec::uniform) {
      only = Buffer<V>(1, device);
      // Beside what is asked about the pattern: the matrix is there, it has been looked at.
      const Stream beside = device::side_stream(device, device::Side::second);
      look.emplace(here, there.all, device, device::Queue{beside}, only.data());
    }
    if (codec == ValueCodec::dictionary) distinct.ask(here, there.all, dictionary_size, device);
    if (codec == ValueCodec::dictionary16) distinct.ask(here, there.all, dictionary16_size, device);
  }

  // False: they are too many.
  bool take_table(simt::Here here, const ValuesThere<V>& there, std::int64_t places, ValueStore<V>& to) {
    if (there.found.table)
      to.there = std::move(*there.found.table);
    else if (look && look->all_equal())
      to.there.table = std::move(only);
    else if (!look && distinct.count() <= places)
      to.there = distinct.table(here, places);
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
                                                 const PatternLook*);
template CodecQuestion<double> ask_smallest_codec(simt::Here, std::span<const double>, Device, device::Queue,
                                                  const PatternLook*);
template ValueStoreQuestion<float> ask_value_store(simt::Here, const ValuesThere<float>&, ValueCodec, Device);
template ValueStoreQuestion<double> ask_value_store(simt::Here, const ValuesThere<double>&, ValueCodec, Device);
template std::optional<ValueStore<float>> make_value_store(simt::Here, const ValuesThere<float>&, ValueCodec,
                                                           std::int64_t, Device);
template std::optional<ValueStore<double>> make_value_store(simt::Here, const ValuesThere<double>&, ValueCodec,
                                                            std::int64_t, Device);

}  // namespace heddle
