#include "formats/coo/coo.hpp"

namespace heddle {

template <class V>
void CooFormat<V>::multiply(OnCpu cpu, const Product<V>& p) const {
  scale(cpu, p.update, rows);
  add_product(cpu, entries, p);
}

template void CooFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CooFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
