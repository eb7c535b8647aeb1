// Host memory with guard words around every block, a count of what is alive, and failures on demand: swaps the
// library's allocation table while it lives.
#pragma once

#include <cstdint>

#include "core/system.hpp"

namespace heddle::test {

class GuardedMemory {
 public:
  GuardedMemory();
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;

  static std::int64_t live_bytes();
  static std::int64_t most_bytes();      // alive at once, since construction
  static std::int64_t allocations();     // since construction
  static std::int64_t damaged_blocks();  // released with a changed guard word

  enum class Fault { none, once, from_then_on };
  // The allocation number `at` (0 = the next one) fails: only that one, or all from then on.
  static void fail_at(std::int64_t at, Fault fault);

 private:
  HostTable before_;
};

}  // namespace heddle::test
