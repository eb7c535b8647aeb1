// How the values of a matrix are stored, without loss:
//
//   raw         as they are
//   f32         doubles that a float holds exactly, in 4 bytes
//   dictionary  one byte, the place in a table of at most 256 distinct values
//   constant    one value where a layout has a run of equal ones (a diagonal of a slice)
//
// "Equal" is equality of bits: -0, NaN with its payload and infinities come back as they were.
#pragma once

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

// Room for `size` values of a matrix whose values are `all`. Error(unavailable) when the codec cannot hold them.
template <class V>
ValueStore<V> make_value_store(std::span<const V> all, ValueCodec codec, std::int64_t size);
std::int64_t value_store_bytes(ValueCodec codec, std::int64_t size, int value_bytes);

// The codec with the fewest bytes that holds all of them; `constant` is for layouts to find out.
template <class V>
ValueCodec smallest_codec(std::span<const V> all);

}  // namespace heddle
