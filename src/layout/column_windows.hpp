// The columns of a slice in 16 bits each: four windows of 16,384 columns, wherever in the matrix they lie.
//
//   columns   ..[ window 0 ]....[ window 1 ].......................[ window 2 ]...
//   code      window << 14 | column - base[window]         0xffff: no entry here
//
// Grids, meshes and bands fit: a row's neighbours lie in a few planes. A slice that does not keeps 32-bit columns.
#pragma once

#include <heddle/matrix.hpp>

#include "simt/simt.hpp"

namespace heddle {

struct alignas(16) ColumnWindows {
  static constexpr int windows = 4, width_bits = 14;
  static constexpr Index width = 1 << width_bits;
  static constexpr std::uint16_t none = 0xffff;

  Index base[windows];

  friend bool operator==(const ColumnWindows&, const ColumnWindows&) = default;
  SIMT_BOTH Index decode(std::uint16_t code) const {
    const Index low = code & 1u << width_bits ? base[1] : base[0], high = code & 1u << width_bits ? base[3] : base[2];
    return (code & 2u << width_bits ? high : low) + (code & (width - 1));
  }
};

// Lays windows over columns, each as far left as it may be. The last column of the last window is `none`.
class WindowFinder {
 public:
  // The first column behind window w that begins at `lowest`.
  SIMT_BOTH static std::int64_t end_of(int w, std::int64_t lowest) {
    return lowest + ColumnWindows::width - (w == ColumnWindows::windows - 1);
  }

  // each(f) calls f(column) for all columns of the slice, in any order, every time it is called. False: they do not
  // fit.
  template <class Each>
  static bool find(const Each& each, ColumnWindows& found) {
    std::int64_t covered = 0;  // columns below it lie in a window
    for (int w = 0; w < ColumnWindows::windows; ++w) {
      std::int64_t lowest = INT64_MAX;
      each([&](std::int64_t column) {
        if (column >= covered && column < lowest) lowest = column;
      });
      found.base[w] = lowest == INT64_MAX ? 0 : static_cast<Index>(lowest);
      if (lowest == INT64_MAX) continue;
      covered = end_of(w, lowest);
    }
    bool fits = true;
    each([&](std::int64_t column) { fits &= column < covered; });
    return fits;
  }

  SIMT_BOTH static std::uint16_t encode(const ColumnWindows& windows, Index column) {
    for (int w = ColumnWindows::windows - 1; w > 0; --w)
      if (windows.base[w] > 0 && column >= windows.base[w]) return code(w, column - windows.base[w]);
    return code(0, column - windows.base[0]);
  }

 private:
  SIMT_BOTH static std::uint16_t code(int window, Index distance) {
    return static_cast<std::uint16_t>(window << ColumnWindows::width_bits | distance);
  }
};

}  // namespace heddle
