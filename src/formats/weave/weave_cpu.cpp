#include "formats/weave/weave.hpp"

namespace heddle {

template <class V>
void WeaveFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  std::visit([&](const auto& chosen) { chosen.multiply(OnCpu{}, p); }, layout);
}

template <class V>
bool WeaveFormat<V>::multiply_many(OnCpu, const ProductMany<V>& p) const {
  return multiply_many_at(OnCpu{}, p);
}

template void WeaveFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void WeaveFormat<double>::multiply(OnCpu, const Product<double>&) const;
template bool WeaveFormat<float>::multiply_many(OnCpu, const ProductMany<float>&) const;
template bool WeaveFormat<double>::multiply_many(OnCpu, const ProductMany<double>&) const;

}  // namespace heddle
