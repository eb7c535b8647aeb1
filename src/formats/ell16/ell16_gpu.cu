#include "formats/ell16/ell16.hpp"

namespace heddle {

namespace {

template <class V>
SIMT_KERNEL reorder_thread_per_element(const Index* old_place, std::int64_t size, const V* x, V* to) {
  const std::int64_t i = simt::global_thread();
  if (i < size) to[i] = simt::cached_load(x + simt::stream_load(old_place + i));
}

}  // namespace

template <class V>
void Ell16Format<V>::multiply(simt::Here here, const Product<V>& p) const {
  simt::launch(here, {simt::blocks_for(row_of.size(), threads), threads, 0, p.stream}, reorder_thread_per_element<V>,
               row_of.data(), row_of.size(), p.x, const_cast<V*>(reordered_x.data()));
  multiply_sliced(here, ell(), inner(p), threads);
  add_product(here, parts.rest, inner(p));
}

template void Ell16Format<float>::multiply(simt::Here, const Product<float>&) const;
template void Ell16Format<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
