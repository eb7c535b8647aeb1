// The kernel of paper 5's time split: ELLPACK with row lengths, a lane per row, once as it is and once with a "pseudo
// x". The pseudo x is a constant in a register; the column is still loaded and looked at, so that
//
//   t_x = t_all - t_pseudo
//
// is what reading x costs.
#pragma once

#include "layout/sliced.hpp"

namespace heddle::reproduce {

enum class ReadsX { yes, no };

// Error(unavailable) on the CPU, which has no such kernel.
template <class V, class Codec>
void multiply_row_per_lane(Device device, const SlicedView<V, Codec>& A, const Product<V>& product, ReadsX reads);

template <class V, class Codec>
void multiply_row_per_lane(simt::Emulator, const SlicedView<V, Codec>& A, const Product<V>& product, ReadsX reads);
template <class V, class Codec>
void multiply_row_per_lane(simt::Cuda, const SlicedView<V, Codec>& A, const Product<V>& product, ReadsX reads);

}  // namespace heddle::reproduce
