// A little memory of each GPU that stays for the next build: allocating it takes as long as a small kernel, and
// releasing it makes the whole device wait.
#pragma once

#include <cstdint>

#include <heddle/device.hpp>

namespace heddle::device {

// The first build has it until its end; concurrent ones have none. What is queued with it is queued on the default
// stream, so that the next one's kernels find it unused without a wait.
class StandingScratch {
 public:
  static constexpr std::int64_t bytes = 4 << 20;

  explicit StandingScratch(Device device);
  StandingScratch(const StandingScratch&) = delete;
  StandingScratch& operator=(const StandingScratch&) = delete;
  ~StandingScratch();

  unsigned char* data() const;  // null: another build has it, or the device is no GPU

 private:
  struct Kept;
  static Kept& kept(int ordinal);

  Kept* kept_ = nullptr;
};

}  // namespace heddle::device
