#pragma once

#include "peers/peers.hpp"

namespace heddle::bench {

bool rsb_opens();
// librsb: recursive sparse blocks, on all cores, as it is built without its autotuner.
std::string rsb_version();  // of the header
template <class V>
std::unique_ptr<Peer<V>> make_rsb();

}  // namespace heddle::bench
