// A first look at a CSR matrix whose arrays lie on a device: whether it is one, and its longest row.
#pragma once

#include <heddle/matrix.hpp>

#include "simt/csr/pattern_look.hpp"
#include "simt/primitives/reduce.hpp"

namespace heddle {

struct DevicePattern {
  bool canonical = false;  // what validate(A, Require::canonical) asks for; the sizes of the arrays agree already
  std::int64_t longest = 0;
};

// The look in steps: room for what it finds, its kernel among what else can be asked of arrays that may be no matrix,
// and the wait for all of it.
class PatternCheck {
 public:
  PatternCheck(simt::Emulator, const PatternView& there, Device device);
  PatternCheck(simt::Cuda, const PatternView& there, Device device);
  // overlaps: it may run beside the kernel that was queued last (simt::Launch). It lets the next kernel start.
  void queue(simt::Emulator, bool overlaps);
  void queue(simt::Cuda, bool overlaps);
  // For a kernel that takes it along instead, and then is the look (simt/csr/pattern_look.hpp).
  const PatternLook& along() const { return look_; }
  DevicePattern heard() {
    const PatternFound& found = sum_.heard();
    return {found.bad == 0 && found.steps_down == found.rows_after_step_down, found.longest};
  }

 private:
  PatternLook look_;
  device::PendingSum<PatternFound> sum_;
};

template <class Where>
DevicePattern look_at(Where where, const PatternView& there, Device device) {
  PatternCheck check(where, there, device);
  check.queue(where, false);
  return check.heard();
}

// The longest row alone, from `ptr`: for decisions before all of the matrix has been read.
std::int64_t longest_row(simt::Emulator, std::span<const Offset> ptr_there, Device device);
std::int64_t longest_row(simt::Cuda, std::span<const Offset> ptr_there, Device device);

}  // namespace heddle
