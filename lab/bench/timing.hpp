// The stopwatch of machine/timing.hpp by the name the benchmarks use, and one for peers.
#pragma once

#include "machine/timing.hpp"
#include "peers/peers.hpp"

namespace heddle::bench {

using gpu::Timing;
using heddle::CacheEviction;
using heddle::summary;
using heddle::time_calls;
using heddle::time_multiply;

// y = A x by a peer that is prepared. One whose calls cannot be captured in a graph is timed without.
template <class V>
Timing time_peer(const Peer<V>& peer, double seconds, gpu::Repeats how);

}  // namespace heddle::bench
