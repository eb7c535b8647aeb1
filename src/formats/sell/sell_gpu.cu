#include "formats/sell/sell.hpp"

namespace heddle {

// A team of lanes per row, to the width of its slice: layout/sliced_gpu.cu.
template <class V>
void SellFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 128;
  multiply_sliced(here, part.view(), p, threads);
}

template void SellFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void SellFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
