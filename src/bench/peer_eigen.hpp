#pragma once

#include "bench/peers.hpp"

namespace heddle::bench {

// Row-major Eigen::SparseMatrix times a dense vector, on all cores when OpenMP was found.
template <class V>
std::unique_ptr<Peer<V>> make_eigen();

}  // namespace heddle::bench
