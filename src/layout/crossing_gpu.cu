#include "layout/crossing.hpp"

namespace heddle {

namespace {

// One warp per crossing row: a giant row may reach into thousands of shares.
template <class V>
SIMT_KERNEL combine_warp_per_crossing(CrossingView<V> pieces, Update<V> update, Combine how) {
  const std::int64_t i = simt::global_thread() / simt::warp_size;
  const bool present = i < pieces.crossings;
  const Crossing c = present ? pieces.crossing[i] : Crossing{0, 0, 0};
  V sum = 0;
  for (std::int32_t k = 1 + simt::lane(); k <= c.count; k += simt::warp_size) sum += pieces.head[c.share + k];
  sum = simt::team_sum<simt::warp_size>(sum);
  if (present && simt::lane() == 0) finish_crossing(update, c.row, pieces.tail[c.share] + sum, how);
}

}  // namespace

template <class V>
void combine(simt::Here here, const CrossingView<V>& pieces, const Update<V>& update, Combine how, Stream stream) {
  constexpr int threads = 128;
  const std::int64_t blocks = simt::blocks_for(pieces.crossings * simt::warp_size, threads);
  simt::launch(here, {blocks, threads, 0, stream}, combine_warp_per_crossing<V>, pieces, update, how);
}

template void combine(simt::Here, const CrossingView<float>&, const Update<float>&, Combine, Stream);
template void combine(simt::Here, const CrossingView<double>&, const Update<double>&, Combine, Stream);

}  // namespace heddle
