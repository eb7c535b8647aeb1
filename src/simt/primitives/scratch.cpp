#include "simt/primitives/scratch.hpp"

#include <atomic>

#include <heddle/buffer.hpp>

namespace heddle::device {

namespace {
constexpr int most_devices = 64;
}

struct StandingScratch::Kept {
  std::atomic_flag taken;
  Buffer<unsigned char> memory;
};

StandingScratch::Kept& StandingScratch::kept(int ordinal) {
  static Kept* const all = new Kept[most_devices];  // outlives the statics that a driver ends with
  return all[ordinal];
}

StandingScratch::StandingScratch(Device device) {
  if (device.kind != Device::Kind::gpu || device.ordinal >= most_devices) return;
  Kept& mine = kept(device.ordinal);
  if (mine.taken.test_and_set(std::memory_order_acquire)) return;
  try {
    if (mine.memory.empty()) mine.memory = Buffer<unsigned char>(bytes, device);
  } catch (...) {
    mine.taken.clear(std::memory_order_release);
    throw;
  }
  kept_ = &mine;
}

StandingScratch::~StandingScratch() {
  if (kept_) kept_->taken.clear(std::memory_order_release);
}

unsigned char* StandingScratch::data() const { return kept_ ? kept_->memory.data() : nullptr; }

}  // namespace heddle::device
