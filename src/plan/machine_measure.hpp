// Measuring a machine. Below two seconds for all of it.
#pragma once

#include <string>

#include <heddle/machine.hpp>

namespace heddle {

Machine measure_machine(Device device);

// Whether others computed beside the measurement of a CPU's figures: a look of a millisecond finds a thread a quarter
// faster. (Beside three compilers two cores seemed to read at a fifth of their rate, and to wait three times as long
// for random reads: the planner took plans that are 1.5 times as slow as others.)
bool measured_beside_others(const Machine& cpu);

// From the file, unless there is none or its figures were measured beside others; then it is written anew.
Machine kept_or_measured(Device device, const std::string& name, int units);

}  // namespace heddle
