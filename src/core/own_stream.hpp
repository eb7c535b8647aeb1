// A stream of one's own, that waits for nothing else that is queued on the device and that nothing waits for.
#pragma once

#include <heddle/device.hpp>

namespace heddle::gpu {

class OwnStream {
 public:
  OwnStream();  // of the GPU that is current
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  Stream stream() const { return stream_; }

 private:
  Stream stream_;
};

}  // namespace heddle::gpu
