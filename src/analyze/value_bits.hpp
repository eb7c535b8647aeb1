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

}  // namespace heddle
