#include "layout/scale.hpp"

namespace heddle {

namespace {
template <class V>
SIMT_KERNEL scale_thread_per_row(Update<V> update, std::int64_t rows) {
  const std::int64_t row = simt::global_thread();
  if (row < rows) update.without_entries(row);
}
}  // namespace

template <class V>
void scale(simt::Here here, const Update<V>& update, std::int64_t rows, Stream stream) {
  constexpr int threads = 256;
  simt::launch(here, {simt::blocks_for(rows, threads), threads, 0, stream}, scale_thread_per_row<V>, update, rows);
}

template void scale(simt::Here, const Update<float>&, std::int64_t, Stream);
template void scale(simt::Here, const Update<double>&, std::int64_t, Stream);

}  // namespace heddle
