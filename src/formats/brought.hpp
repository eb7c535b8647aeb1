// The caller's arrays (heddle/arrays.hpp) as a canonical Csr, where they lie.
#pragma once

#include "core/matrix/arranged.hpp"

namespace heddle {

// On the device of the view; the map lies in host memory. The view's own arrays are lent where they fit.
template <class V>
Arranged<V> bring(const MatrixView<V>& A);

}  // namespace heddle
