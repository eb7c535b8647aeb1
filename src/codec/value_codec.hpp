// How the values of a matrix are stored, without loss:
//
//   raw           as they are
//   f32           doubles that a float holds exactly, in 4 bytes
//   dictionary    one byte, the place in a table of at most 256 distinct values
//   constant      one value where a layout has a run of equal ones (a diagonal of a slice)
//   dictionary16  two bytes, the place in a table of at most 65,536 distinct values
//   uniform       nothing: all values of the matrix are one
//
// "Equal" is equality of bits: -0, NaN with its payload and infinities come back as they were.
#pragma once

#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <heddle/buffer.hpp>
#include <heddle/matrix.hpp>

#include "core/system.hpp"
#include "simt/primitives/answers.hpp"
#include "simt/simt.hpp"

namespace heddle {

enum class ValueCodec { raw, f32, dictionary, constant, dictionary16, uniform };
inline const std::vector<std::string> value_codec_names{"raw",      "f32",          "dictionary",
                                                        "constant", "dictionary16", "uniform"};

// Places of a table whose codes are of type S.
template <class S>
inline constexpr int table_places = 1 << 8 * sizeof(S);
inline constexpr int dictionary_size = table_places<std::uint8_t>, dictionary16_size = table_places<std::uint16_t>;

// The stored form of a value that needs none.
struct NoBytes {};

SIMT_BOTH std::uint32_t value_bits(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
SIMT_BOTH std::uint64_t value_bits(double value) {
  std::uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Whether a float holds the value, and that float. A GPU's own conversion would change the payload of a NaN; one of
// which a float keeps all bits is quiet and has its payload on top.
SIMT_BOTH bool float_keeps(double value) {
  if (value == value) return value_bits(static_cast<double>(static_cast<float>(value))) == value_bits(value);
  return (value_bits(value) & 0x1fffffffu) == 0 && (value_bits(value) >> 51 & 1) != 0;
}
SIMT_BOTH float kept_in_float(double value) {
  if (value == value) return static_cast<float>(value);
  const auto bits = static_cast<std::uint32_t>(value_bits(value) >> 32 & 0x80000000u) | 0x7f800000u |
                    static_cast<std::uint32_t>(value_bits(value) >> 29 & 0x7fffffu);
  float kept;
  memcpy(&kept, &bits, sizeof kept);
  return kept;
}

// What a kernel reads: S is V, float, std::uint8_t, std::uint16_t or NoBytes.
template <class V, class S>
struct CodedValues {
  const S* data = nullptr;
  const V* table = nullptr;  // of a dictionary; of uniform values the one

  // Where value number i is stored.
  SIMT_DEVICE const S* at(std::int64_t i) const {
    if constexpr (std::is_empty_v<S>)
      return nullptr;
    else
      return data + i;
  }
  SIMT_DEVICE V decode(S stored) const {
    if constexpr (std::is_empty_v<S>)
      return simt::cached_load(table);
    else if constexpr (std::is_integral_v<S>)
      return simt::cached_load(table + stored);
    else
      return static_cast<V>(stored);
  }
  // Value number i, for kernels of the CPU.
  V value(std::int64_t i) const {
    if constexpr (std::is_empty_v<S>)
      return *table;
    else
      return decode(data[i]);
  }
};

// Where values of a table are found, by a hash of their bits: those of +0, the lowest, are not there. A power of two of
// slots, of which three in four are free. The high bits of the product are those that depend on all bits: doubles that
// differ in sign and exponent alone had one slot, and the set of 6.5 M of them took 64 us (H200).
SIMT_BOTH std::uint32_t value_slot(std::uint64_t bits, std::uint32_t slots) {
  const std::uint64_t high = (bits * std::uint64_t{0x9E3779B97F4A7C15u}) >> 32;
  return static_cast<std::uint32_t>(high * slots >> 32);
}
template <class V>
struct FinderView {
  const V* slot = nullptr;  // +0: free
  const std::uint16_t* code = nullptr;
  std::uint32_t slots = 0;

  // Of a value that is there.
  SIMT_DEVICE std::uint16_t find(V value) const {
    const auto bits = value_bits(value);
    if (bits == 0) return 0;
    auto at = value_slot(bits, slots);
    for (auto there = value_bits(simt::cached_load(slot + at)); there != bits && there != 0;
         there = value_bits(simt::cached_load(slot + at)))
      at = (at + 1) & (slots - 1);
    return simt::cached_load(code + at);
  }
};

// What a kernel writes that builds a format: the stored form of a value the codec holds. (Halving the table instead of
// a hash: eight loads one after the other, 84 us of 6.5 M entries of elasticity; H200.)
template <class V, class S>
struct ValueWriter {
  S* data = nullptr;
  FinderView<V> finder;

  SIMT_DEVICE S* at(std::int64_t i) const {
    if constexpr (std::is_empty_v<S>)
      return nullptr;
    else
      return data + i;
  }
  SIMT_DEVICE S encode(V value) const {
    if constexpr (std::is_empty_v<S>)
      return {};
    else if constexpr (std::is_integral_v<S>)
      return static_cast<S>(finder.find(value));
    else if constexpr (std::is_same_v<S, V>)
      return value;
    else
      return kept_in_float(value);
  }
};

// On a device: the table of a dictionary, and where values are in it.
template <class V>
struct ValueTable {
  Buffer<V> table, slot;
  Buffer<std::uint16_t> code;

  FinderView<V> finder() const { return {slot.data(), code.data(), static_cast<std::uint32_t>(slot.size())}; }
};

// Owns the values; at most one of the first four arrays is in use.
template <class V>
struct ValueStore {
  ValueCodec codec = ValueCodec::raw;
  Buffer<V> raw;
  Buffer<float> f32;
  Buffer<std::uint8_t> code;
  Buffer<std::uint16_t> code16;
  Buffer<V> table;  // sorted by bits; unused places repeat the last value. Of uniform values the one
  // While building: where in the table a value is, on the host and on a device.
  Vector<std::uint32_t> finder;
  ValueTable<V> there;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.raw), f(self.f32), f(self.code), f(self.code16), f(self.table);
  }

  void set(std::int64_t at, V value);  // a value the codec holds
  V get(std::int64_t at) const;
  void clear(std::int64_t begin, std::int64_t end);  // zeros, or code 0: never read

  // f(CodedValues<V, S>) for the S in use, in layouts that have all codecs (but `constant`);
  template <class F>
  void visit_all(F f) const {
    if (codec == ValueCodec::dictionary16)
      f(CodedValues<V, std::uint16_t>{code16.data(), table.data()});
    else if (codec == ValueCodec::uniform)
      f(CodedValues<V, NoBytes>{nullptr, table.data()});
    else
      visit(f);
  }
  // and in those that have neither dictionary16 nor uniform.
  template <class F>
  void visit(F f) const {
    if (codec == ValueCodec::dictionary)
      f(CodedValues<V, std::uint8_t>{code.data(), table.data()});
    else if constexpr (std::is_same_v<V, double>) {
      if (codec == ValueCodec::f32)
        f(CodedValues<V, float>{f32.data(), nullptr});
      else
        f(CodedValues<V, V>{raw.data(), nullptr});
    } else {
      f(CodedValues<V, V>{raw.data(), nullptr});
    }
  }
};

// f(ValueWriter<V, S>) for the S in use, with the same two kinds of layouts.
template <class V, class F>
void with_writer(ValueStore<V>& values, F f) {
  values.visit([&]<class S>(const CodedValues<V, S>& coded) {
    f(ValueWriter<V, S>{const_cast<S*>(coded.data), values.there.finder()});  // the store itself is not const
  });
}
template <class V, class F>
void with_any_writer(ValueStore<V>& values, F f) {
  values.visit_all([&]<class S>(const CodedValues<V, S>& coded) {
    f(ValueWriter<V, S>{const_cast<S*>(coded.data), values.there.finder()});
  });
}

// Room for `size` values of a matrix whose values are `all`. Error(unavailable) when the codec cannot hold them.
template <class V>
ValueStore<V> make_value_store(std::span<const V> all, ValueCodec codec, std::int64_t size);
std::int64_t value_store_bytes(ValueCodec codec, std::int64_t size, int value_bytes);

// The codec with the fewest bytes that holds all of them and costs no more than it saves; `constant` is for layouts to
// find out.
//
// A large table is fetched from like x, and that pays only for raw doubles and from the L1: for floats a fetch is no
// cheaper than the two bytes it saves. G a second on an H200:
//
//   fetches from 64 KiB   from 256 KiB   raw doubles with their columns   floats, and doubles stored as floats
//   755                   267            380 to 460                       570 to 770
struct Codecs {
  bool all = false;    // dictionary16 and uniform too, which not every layout has
  bool tables = true;  // dictionary and dictionary16
};
template <class V>
inline constexpr std::int64_t dictionary16_pays = sizeof(V) == 8 ? (64 << 10) / 8 : 0;  // distinct values
template <class V>
ValueCodec smallest_codec(std::span<const V> all, Codecs codecs);

// A few values tell whether a large table could hold all of them: they lie where chance has it, at the same places
// every time. Of 1,024 values out of 8,192 some 61 have come before (give or take 7); where fewer than 48 have, the
// others are not counted. (Half as many samples do not tell 8,192 values from 54,000 of which some are frequent.)
inline constexpr std::int64_t most_value_samples = 1024;
SIMT_BOTH std::int64_t place_of_sample(std::int64_t i, std::int64_t size) {
  std::uint64_t mixed = (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
  return static_cast<std::int64_t>((mixed ^ mixed >> 31) % static_cast<std::uint64_t>(size));
}
// Of no more than most_value_samples; no more than one more than `most`.
template <class V>
Vector<V> distinct_samples(std::span<const V> sampled, int most = static_cast<int>(most_value_samples));
inline bool may_be_few_values(std::int64_t samples, std::int64_t distinct) { return samples - distinct >= 48; }

// A codec that holds all values, and the table of it, where it has one: given up to who builds.
template <class V>
struct FoundCodec {
  ValueCodec codec = ValueCodec::raw;
  std::shared_ptr<ValueTable<V>> table;
};
// Values that lie on a device, and what is known about them.
template <class V>
struct ValuesThere {
  std::span<const V> all;
  FoundCodec<V> found;
};
template <class V>
struct MatrixThere : CsrView<V> {
  FoundCodec<V> found;

  MatrixThere(const CsrView<V>& A, FoundCodec<V> of_values = {}) : CsrView<V>(A), found(std::move(of_values)) {}
  ValuesThere<V> values() const { return {this->val, found}; }
};

// The same two for values that lie on a device, on that device. Nothing: the codec cannot hold them.
template <class V>
std::optional<ValueStore<V>> make_value_store(simt::Emulator, const ValuesThere<V>& there, ValueCodec codec,
                                              std::int64_t size, Device device);
template <class V>
std::optional<ValueStore<V>> make_value_store(simt::Cuda, const ValuesThere<V>& there, ValueCodec codec,
                                              std::int64_t size, Device device);
// The same in two steps: kernels read the values from now on, as far as the codec needs it, and a call of the result
// with a size waits for them.
template <class V>
using ValueStoreQuestion = std::function<std::optional<ValueStore<V>>(std::int64_t size)>;
template <class V>
ValueStoreQuestion<V> ask_value_store(simt::Emulator, const ValuesThere<V>& there, ValueCodec codec, Device device);
template <class V>
ValueStoreQuestion<V> ask_value_store(simt::Cuda, const ValuesThere<V>& there, ValueCodec codec, Device device);
// smallest_codec of values on a device: kernels read them from now on, and a call of the result waits for them. along:
// a look at the pattern that the same kernel shall take, on the default stream; null: none. asks_floats: whether floats
// keep doubles is asked at once, for which all of them are read, and not if it turns out to matter. few: the question
// for dictionary_size values, if it is queued already; or null.
template <class V>
class DistinctValues;
template <class V>
using CodecQuestion = std::function<FoundCodec<V>(Codecs, DistinctValues<V>* few)>;
struct PatternLook;
template <class V>
CodecQuestion<V> ask_smallest_codec(simt::Emulator, std::span<const V> there, Device device, device::Queue queue,
                                    const PatternLook* along = nullptr, bool asks_floats = false);
template <class V>
CodecQuestion<V> ask_smallest_codec(simt::Cuda, std::span<const V> there, Device device, device::Queue queue,
                                    const PatternLook* along = nullptr, bool asks_floats = false);

}  // namespace heddle
