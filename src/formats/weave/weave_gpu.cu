#include "formats/weave/weave.hpp"

namespace heddle {

template <class V>
void WeaveFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  std::visit([&](const auto& chosen) { chosen.multiply(here, p); }, layout);
}

template void WeaveFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void WeaveFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
