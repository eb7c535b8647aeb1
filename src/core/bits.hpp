// The bits of a floating-point number: equality that tells -0 from 0 and finds a NaN equal to itself.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle {

template <class V>
std::uint64_t bits_of(V value) {
  if constexpr (sizeof(V) == 8)
    return std::bit_cast<std::uint64_t>(value);
  else
    return std::bit_cast<std::uint32_t>(value);
}

}  // namespace heddle
