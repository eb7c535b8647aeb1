// A first look at a CSR matrix whose arrays lie on a device: whether it is one, and its longest row.
#pragma once

#include <functional>
#include <utility>

#include <heddle/matrix.hpp>

#include "simt/simt.hpp"

namespace heddle {

struct DevicePattern {
  bool canonical = false;  // what validate(A, Require::canonical) asks for; the sizes of the arrays agree already
  std::int64_t longest = 0;
};

// `overlapped` queues what can be asked of a matrix that may be none, and among it the look, by calling what it is
// given: with `overlaps` where the look may overlap the kernel that was queued last (simt::Launch). Then all of it is
// waited for. The look lets the next kernel start.
struct PatternLook;
class QueueLook {
 public:
  QueueLook(std::function<void(bool overlaps)> launch, const PatternLook& look)
      : launch_(std::move(launch)), look_(look) {}
  void operator()(bool overlaps) const { launch_(overlaps); }
  // For a kernel that takes it along instead, and then is the look (simt/csr/pattern_look.hpp).
  const PatternLook& along() const { return look_; }

 private:
  std::function<void(bool overlaps)> launch_;
  const PatternLook& look_;
};
using AskOverlapped = std::function<void(const QueueLook&)>;
DevicePattern look_at(simt::Emulator, const PatternView& there, Device device, const AskOverlapped& overlapped = {});
DevicePattern look_at(simt::Cuda, const PatternView& there, Device device, const AskOverlapped& overlapped = {});

// The longest row alone, from `ptr`: for decisions before all of the matrix has been read.
std::int64_t longest_row(simt::Emulator, std::span<const Offset> ptr_there, Device device);
std::int64_t longest_row(simt::Cuda, std::span<const Offset> ptr_there, Device device);

}  // namespace heddle
