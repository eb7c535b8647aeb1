#pragma once

#include "peers/peers.hpp"

namespace heddle::bench {

bool graphblas_opens();
// SuiteSparse GraphBLAS: w = 0, w += A u over (+, *), on all cores; w is then copied to y.
std::string graphblas_version();  // of the header
template <class V>
std::unique_ptr<Peer<V>> make_graphblas();

}  // namespace heddle::bench
