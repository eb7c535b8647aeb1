// The sum over a run of entries on the CPU, shared by every format that keeps rows contiguous.
#pragma once

#include <heddle/matrix.hpp>

namespace heddle {

// Long rows with columns far apart wait for the memory x lies in, not for sums: what is needed 64 entries later is
// asked for now. A tenth less time on rows of 2,600 random columns, a tenth more on rows whose neighbours share cache
// lines (Xeon, 2026-11), so only where columns are more than 64 apart on average.
inline constexpr Offset columns_ahead = 64;

inline bool is_scattered(const Index* col, Offset length) {
  return length > 2 * columns_ahead && col[length - 1] - col[0] > 64 * length;
}

// Four sums in flight, because one alone waits 4 cycles for its own addition before it can take the next product. Rows
// shorter than eight entries do with one: out-of-order execution overlaps them with the next row, and one loop ends in
// one misprediction where four sums and their remainder end in two.
template <class V>
inline V row_sum(const Index* col, const V* val, Offset length, const V* x) {
  constexpr Offset long_row = 8;
  if (length < long_row) {
    V sum = 0;
    for (Offset k = 0; k < length; ++k) sum += val[k] * x[col[k]];
    return sum;
  }
  V s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  Offset k = 0;
  const auto add_four = [&] {
    s0 += val[k] * x[col[k]];
    s1 += val[k + 1] * x[col[k + 1]];
    s2 += val[k + 2] * x[col[k + 2]];
    s3 += val[k + 3] * x[col[k + 3]];
  };
  if (is_scattered(col, length))
    for (; k + columns_ahead + 4 <= length; k += 4) {
      for (Offset i = 0; i < 4; ++i) __builtin_prefetch(x + col[k + columns_ahead + i]);
      add_four();
    }
  for (; k + 4 <= length; k += 4) add_four();
  for (; k < length; ++k) s0 += val[k] * x[col[k]];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace heddle
