// A sort inside a block of threads.
#pragma once

#include "simt/simt.hpp"

namespace heddle::device {

// Sorts 2 * threads keys in shared memory, ascending (bitonic); a power of two of them. The block calls it together and
// finds the keys sorted.
template <class T>
SIMT_DEVICE void block_sort(T* keys) {
  const int size = 2 * simt::block_threads();
  for (int run = 2; run <= size; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2) {
      simt::sync_block();
      const int low = 2 * simt::thread() - simt::thread() % distance, high = low + distance;
      const bool ascending = (low & run) == 0;
      const T a = keys[low], b = keys[high];
      if ((a > b) == ascending) keys[low] = b, keys[high] = a;
    }
  simt::sync_block();
}

}  // namespace heddle::device
