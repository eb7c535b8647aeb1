// Measuring a machine. Below two seconds for all of it.
#pragma once

#include <heddle/machine.hpp>

namespace heddle {

Machine measure_machine(Device device);

// Sets isa and gathers of a CPU to those of this process.
void name_instructions(Machine& machine);

}  // namespace heddle
