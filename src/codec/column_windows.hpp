// The columns of a slice in 16 bits each: four windows of 16,384 columns, wherever in the matrix they lie.
//
//   columns   ..[ window 0 ]....[ window 1 ].......................[ window 2 ]...
//   code      window << 14 | column - base[window]         0xffff: no entry here
//
// Grids, meshes and bands fit: a row's neighbours lie in a few planes. A slice that does not keeps 32-bit columns.
//
// The same in 8 bits, with four windows of 64 columns for each step of a slice.
#pragma once

#include <heddle/matrix.hpp>

#include "simt/simt.hpp"

namespace heddle {

template <class CodeType>
struct alignas(16) WindowsOf {
  using Code = CodeType;
  static constexpr int windows = 4, width_bits = 8 * sizeof(Code) - 2;
  static constexpr Index width = 1 << width_bits;
  static constexpr Code none = static_cast<Code>(~Code{0});

  Index base[windows];

  // All columns lie in window 0: no other one begins at column 0.
  SIMT_BOTH bool only_first() const { return (base[1] | base[2] | base[3]) == 0; }
  friend bool operator==(const WindowsOf&, const WindowsOf&) = default;
  SIMT_BOTH Index decode(Code code) const {
    const Index low = code & 1u << width_bits ? base[1] : base[0], high = code & 1u << width_bits ? base[3] : base[2];
    return (code & 2u << width_bits ? high : low) + (code & (width - 1));
  }
};

using ColumnWindows = WindowsOf<std::uint16_t>;
using ByteWindows = WindowsOf<std::uint8_t>;

// For kernels that decode many codes of one slice: bases without the bits that name their windows, so that a code is
// added as it is. A code of no entry gives some column or other.
struct ShiftedWindows {
  unsigned base[ColumnWindows::windows];

  SIMT_DEVICE explicit ShiftedWindows(const ColumnWindows& windows) {
#pragma unroll
    for (unsigned w = 0; w < ColumnWindows::windows; ++w)
      base[w] = static_cast<unsigned>(windows.base[w]) - (w << ColumnWindows::width_bits);
  }
  SIMT_DEVICE unsigned column(unsigned code) const {
    const bool odd = (code & 1u << ColumnWindows::width_bits) != 0;
    const unsigned low = odd ? base[1] : base[0], high = odd ? base[3] : base[2];
    return ((code & 2u << ColumnWindows::width_bits) != 0 ? high : low) + code;
  }
};

// Lays windows over columns, each as far left as it may be. The last column of the last window is `none`.
template <class Windows>
class FinderOf {
 public:
  using Code = typename Windows::Code;

  // The first column behind window w that begins at `lowest`.
  SIMT_BOTH static std::int64_t end_of(int w, std::int64_t lowest) {
    return lowest + Windows::width - (w == Windows::windows - 1);
  }

  // each(f) calls f(column) for all columns of the slice, in any order, every time it is called. False: they do not
  // fit.
  template <class Each>
  static bool find(const Each& each, Windows& found) {
    std::int64_t covered = 0;  // columns below it lie in a window
    for (int w = 0; w < Windows::windows; ++w) {
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

  SIMT_BOTH static Code encode(const Windows& windows, Index column) {
    for (int w = Windows::windows - 1; w > 0; --w)
      if (windows.base[w] > 0 && column >= windows.base[w]) return code(w, column - windows.base[w]);
    return code(0, column - windows.base[0]);
  }

 private:
  SIMT_BOTH static Code code(int window, Index distance) {
    return static_cast<Code>(window << Windows::width_bits | distance);
  }
};

using WindowFinder = FinderOf<ColumnWindows>;
using ByteFinder = FinderOf<ByteWindows>;

}  // namespace heddle
