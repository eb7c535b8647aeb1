#include "formats/ellr/ellr.hpp"

namespace heddle {

// T lanes per row, each row to its own length: layout/sliced_gpu.cu.
template <class V>
void EllrFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  multiply_sliced(here, part.view(), p, block, cache);
}

template void EllrFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void EllrFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
