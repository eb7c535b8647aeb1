#include "formats/weave/weave.hpp"

namespace heddle {

template <class V>
void WeaveFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  std::visit([&](const auto& chosen) { chosen.multiply(here, p); }, layout);
}

template <class V>
bool WeaveFormat<V>::multiply_many(simt::Here here, const ProductMany<V>& p) const {
  return multiply_many_at(here, p);
}

template void WeaveFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void WeaveFormat<double>::multiply(simt::Here, const Product<double>&) const;
template bool WeaveFormat<float>::multiply_many(simt::Here, const ProductMany<float>&) const;
template bool WeaveFormat<double>::multiply_many(simt::Here, const ProductMany<double>&) const;

}  // namespace heddle
