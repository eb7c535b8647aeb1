// A set of numbers that is emptied in no time: a slot counts only while it carries the current stamp.
#pragma once

#include <bit>
#include <cstdint>

#include "core/system.hpp"

namespace heddle {

class StampedSet {
 public:
  explicit StampedSet(std::int64_t most) { make_room(most); }

  // Empties the set; afterwards up to `most` different keys may be inserted.
  void make_room(std::int64_t most) {
    const auto wanted = std::bit_ceil(2 * static_cast<std::size_t>(most) + 2);
    if (wanted > slots_.size()) slots_.assign(wanted, Slot{});
    shift_ = 32 - std::countr_zero(slots_.size());
    ++stamp_;
  }
  void clear() { ++stamp_; }

  // Where the key is kept, and whether it is new.
  struct Place {
    std::size_t slot;
    bool fresh;
  };
  Place insert(std::uint32_t key) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = static_cast<std::uint32_t>(key * 0x9E3779B9u) >> shift_;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.stamp != stamp_) {
        slot = {key, stamp_};
        return {at, true};
      }
      if (slot.key == key) return {at, false};
    }
  }
  std::size_t slots() const { return slots_.size(); }

 private:
  struct Slot {
    std::uint32_t key = 0, stamp = 0;
  };
  Vector<Slot> slots_;
  std::uint32_t stamp_ = 0;
  int shift_ = 0;
};

}  // namespace heddle
