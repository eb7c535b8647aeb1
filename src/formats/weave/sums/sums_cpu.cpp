#include <algorithm>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/sums/sums.hpp"

namespace heddle::weave {

namespace {

// All groups of a warp, one after the other: its sums fit on the stack.
template <int K, class V, class S>
void multiply_warp(const Sums<V>& A, const CodedValues<V, S>& values, std::int64_t warp, const Product<V>& p) {
  const std::int64_t first = warp * A.shape.warp_rows;
  const std::int64_t rows = std::min<std::int64_t>(A.shape.warp_rows, A.shape.rows - first);
  V sums[most_warp_rows * sizeof(float) / sizeof(V)];
  std::fill_n(sums, rows, V(0));
  for (Offset batch = A.start[warp]; batch < A.start[warp + 1]; ++batch) {
    const std::int64_t base = batch * K * simt::warp_size;
    for (int i = 0; i < K; ++i)
      for (int lane = 0; lane < simt::warp_size; ++lane) {
        const Index col = A.col[base + place_in_pieces<Index, K>(lane, i)];
        if (col < 0) continue;
        const int row = A.row[base + place_in_pieces<std::uint16_t, K>(lane, i)];
        sums[row] += values.decode(values.data[base + place_in_pieces<S, K>(lane, i)]) * p.x[col];
      }
  }
  const auto is_filled = [&](std::int64_t row) {
    return A.filled.empty() || (A.filled[row / 32] >> row % 32 & 1) != 0;
  };
  for (std::int64_t i = 0; i < rows; ++i) p.update.row(first + i, sums[i], is_filled(first + i));
}

}  // namespace

template <class V>
void Sums<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit([&](const auto& coded) {
    dispatch_int<4, 8>(shape.batch, [&](auto K) {
      parallel_tasks(shape.warps(), [&](std::int64_t warp) { multiply_warp<K>(*this, coded, warp, p); });
    });
  });
}

template void Sums<float>::multiply(OnCpu, const Product<float>&) const;
template void Sums<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
