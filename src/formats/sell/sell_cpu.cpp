#include "formats/sell/sell.hpp"

namespace heddle {

template <class V>
void SellFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  multiply_sliced(OnCpu{}, part.view(), p);
}

template void SellFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void SellFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
