// Detail::planning of a matrix on a GPU or the emulator.
#pragma once

#include <heddle/analyze.hpp>

namespace heddle {

// Error(internal) for a matrix in the CPU's memory.
template <class V>
Structure survey(const Csr<V>& A);

}  // namespace heddle
