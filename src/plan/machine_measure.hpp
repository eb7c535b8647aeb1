// Measuring a machine. Below two seconds for all of it.
#pragma once

#include <heddle/machine.hpp>

namespace heddle {

Machine measure_machine(Device device);

}  // namespace heddle
