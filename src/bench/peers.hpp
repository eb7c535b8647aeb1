// Other libraries that multiply, measured in the same run on the same data.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <heddle/matrix.hpp>

namespace heddle::bench {

template <class V>
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  // The arrays of A outlive the peer. Throws Error(unavailable) when the library cannot hold the matrix.
  virtual void prepare(const CsrView<V>& A) = 0;
  virtual void multiply(std::span<const V> x, std::span<V> y) = 0;
  virtual std::int64_t bytes() const = 0;  // of the matrix as the library stores it
};

// Names of the peers that this build has for a device, and one of them.
std::vector<std::string> peer_names(Device device);
template <class V>
std::unique_ptr<Peer<V>> make_peer(const std::string& name);  // Error(usage) when there is none of that name

}  // namespace heddle::bench
