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

}  // namespace heddle
