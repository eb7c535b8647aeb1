// Memory of a device for the time of a build. All of it is given back together and at the end: who takes memory that
// was given back waits for the device, so arrays that come and go one by one would stop the kernels between them.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <heddle/buffer.hpp>

#include "simt/primitives/scratch.hpp"

namespace heddle::device {

class Workspace {
 public:
  explicit Workspace(Device device)
      : device_(device),
        standing_(device),
        next_(standing_.data()),
        room_(standing_.data() ? StandingScratch::bytes : 0) {}

  Device device() const { return device_; }

  // Not initialised.
  template <class T>
  T* take(std::int64_t count) {
    constexpr std::int64_t first_piece = 1 << 20, most_piece = 1 << 26;
    const auto bytes = static_cast<std::int64_t>(memory::array_bytes(count, sizeof(T)));
    // On the emulator every array is an allocation of its own, so that sanitizers see where it ends.
    if (device_.host_memory()) return reinterpret_cast<T*>(kept_.emplace_back(bytes, device_).data());
    if (bytes <= room_) return reinterpret_cast<T*>(cut_off(next_, room_, bytes));
    std::int64_t room = std::max(bytes, kept_.empty() ? first_piece : std::min(2 * kept_.back().size(), most_piece));
    unsigned char* piece = kept_.emplace_back(room, device_).data();
    unsigned char* taken = cut_off(piece, room, bytes);
    if (room > room_) next_ = piece, room_ = room;  // what is left of the other one is the less
    return reinterpret_cast<T*>(taken);
  }

 private:
  static unsigned char* cut_off(unsigned char*& piece, std::int64_t& room, std::int64_t bytes) {
    constexpr std::int64_t alignment = 256;
    const std::int64_t used = std::min(room, (bytes + alignment - 1) / alignment * alignment);
    room -= used;
    return std::exchange(piece, piece + used);
  }

  Device device_;
  StandingScratch standing_;  // what fits there is taken there
  std::vector<Buffer<unsigned char>> kept_;
  unsigned char* next_;
  std::int64_t room_;
};

}  // namespace heddle::device
