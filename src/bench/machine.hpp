// What the memory of a device delivers at best, measured: the ceilings that a multiplication is compared with.
#pragma once

#include <heddle/device.hpp>

namespace heddle::bench {

struct Ceilings {
  double read_gbps = 0;  // all threads read an array that no cache holds
  double copy_gbps = 0;  // read plus written
  double launch_us = 0;  // starting work that does nothing: a kernel, or all CPU threads
};

// Takes less than a second. The emulator has the ceilings of the CPU that runs it.
Ceilings measure_ceilings(Device device);

}  // namespace heddle::bench
