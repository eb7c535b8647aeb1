#include "formats/weave/weave.hpp"

namespace heddle {

template <class V>
void WeaveFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  std::visit([&](const auto& chosen) { chosen.multiply(OnCpu{}, p); }, layout);
}

template void WeaveFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void WeaveFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
