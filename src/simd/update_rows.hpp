// Many sums reach y at once on the CPU: loops without a test, which the compiler vectorises.
#pragma once

#include "core/update.hpp"

namespace heddle {

// Rows first .. first + count - 1, all of them with entries and in their places.
template <class V>
inline void update_rows(const Update<V>& update, std::int64_t first, std::int64_t count, const V* sum) {
  V* y = update.y + first;
  const V alpha = update.alpha, beta = update.beta;
  if (beta == V(0))
    for (std::int64_t i = 0; i < count; ++i) y[i] = alpha * sum[i];
  else
    for (std::int64_t i = 0; i < count; ++i) y[i] = alpha * sum[i] + beta * y[i];
}

// The same, where bit i of `present` says whether row first + i has entries; at most 32 rows.
template <class V>
inline void update_rows(const Update<V>& update, std::int64_t first, std::int64_t count, const V* sum,
                        std::uint32_t present) {
  V* y = update.y + first;
  const V alpha = update.alpha, beta = update.beta;
  const int rows = static_cast<int>(count);
  if (beta == V(0))
    for (int i = 0; i < rows; ++i) y[i] = (present >> i & 1) != 0 ? alpha * sum[i] : V(0);
  else
    for (int i = 0; i < rows; ++i) y[i] = (present >> i & 1) != 0 ? alpha * sum[i] + beta * y[i] : beta * y[i];
}

}  // namespace heddle
