#pragma once

#include "peers/peers.hpp"

namespace heddle::bench {

bool mkl_opens();
// "mkl" on all cores, "mkl:one_thread": the inspector-executor routines of oneMKL, optimised for many products.
std::string mkl_version();  // of the library that was opened; empty where it does not say
template <class V>
std::unique_ptr<Peer<V>> make_mkl(const std::string& name);

}  // namespace heddle::bench
