// What kernels find out about the diagonals of a matrix on a device. Storing follows from it: with the rows of its
// diagonals known, a slice is stored without a look at the columns.
#pragma once

#include <memory>

#include "formats/weave/weave_diagonals.hpp"
#include "layout/device_workspace.hpp"

namespace heddle::weave {

template <class V>
struct FoundDiagonal {
  RowMask rows;
  Index offset;
  V value;  // the last row's, where values were looked at
};

template <class V>
struct DiagonalsFound {
  explicit DiagonalsFound(Device device) : memory(device) {}

  std::int64_t diagonals = 0;         // of all slices
  bool constant = false;              // each has one value; false where nobody looked
  Buffer<FoundDiagonal<V>> patterns;  // in host memory
  // On the device.
  device::Workspace memory;
  std::shared_ptr<Buffer<DiagonalSlice>> slices;
  Offset* list = nullptr;              // where the diagonals of a slice are
  FoundDiagonal<V>* listed = nullptr;  // in gaps
};

// Null: the host has to find out.
template <class V>
std::shared_ptr<const DiagonalsFound<V>> find_diagonals(simt::Emulator, const CsrView<V>& there, bool look_at_values,
                                                        Device device);
template <class V>
std::shared_ptr<const DiagonalsFound<V>> find_diagonals(simt::Cuda, const CsrView<V>& there, bool look_at_values,
                                                        Device device);

}  // namespace heddle::weave
