#include "formats/coo/coo.hpp"

namespace heddle {

template <class V>
void CooFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  scale(here, p.update, rows, p.stream);
  add_product(here, entries, p);
}

template void CooFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void CooFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
