// analyze(A, Detail::planning) without what only other devices than `target` ask: the order of columns by degree, which
// tiles on a GPU are made by, takes a CPU as long as all else that is sampled. The hash of the pattern, which reads all
// columns, is left out unless it is asked for. Arrays are trusted (core/matrix/incoming.hpp).
#pragma once

#include <heddle/analyze.hpp>

namespace heddle {

template <class V>
Structure facts_for(const Csr<V>& A, Device target, bool with_hash = true);

}  // namespace heddle
