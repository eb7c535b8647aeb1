#include "layout/value_codec.hpp"

#include <algorithm>

#include "layout/device_reduce.hpp"
#include "layout/pattern_look.hpp"

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
void keep_distinct(Vector<V>& values) {
  const auto before = [](V a, V b) { return value_bits(a) < value_bits(b); };
  const auto same = [](V a, V b) { return value_bits(a) == value_bits(b); };
  std::sort(values.begin(), values.end(), before);
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
}

template <class V>
Buffer<V> table_of(const Vector<V>& distinct, std::int64_t places) {
  Buffer<V> table(places);
  std::fill(table.begin(), table.end(), distinct.empty() ? V(0) : distinct.back());
  std::copy(distinct.begin(), distinct.end(), table.begin());
  return table;
}

enum class Held { all, too_many, unknown };

// The table that holds all values. A sample shows most of them, and more than enough where there are many; then
// everybody looks for his value in the table, and what is missing joins it. (No atomics: the table is the same every
// time.)
template <class V>
Held find_table(simt::Here here, std::span<const V> all, std::span<const V> sampled, Device device, Buffer<V>& table) {
  constexpr int most_rounds = 16;
  Vector<V> distinct(sampled.begin(), sampled.end());
  for (int round = 0; round < most_rounds; ++round) {
    keep_distinct(distinct);
    if (distinct.size() > dictionary_size) return Held::too_many;
    table = table_of(distinct, dictionary_size).to(device);
    const OutsideTable<V> outside{all.data(), {nullptr, table.data()}};
    const std::size_t known = distinct.size();
    device::reduce_by_blocks(here, outside, static_cast<std::int64_t>(all.size()), device, 4, [&](const auto& found) {
      if (found.any != 0) distinct.push_back(found.value);
    });
    if (distinct.size() == known) return Held::all;
  }
  return Held::unknown;
}

// Different bits, but for those of +0, by open addressing: a set is the same whoever comes first. Four slots for each
// of the `most` values it is for; once there are more nobody goes on.
template <class Bits>
struct BitSet {
  Bits* slot;
  std::uint32_t slots, most;  // a power of two
  std::uint32_t *count, *has_zero;

  SIMT_DEVICE bool overfull() const { return simt::uncached_load(count) > most; }
  SIMT_DEVICE void enter(Bits bits) const {
    if (bits == 0) {
      if (simt::uncached_load(has_zero) == 0) simt::atomic_or(has_zero, 1u);
      return;
    }
    auto at = static_cast<std::uint32_t>((bits * std::uint64_t{0x9E3779B97F4A7C15u}) >> 32) & (slots - 1);
    for (;; at = (at + 1) & (slots - 1)) {
      Bits there = simt::uncached_load(slot + at);
      if (there == 0) there = simt::atomic_claim(slot + at, bits);
      if (there == 0) simt::atomic_add(count, 1u);
      if (there == 0 || there == bits || overfull()) return;
    }
  }
};

// Values 0, step, 2 step, ..
template <class V, class Bits>
SIMT_KERNEL enter_values(const V* val, std::int64_t size, std::int64_t step, BitSet<Bits> set) {
  constexpr int between_looks = 16;
  const std::int64_t stride = step * simt::grid_blocks() * simt::block_threads();
  int entered = 0;
  for (std::int64_t i = step * simt::global_thread(); i < size; i += stride) {
    if (entered++ % between_looks == 0 && set.overfull()) return;
    set.enter(value_bits(simt::stream_load(val + i)));
  }
}

template <class Bits>
SIMT_KERNEL clear_thread_per_slot(BitSet<Bits> set) {
  const std::int64_t i = simt::global_thread();
  if (i < set.slots) set.slot[i] = 0;
  if (i == 0) *set.count = *set.has_zero = 0;
}

// The distinct values, in no order; nothing when they are more than `most`. A few threads begin, with values from all
// over: where these are too many already the others stop before they begin, and do not all add to one counter.
template <class V>
class DistinctValues {
  using Bits = decltype(value_bits(V{}));

 public:
  DistinctValues(simt::Here here, std::span<const V> all, std::int64_t most, Device device)
      : memory_(device), slot_count_(4 * most), slots_(memory_.take<Bits>(slot_count_)) {
    constexpr int threads = 256;
    constexpr std::int64_t most_blocks = 792;
    auto* counts = memory_.take<std::uint32_t>(2);
    const BitSet<Bits> set{slots_, static_cast<std::uint32_t>(slot_count_), static_cast<std::uint32_t>(most), counts,
                           counts + 1};
    simt::launch(here, {simt::blocks_for(slot_count_, threads), threads}, clear_thread_per_slot<Bits>, set);
    const auto size = static_cast<std::int64_t>(all.size()), first_ones = 2 * most;
    if (size > 4 * first_ones)
      simt::launch(here, {simt::blocks_for(first_ones, threads), threads}, enter_values<V, Bits>, all.data(), size,
                   size / first_ones, set);
    simt::launch(here, {std::min(most_blocks, simt::blocks_for(size, threads)), threads}, enter_values<V, Bits>,
                 all.data(), size, std::int64_t{1}, set);
    const Buffer<std::uint32_t> found = device::brought_here(counts, 2, memory_);
    count_ = std::int64_t{found[0]} + found[1];
    has_zero_ = found[1] != 0;
  }

  std::int64_t count() const { return count_; }
  Vector<V> values() const {
    Vector<V> all;
    if (has_zero_) all.push_back(V(0));
    for (const Bits bits : device::brought_here(slots_, slot_count_, memory_)) {
      V value;
      memcpy(&value, &bits, sizeof value);
      if (bits != 0) all.push_back(value);
    }
    return all;
  }

