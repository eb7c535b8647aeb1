#pragma once

#include "peers/peers.hpp"

namespace heddle::bench {

// The loop over the rows of csr that everybody writes: "openmp" on all threads, an equal number of rows for each.
std::string openmp_version();  // the year and month of its specification
template <class V>
std::unique_ptr<Peer<V>> make_openmp();

}  // namespace heddle::bench
