// How the values of a matrix are stored, without loss:
//
//   raw         as they are
//   f32         doubles that a float holds exactly, in 4 bytes
//   dictionary  one byte, the place in a table of at most 256 distinct values
//   constant    one value where a layout has a run of equal ones (a diagonal of a slice)
//
// "Equal" is equality of bits: -0, NaN with its payload and infinities come back as they were.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <heddle/buffer.hpp>

#include "core/system.hpp"
#include "simt/simt.hpp"

namespace heddle {

enum class ValueCodec { raw, f32, dictionary, constant };
inline const std::vector<std::string> value_codec_names{"raw", "f32", "dictionary", "constant"};

inline constexpr int dictionary_size = 256;

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

// What a kernel reads: S is V, float or std::uint8_t.
template <class V, class S>
struct CodedValues {
  const S* data = nullptr;
  const V* table = nullptr;  // of a dictionary

  SIMT_DEVICE V decode(S stored) const {
    if constexpr (std::is_same_v<S, std::uint8_t>)
      return simt::cached_load(table + stored);
    else
      return static_cast<V>(stored);
  }
};

// What a kernel writes that builds a format: the stored form of a value the codec holds.
template <class V, class S>
struct ValueWriter {
  S* data = nullptr;
  const V* table = nullptr;  // sorted by bits

  SIMT_DEVICE S encode(V value) const {
    if constexpr (std::is_same_v<S, std::uint8_t>)
      return place_in_table(value);
    else
      return static_cast<S>(value);
  }

 private:
  SIMT_DEVICE std::uint8_t place_in_table(V value) const {
    int low = 0;
    for (int step = dictionary_size / 2; step > 0; step /= 2)
      if (value_bits(simt::cached_load(table + low + step - 1)) < value_bits(value)) low += step;
    return static_cast<std::uint8_t>(low);
  }
};

// Owns the values; exactly one of the first three arrays is in use.
template <class V>
struct ValueStore {
  ValueCodec codec = ValueCodec::raw;
  Buffer<V> raw;
  Buffer<float> f32;
  Buffer<std::uint8_t> code;
  Buffer<V> table;               // sorted by bits; unused places repeat the last value
  Vector<std::uint16_t> finder;  // while building, on the host: where in the table a value is, by a hash of its bits

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.raw), f(self.f32), f(self.code), f(self.table);
  }

  void set(std::int64_t at, V value);  // a value the codec holds
  V get(std::int64_t at) const;
  void clear(std::int64_t begin, std::int64_t end);  // zeros, or code 0: nobody reads them

  // f(CodedValues<V, S>) for the S in use.
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

// f(ValueWriter<V, S>) for the S in use.
template <class V, class F>
void with_writer(ValueStore<V>& values, F f) {
  values.visit([&]<class S>(const CodedValues<V, S>& coded) {
    f(ValueWriter<V, S>{const_cast<S*>(coded.data), coded.table});  // the store itself is not const
  });
}

// Room for `size` values of a matrix whose values are `all`. Error(unavailable) when the codec cannot hold them.
template <class V>
ValueStore<V> make_value_store(std::span<const V> all, ValueCodec codec, std::int64_t size);
std::int64_t value_store_bytes(ValueCodec codec, std::int64_t size, int value_bytes);

// The codec with the fewest bytes that holds all of them; `constant` is for layouts to find out.
template <class V>
ValueCodec smallest_codec(std::span<const V> all);

// The same two for values that lie on a device, on that device. Nothing: the codec cannot hold them, or the host has to
// find out.
template <class V>
std::optional<ValueStore<V>> make_value_store(simt::Emulator, std::span<const V> there, ValueCodec codec,
                                              std::int64_t size, Device device);
template <class V>
std::optional<ValueStore<V>> make_value_store(simt::Cuda, std::span<const V> there, ValueCodec codec, std::int64_t size,
                                              Device device);
template <class V>
std::optional<ValueCodec> smallest_codec(simt::Emulator, std::span<const V> there, Device device);
template <class V>
std::optional<ValueCodec> smallest_codec(simt::Cuda, std::span<const V> there, Device device);

}  // namespace heddle
