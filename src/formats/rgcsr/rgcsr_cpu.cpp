#include "formats/rgcsr/rgcsr.hpp"

namespace heddle {

template <class V>
void RgcsrFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  multiply_sliced(OnCpu{}, part.view(), p);
}

template void RgcsrFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void RgcsrFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
