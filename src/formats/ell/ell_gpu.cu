#include "formats/ell/ell.hpp"

namespace heddle {

// One lane per row, to the longest row's length: layout/sliced_gpu.cu.
template <class V>
void EllFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  multiply_sliced(here, part.view(), p, block);
}

template void EllFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void EllFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
