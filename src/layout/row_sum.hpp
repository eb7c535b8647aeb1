// The sum over a run of entries on the CPU, shared by every format that keeps rows contiguous.
#pragma once

#include <heddle/matrix.hpp>

namespace heddle {

// Four sums in flight: one alone waits 4 cycles for its own addition before it can take the next product.
template <class V>
inline V row_sum(const Index* col, const V* val, Offset length, const V* x) {
  V s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  Offset k = 0;
  for (; k + 4 <= length; k += 4) {
    s0 += val[k] * x[col[k]];
    s1 += val[k + 1] * x[col[k + 1]];
    s2 += val[k + 2] * x[col[k + 2]];
    s3 += val[k + 3] * x[col[k + 3]];
  }
  for (; k < length; ++k) s0 += val[k] * x[col[k]];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace heddle
