// Memory of a device for the time of a build. All of it is given back together and at the end: a release waits for the
// device, so arrays that come and go one by one would stop the kernels between them.
#pragma once

#include <algorithm>
#include <vector>

#include <heddle/buffer.hpp>

namespace heddle::device {

class Workspace {
 public:
  explicit Workspace(Device device) : device_(device) {}

  Device device() const { return device_; }

  // Not initialised.
  template <class T>
  T* take(std::int64_t count) {
    constexpr std::int64_t alignment = 256, first_piece = 1 << 20, most_piece = 1 << 26;
    const auto bytes = static_cast<std::int64_t>(memory::array_bytes(count, sizeof(T)));
    // On the emulator every array is an allocation of its own, so that sanitizers see where it ends.
    if (device_.host_memory()) return reinterpret_cast<T*>(kept_.emplace_back(bytes, device_).data());
    if (bytes > room_) {
      const std::int64_t piece =
          std::max(bytes, kept_.empty() ? first_piece : std::min(2 * kept_.back().size(), most_piece));
      next_ = kept_.emplace_back(piece, device_).data();
      room_ = piece;
    }
    unsigned char* taken = next_;
    const std::int64_t used = std::min(room_, (bytes + alignment - 1) / alignment * alignment);
    next_ += used;
    room_ -= used;
    return reinterpret_cast<T*>(taken);
  }

 private:
  Device device_;
  std::vector<Buffer<unsigned char>> kept_;
  unsigned char* next_ = nullptr;
  std::int64_t room_ = 0;
};

}  // namespace heddle::device
