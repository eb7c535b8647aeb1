// How much work a thread is called for, where entries take longer than on most machines.
#pragma once

#include "core/isa.hpp"

namespace heddle {

// Calling a thread takes half a microsecond, which pays from some 2 us of work on. Elements of x that are loaded one by
// one (core/gather.hpp) take about three times as long as those that are gathered: fewer of them are enough.
inline double share_for_a_thread() {
  const bool loads_singly = isa() != Isa::baseline && !gathers_pay.of_8;
  return loads_singly ? 3.0 / 8 : 1;
}

}  // namespace heddle