 private:
  device::Workspace memory_;
  std::int64_t slot_count_;
  Bits* slots_;
  std::int64_t count_ = 0;
  bool has_zero_ = false;
};

template <class V>
bool dictionary16_is_best(simt::Here here, std::span<const V> all, Device device) {
  constexpr std::int64_t most = dictionary16_pays<V>;
  if constexpr (most == 0)
    return false;
  else
    return DistinctValues<V>(here, all, most, device).count() <= most;
}

}  // namespace

namespace {

template <class V>
std::optional<ValueCodec> smallest_codec(simt::Here here, std::span<const V> all, ValueLook<V>& look, Codecs codecs,
                                         Device device) {
  if (codecs == Codecs::all && look.all_equal()) return ValueCodec::uniform;
  Buffer<V> table;
  const std::span<const V> sampled = look.sample();
  const bool may_be_many = codecs == Codecs::all && dictionary16_pays<V> > 0;  // in a large table
  const int distinct = distinct_samples(sampled, may_be_many ? static_cast<int>(most_value_samples) : dictionary_size);
  const Held held = distinct > dictionary_size ? Held::too_many : find_table(here, all, sampled, device, table);
  if (held == Held::unknown) return {};
  if (held == Held::all) return ValueCodec::dictionary;
  const bool smaller = sizeof(V) > sizeof(float) &&
                       std::all_of(sampled.begin(), sampled.end(), [](V v) { return float_keeps(v); }) &&
                       all_fit_float(here, all, device);
  if (smaller) return ValueCodec::f32;
  const bool may_be = may_be_many && may_be_few_values(std::ssize(sampled), distinct);
  return may_be && dictionary16_is_best(here, all, device) ? ValueCodec::dictionary16 : ValueCodec::raw;
}

}  // namespace

template <class V>
CodecQuestion ask_smallest_codec(simt::Here here, std::span<const V> all, Device device, device::Queue queue,
                                 const PatternLook* along) {
  const auto look = std::make_shared<ValueLook<V>>(here, all, device, queue, nullptr, along);
  return [=](Codecs codecs) { return smallest_codec(here, all, *look, codecs, device); };
}

namespace {

// A look on its way, for codecs that ask for it; and the table of the only value, which that look fills.
template <class V>
struct ValuesAsked {
  std::optional<ValueLook<V>> look;
  Buffer<V> only;

  ValuesAsked(simt::Here here, std::span<const V> all, ValueCodec codec, Device device) {
    if (codec == ValueCodec::uniform) only = Buffer<V>(1, device);
    // Beside what is asked about the pattern: the matrix is there, it has been looked at.
    const Stream beside = device::side_stream(device, device::Side::second);
    if (codec == ValueCodec::uniform || codec == ValueCodec::dictionary)
      look.emplace(here, all, device, device::Queue{beside}, only.data());
  }
};

template <class V>
std::optional<ValueStore<V>> make_store(simt::Here here, std::span<const V> all, ValueCodec codec,
                                        ValuesAsked<V>& asked, std::int64_t size, Device device) {
  ValueStore<V> made;
  made.codec = codec == ValueCodec::f32 && sizeof(V) == sizeof(float) ? ValueCodec::raw : codec;
  switch (made.codec) {
    case ValueCodec::f32:
      if (!all_fit_float(here, all, device)) return {};
      made.f32 = Buffer<float>(size, device);
      break;
    case ValueCodec::dictionary:
      if (find_table(here, all, asked.look->sample(), device, made.table) != Held::all) return {};
      made.code = Buffer<std::uint8_t>(size, device);
      break;
    case ValueCodec::dictionary16: {
      const DistinctValues<V> found(here, all, dictionary16_size, device);
      if (found.count() > dictionary16_size) return {};
      Vector<V> distinct = found.values();
      keep_distinct(distinct);
      made.table = table_of(distinct, dictionary16_size).to(device);
      made.code16 = Buffer<std::uint16_t>(size, device);
      break;
    }
    case ValueCodec::uniform:
      if (!asked.look->all_equal()) return {};
      made.table = std::move(asked.only);
      break;
    default: made.raw = Buffer<V>(size, device);
  }
  return made;
}

}  // namespace

template <class V>
ValueStoreQuestion<V> ask_value_store(simt::Here here, std::span<const V> all, ValueCodec codec, Device device) {
  const auto asked = std::make_shared<ValuesAsked<V>>(here, all, codec, device);
  return [=](std::int64_t size) { return make_store(here, all, codec, *asked, size, device); };
}

template <class V>
std::optional<ValueStore<V>> make_value_store(simt::Here here, std::span<const V> all, ValueCodec codec,
                                              std::int64_t size, Device device) {
  return ask_value_store(here, all, codec, device)(size);
}

template CodecQuestion ask_smallest_codec(simt::Here, std::span<const float>, Device, device::Queue,
                                          const PatternLook*);
template CodecQuestion ask_smallest_codec(simt::Here, std::span<const double>, Device, device::Queue,
                                          const PatternLook*);
template ValueStoreQuestion<float> ask_value_store(simt::Here, std::span<const float>, ValueCodec, Device);
template ValueStoreQuestion<double> ask_value_store(simt::Here, std::span<const double>, ValueCodec, Device);
template std::optional<ValueStore<float>> make_value_store(simt::Here, std::span<const float>, ValueCodec, std::int64_t,
                                                           Device);
template std::optional<ValueStore<double>> make_value_store(simt::Here, std::span<const double>, ValueCodec,
                                                            std::int64_t, Device);

}  // namespace heddle
