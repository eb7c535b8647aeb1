#include "bench/peers.hpp"

#include <fmt/ranges.h>

#include "bench/peer_eigen.hpp"
#include "core/check.hpp"

namespace heddle::bench {

namespace {
#ifdef HEDDLE_HAS_EIGEN
const std::vector<std::string> cpu_peers{"eigen"};
#else
const std::vector<std::string> cpu_peers;
#endif
}  // namespace

std::vector<std::string> peer_names(Device device) {
  return device.kind == Device::Kind::cpu ? cpu_peers : std::vector<std::string>();
}

template <class V>
std::unique_ptr<Peer<V>> make_peer(const std::string& name) {
#ifdef HEDDLE_HAS_EIGEN
  if (name == "eigen") return make_eigen<V>();
#endif
  fail(ErrorKind::usage, {name, fmt::format("peers of this build: {}", fmt::join(cpu_peers, ", "))}, "no such peer");
}

template std::unique_ptr<Peer<float>> make_peer(const std::string&);
template std::unique_ptr<Peer<double>> make_peer(const std::string&);

}  // namespace heddle::bench
