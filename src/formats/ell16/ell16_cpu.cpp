#include "core/parallel.hpp"
#include "formats/ell16/ell16.hpp"

namespace heddle {

template <class V>
void Ell16Format<V>::multiply(OnCpu cpu, const Product<V>& p) const {
  V* const to = const_cast<V*>(reordered_x.data());
  parallel_ranges(row_of.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = p.x[row_of[i]];
  });
  multiply_sliced(cpu, ell(), inner(p));
  add_product(cpu, parts.rest, inner(p));
}

template void Ell16Format<float>::multiply(OnCpu, const Product<float>&) const;
template void Ell16Format<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
