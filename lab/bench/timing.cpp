#include "bench/timing.hpp"

#include <heddle/error.hpp>

namespace heddle::bench {

template <class V>
Timing time_peer(const Peer<V>& peer, double seconds, gpu::Repeats how) {
  if (peer.device().host_memory()) {
    const auto call = [&] { peer.multiply({}); };
    return how == gpu::Repeats::cold ? time_calls(seconds, call, CacheEviction()) : time_calls(seconds, call);
  }
  const auto call = [](const void* given, Stream stream) { static_cast<const Peer<V>*>(given)->multiply(stream); };
  if (how != gpu::Repeats::warm) return gpu::time(&peer, call, seconds, how);
  try {
    return gpu::time(&peer, call, seconds, gpu::Repeats::warm);
  } catch (const Error&) {  // whatever else was wrong fails again
    return gpu::time(&peer, call, seconds, gpu::Repeats::warm_uncaptured);
  }
}

template Timing time_peer(const Peer<float>&, double, gpu::Repeats);
template Timing time_peer(const Peer<double>&, double, gpu::Repeats);

}  // namespace heddle::bench
