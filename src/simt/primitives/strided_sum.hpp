// A lane's walk over its entries, with several loads in flight.
#pragma once

#include <heddle/matrix.hpp>

#include "simt/simt.hpp"

namespace heddle {

// The sum of product(k) for k = first, first + stride, ... below end. Four at a time in straight-line code: a loop that
// tests for its end before every load waits for each of them. (H200, 2026-11, ELLPACK-R with rows of up to 64 entries:
// 15 % slower than ELLPACK, whose loop had been written this way, before it was.)
template <class V, class Position, class F>
SIMT_DEVICE V strided_sum(Position first, Position end, Position stride, F product) {
  V sum = 0;
  Position k = first;
  for (; k + 3 * stride < end; k += 4 * stride) {
    const V a = product(k), b = product(k + stride), c = product(k + 2 * stride), d = product(k + 3 * stride);
    sum += (a + b) + (c + d);
  }
  for (; k < end; k += stride) sum += product(k);
  return sum;
}

}  // namespace heddle
