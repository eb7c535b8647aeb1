// Entries that a kernel finds only by way of another array come a wait earlier when they are on their way to the L2
// meanwhile: every thread asks for a line of them. That pays where a small matrix comes from memory and the way to its
// entries is two loads long (clusters of blocks a long row, csr_padded); elsewhere it gained nothing or cost something
// (docs/notebook/2026-11-19-performance.md).
#pragma once

#include <type_traits>

#include "simt/simt.hpp"

namespace heddle {

// Of elements [0, count), by all threads of a grid, each a line at most: without a division, which takes as long as
// some loads. What has no bytes is not asked for.
template <class T>
SIMT_DEVICE void fetch_by_grid(const T* data, std::int64_t count) {
  if constexpr (!std::is_empty_v<T>) {
    constexpr std::int64_t line = 128 / sizeof(T);
    const std::int64_t at = (simt::thread() * simt::grid_blocks() + simt::block()) * line;
    if (at < count) simt::fetch_ahead(data + at);
  }
}

}  // namespace heddle
