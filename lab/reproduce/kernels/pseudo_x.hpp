// The kernel of paper 5's time split: ELLPACK with row lengths, a lane per row (on the CPU row after row), once as it
// is and once with a "pseudo x". The pseudo x is a constant in a register; the column is still loaded and looked at, so
// that
//
//   t_x = t_all - t_pseudo
//
// is what reading x costs.
#pragma once

#include "layout/sliced.hpp"

namespace heddle::reproduce {

enum class ReadsX { yes, no };

// How the kernel of the device wants its rows: a GPU all of them in one slice, so that lanes read side by side; the CPU
// each in a slice of its own, which is CSR.
Sliced row_per_lane_shape(Device device, std::int64_t rows);

template <class V, class Codec>
void multiply_row_per_lane(Device device, const SlicedView<V, Codec>& A, const Product<V>& product, ReadsX reads);

template <class V, class Codec>
void multiply_row_per_lane(simt::Emulator, const SlicedView<V, Codec>& A, const Product<V>& product, ReadsX reads);
template <class V, class Codec>
void multiply_row_per_lane(simt::Cuda, const SlicedView<V, Codec>& A, const Product<V>& product, ReadsX reads);

}  // namespace heddle::reproduce
