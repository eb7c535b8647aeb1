#include "formats/ell/ell.hpp"

namespace heddle {

template <class V>
void EllFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  multiply_sliced(OnCpu{}, part.view(), p);
}

template void EllFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void EllFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
