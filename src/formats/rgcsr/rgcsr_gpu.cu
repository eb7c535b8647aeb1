#include "formats/rgcsr/rgcsr.hpp"

namespace heddle {

// A block per group (of 32 rows at least) and a thread per row, to its own length: layout/sliced_gpu.cu.
template <class V>
void RgcsrFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  multiply_sliced(here, part.view(), p, group < simt::warp_size ? simt::warp_size : group);
}

template void RgcsrFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void RgcsrFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
