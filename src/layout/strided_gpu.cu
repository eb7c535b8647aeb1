#include "layout/strided.hpp"

namespace heddle {

namespace {

constexpr int block_size = 256;

template <class V>
SIMT_KERNEL copy_thread_per_element(StridedCopy<V> c) {
  const std::int64_t i = simt::global_thread();
  if (i < c.size) c.to[i * c.to_step] = c.from[i * c.from_step];
}

template <class V>
SIMT_KERNEL scale_thread_per_element(UpdateMany<V> update, std::int64_t rows) {
  const std::int64_t t = simt::global_thread();
  if (t < rows * update.count) scale_element(update, rows, t);
}

}  // namespace

template <class V>
void copy_strided(simt::Here here, const StridedCopy<V>& c, Stream stream) {
  simt::launch(here, {simt::blocks_for(c.size, block_size), block_size, 0, stream}, copy_thread_per_element<V>, c);
}

template <class V>
void scale_many(simt::Here here, const UpdateMany<V>& update, std::int64_t rows, Stream stream) {
  simt::launch(here, {simt::blocks_for(rows * update.count, block_size), block_size, 0, stream},
               scale_thread_per_element<V>, update, rows);
}

template void copy_strided(simt::Here, const StridedCopy<float>&, Stream);
template void copy_strided(simt::Here, const StridedCopy<double>&, Stream);
template void scale_many(simt::Here, const UpdateMany<float>&, std::int64_t, Stream);
template void scale_many(simt::Here, const UpdateMany<double>&, std::int64_t, Stream);

}  // namespace heddle
