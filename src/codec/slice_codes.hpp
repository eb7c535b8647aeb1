// How kernels of sliced layouts read the columns of a slice: which of four ways it has them in is asked once, before
// the loop over its steps, so that the loads of several steps follow each other without a branch between them.
#pragma once

#include "codec/sliced_columns.hpp"

namespace heddle {

// How a slice has its columns: codes of a step, in 32 bits each, and the columns they stand for, counted from an
// element of x that all of them share.
enum class CodedAs { one_window, windows, bytes, wide };

template <CodedAs as>
struct SliceColumns {
  static constexpr auto none = static_cast<unsigned>(-1);
  const ColumnSlice& slice;

  SIMT_DEVICE Index origin() const { return 0; }
  SIMT_DEVICE unsigned column(unsigned code) const { return code; }
  template <Keep keep, int U>
  SIMT_DEVICE void load(const std::uint16_t* codes, Index step, unsigned (&code)[U]) const {
    Index col[U];
    if constexpr (as == CodedAs::bytes)
      load_byte_columns<keep>(slice, codes, step, col);
    else
      load_wide_columns<keep>(slice, codes, step, col);
#pragma unroll
    for (int u = 0; u < U; ++u) code[u] = static_cast<unsigned>(col[u]);
  }
};

// Most slices of a band or of a matrix in a good order: a code is the distance from the slice's first column.
template <>
struct SliceColumns<CodedAs::one_window> {
  static constexpr unsigned none = ColumnWindows::none;
  const ColumnSlice& slice;

  SIMT_DEVICE Index origin() const { return slice.windows.base[0]; }
  SIMT_DEVICE unsigned column(unsigned code) const { return code; }
  template <Keep keep, int U>
  SIMT_DEVICE void load(const std::uint16_t* codes, Index step, unsigned (&code)[U]) const {
    std::uint16_t loaded[U];
    load_pieces<keep>(codes + slice.columns + std::int64_t{step} * simt::warp_size * U, loaded);
#pragma unroll
    for (int u = 0; u < U; ++u) code[u] = simt::widened(loaded[u]);
  }
};

template <>
struct SliceColumns<CodedAs::windows> : SliceColumns<CodedAs::one_window> {
  ShiftedWindows windows{slice.windows};

  SIMT_DEVICE Index origin() const { return 0; }
  SIMT_DEVICE unsigned column(unsigned code) const { return windows.column(code); }
};

}  // namespace heddle
