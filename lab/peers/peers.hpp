// Other libraries that multiply, measured in the same run on the same data.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <heddle/device.hpp>
#include <heddle/matrix.hpp>

namespace heddle::bench {

template <class V>
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual Device device() const = 0;  // where it multiplies
  // Gets ready for y = A x. A lies on the host, x and y on the peer's device; all of them outlive the peer. Throws
  // Error(unavailable) when the library cannot hold the matrix.
  virtual void prepare(const CsrView<V>& A, std::span<const V> x, std::span<V> y) = 0;
  virtual void multiply(Stream stream) const = 0;
  virtual std::int64_t bytes() const = 0;  // of the matrix as the library stores it
  // What preparing took once the matrix lay on the device as the library wants it; 0: not known apart.
  virtual double planning_seconds() const { return 0; }
};

// Names of the peers that can be had on a device. "eigen", or a library and one of its ways: "cusparse:csr_alg1".
std::vector<std::string> peer_names(Device device);
// Whether a peer has products of this precision.
template <class V>
bool multiplies(const std::string& name);
// Versions of the libraries among them that tell theirs: {"cusparse", "12.8.6"}.
std::map<std::string, std::string> peer_versions(Device device);
// Why libraries for this device are not among them, for people; empty when none is missing.
std::string peer_absence(Device device);
// What `words` ask for: everything ("all"), nothing ("none"), a name, or all ways of a library ("cusparse").
// Error(usage) for a word that is no peer, Error(unavailable) when it belongs to an absent library.
std::vector<std::string> select_peers(const std::vector<std::string>& words, Device device);
template <class V>
std::unique_ptr<Peer<V>> make_peer(const std::string& name, Device device);  // Error as above

}  // namespace heddle::bench
