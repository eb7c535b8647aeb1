// A first look at a CSR matrix whose arrays lie on a device: whether it is one, and its longest row.
#pragma once

#include <heddle/matrix.hpp>

#include "simt/simt.hpp"

namespace heddle {

struct DevicePattern {
  bool canonical = false;  // what validate(A, Require::canonical) asks for; the sizes of the arrays agree already
  std::int64_t longest = 0;
};

DevicePattern look_at(simt::Emulator, const PatternView& there, Device device);
DevicePattern look_at(simt::Cuda, const PatternView& there, Device device);

// The longest row alone, from `ptr`: for who must decide before anybody has looked at all of the matrix.
std::int64_t longest_row(simt::Emulator, std::span<const Offset> ptr_there, Device device);
std::int64_t longest_row(simt::Cuda, std::span<const Offset> ptr_there, Device device);

}  // namespace heddle
