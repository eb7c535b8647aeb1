#include "core/parallel.hpp"
#include "formats/weave/weave_long.hpp"

namespace heddle::weave {

namespace {

template <class V, class S, class C>
V row_sum(const Long<V>& A, std::int64_t row, const C* columns, const CodedValues<V, S>& values, const V* x) {
  constexpr int W = LongShape::per_thread;
  V sum = 0;
  for (Offset warp = A.begin[row] * A.shape.warps(); warp < A.begin[row + 1] * A.shape.warps(); ++warp) {
    const std::int64_t base = warp * LongShape::warp_entries;
    V part[W] = {};
    for (int lane = 0; lane < simt::warp_size; ++lane)
      for (int w = 0; w < W; ++w) {
        const C col = columns[base + place_in_pieces<C, W>(lane, w)];
        if (col != no_long_column<C>) part[w] += values.value(base + place_in_pieces<S, W>(lane, w)) * x[col];
      }
    sum += (part[0] + part[1]) + (part[2] + part[3]);
  }
  return sum;
}

}  // namespace

template <class V>
void Long<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) {
    const std::int64_t places = narrow.size() + wide.size();
    parallel_ranges(shape.rows, items_of_task(shape.rows, places, 4), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row)
        p.update.row(
            row,
            shape.wide ? row_sum(*this, row, wide.data(), coded, p.x) : row_sum(*this, row, narrow.data(), coded, p.x),
            begin[row + 1] > begin[row]);
    });
  });
}

template void Long<float>::multiply(OnCpu, const Product<float>&) const;
template void Long<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
