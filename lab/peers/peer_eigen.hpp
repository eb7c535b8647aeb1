#pragma once

#include "peers/peers.hpp"

namespace heddle::bench {

// Row-major Eigen::SparseMatrix times a dense vector: "eigen" on all cores when OpenMP was found, "eigen:one_thread".
std::string eigen_version();
template <class V>
std::unique_ptr<Peer<V>> make_eigen(const std::string& name);

}  // namespace heddle::bench
