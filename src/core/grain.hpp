// How many items a task has.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle {

// At most `most` of them, and fewer where each is much work (entries, of all items together): a thousand rows of 1,500
// entries are work for all cores.
inline std::int64_t grain_for(std::int64_t items, std::int64_t work, std::int64_t most) {
  constexpr std::int64_t enough = 1 << 15;
  const std::int64_t of_item = 1 + work / std::max<std::int64_t>(1, items);
  return std::clamp<std::int64_t>(enough / of_item, 1, std::max<std::int64_t>(1, most));
}

}  // namespace heddle
