// Bits of values, on every device.
#pragma once

#include <cstdint>

#include "simt/annotations.hpp"

namespace heddle {

//  sign 1 | exponent 11 | fraction 52      Whether a double survives the way to float and back, from its bits: a GPU's
//                                          own conversion would change the payload of a NaN.
SIMT_BOTH bool float_holds(std::uint64_t bits) {
  constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << 52) - 1;
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const std::uint64_t fraction = bits & fraction_mask;
  const auto low_bits_are_zero = [&](int count) { return (fraction & ((std::uint64_t{1} << count) - 1)) == 0; };
  if (exponent == 1024) return low_bits_are_zero(29) && (fraction == 0 || fraction >> 51 != 0);  // NaN becomes quiet
  if (exponent == -1023) return fraction == 0;
  if (exponent > 127 || exponent < -149) return false;
  return low_bits_are_zero(exponent >= -126 ? 29 : 29 - (exponent + 126));  // a small float has fewer bits
}

// Values that are sampled to guess how many different ones there are beyond those that are counted. Only the tables of
// doubles have room for more, and small matrices keep their values as they are.
struct ValueSample {
  static constexpr std::int64_t size = 4096, least_values = 1 << 18;

  template <class V>
  SIMT_BOTH static bool wanted(std::int64_t values) {
    return sizeof(V) == 8 && values >= least_values;
  }
  // Sets have no room for the bits of +0: it counts as a NaN that no matrix has.
  SIMT_BOTH static std::uint64_t key(std::uint64_t bits) { return bits == 0 ? ~std::uint64_t{0} : bits; }
  SIMT_BOTH static std::int64_t place(std::int64_t i, std::int64_t values) {
    const std::int64_t part = values / size;
    const auto jitter = static_cast<std::int64_t>(static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15u >> 33);
    return i * part + jitter % part;
  }
};

}  // namespace heddle
