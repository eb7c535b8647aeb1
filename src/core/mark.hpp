// A place in a stream that the host can wait for while more is queued behind it.
#pragma once

#include <heddle/device.hpp>

namespace heddle::gpu {

class Mark {
 public:
  Mark() = default;
  Mark(const Mark&) = delete;
  ~Mark();                  // NOLINT(performance-trivially-destructible): of a build without CUDA alone
  void set(Stream stream);  // of the GPU that is current, from the first time on
  void wait() const;        // once it was set

 private:
  void* event_ = nullptr;
};

}  // namespace heddle::gpu
