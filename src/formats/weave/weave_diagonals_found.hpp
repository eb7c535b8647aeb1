// What kernels find out about the diagonals of a matrix on a device. Storing follows from it: with the rows of its
// diagonals known, a slice is stored without a look at the columns.
#pragma once

#include <memory>

#include "formats/weave/weave_diagonals.hpp"

namespace heddle::weave {

struct FoundDiagonal {
  RowMask rows;
  Index offset;
};

template <class V>
struct DiagonalsFound {
  std::int64_t diagonals = 0;      // of all slices
  bool constant = false;           // each has one value; false where nobody looked
  Buffer<FoundDiagonal> patterns;  // in host memory
  // On the device.
  std::shared_ptr<Buffer<DiagonalSlice>> slices;
  Buffer<Offset> list;           // where the diagonals of a slice are
  Buffer<FoundDiagonal> listed;  // in gaps
  Buffer<V> value;               // of those; none where nobody looked
};

// Null: the host has to find out.
template <class V>
std::shared_ptr<const DiagonalsFound<V>> find_diagonals(simt::Emulator, const CsrView<V>& there, bool look_at_values,
                                                        Device device);
template <class V>
std::shared_ptr<const DiagonalsFound<V>> find_diagonals(simt::Cuda, const CsrView<V>& there, bool look_at_values,
                                                        Device device);

}  // namespace heddle::weave
