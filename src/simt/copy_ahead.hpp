// From global to shared memory without passing registers: a thread starts as many copies as it likes and then waits for
// its own.
//
//   copy_16_bytes(shared, from)    both aligned to 16 bytes
//   wait_for_copies()              those of this thread have arrived; sync_block() makes them known to the others
#pragma once

#include <cstring>

#include "simt/simt.hpp"

namespace heddle::simt {

#ifdef __CUDACC__

SIMT_DEVICE void copy_16_bytes(void* shared, const void* from) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
SIMT_DEVICE void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

#else

inline void copy_16_bytes(void* shared, const void* from) { std::memcpy(shared, from, 16); }
inline void wait_for_copies() {}

#endif

}  // namespace heddle::simt
