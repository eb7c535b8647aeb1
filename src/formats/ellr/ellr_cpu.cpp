#include "formats/ellr/ellr.hpp"

namespace heddle {

template <class V>
void EllrFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  multiply_sliced(OnCpu{}, part.view(), p);
}

template void EllrFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void EllrFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
