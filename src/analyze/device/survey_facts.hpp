// Detail::planning of a matrix on a GPU or the emulator.
#pragma once

#include <functional>

#include <heddle/analyze.hpp>

namespace heddle {

// Error(internal) for a matrix in the CPU's memory. Without the hash of the pattern, which reads all columns, where
// nobody asks for it. `meanwhile` is called when all of it is queued.
template <class V>
Structure survey(const Csr<V>& A, bool with_hash = true, const std::function<void()>& meanwhile = {});

}  // namespace heddle
