#include "formats/hyb/hyb.hpp"

namespace heddle {

template <class V>
void HybFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  multiply_sliced(here, parts.ell.view(), p, threads);
  add_product(here, parts.rest, p);
}

template void HybFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void HybFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
