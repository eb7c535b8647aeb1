#include "formats/hyb/hyb.hpp"

namespace heddle {

template <class V>
void HybFormat<V>::multiply(OnCpu cpu, const Product<V>& p) const {
  multiply_sliced(cpu, parts.ell.view(), p);
  add_product(cpu, parts.rest, p);
}

template void HybFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void HybFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
