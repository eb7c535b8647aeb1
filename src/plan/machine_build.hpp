// How a CPU compares with the cores that the costs of building were fitted on.
#pragma once

#include <heddle/machine.hpp>

namespace heddle {

// Builds a matrix of half a million entries in three ways: what that takes over what is foretold of it, the geometric
// mean. Some 50 ms.
double measure_build_factor(const Machine& machine);

}  // namespace heddle
