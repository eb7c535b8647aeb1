// Detail::planning of a matrix on a GPU or the emulator.
#pragma once

#include <heddle/analyze.hpp>

namespace heddle {

// Error(internal) for a matrix in the CPU's memory. Without the hash of the pattern, which reads all columns, where it
// is not asked for.
template <class V>
Structure survey(const Csr<V>& A, bool with_hash = true);

}  // namespace heddle
