// amgcl in a build without CUDA.
#include <stdexcept>

#include "amgcl_peer.hpp"

namespace heddle::bench {

std::unique_ptr<AmgclPeer> make_amgcl_on_gpu(const CsrView<double>&, const AmgclWishes&) {
  throw std::runtime_error("this build has no CUDA");
}

}  // namespace heddle::bench
