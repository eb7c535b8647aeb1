#include "core/parallel.hpp"
#include "formats/weave/weave_long.hpp"

namespace heddle::weave {

namespace {

constexpr int W = LongShape::per_thread, lanes = simt::warp_size;

// The column of place w of a lane, or -1. entry: the first one of the warp, in its row.
template <class C>
std::int64_t column_of(const EachColumn<C>& columns, std::int64_t, std::int64_t warp, std::int64_t, int lane, int w) {
  const C code = columns.data[warp * LongShape::warp_entries + place_in_pieces<C, W>(lane, w)];
  return code == no_long_column<C> ? -1 : std::int64_t{code};
}
std::int64_t column_of(const QuadColumns& columns, std::int64_t, std::int64_t warp, std::int64_t, int lane, int w) {
  const std::uint32_t quad = columns.data[warp * lanes + lane];
  return w < Quad::entries(quad) ? Quad::column(quad) + w : -1;
}
std::int64_t column_of(const RunColumns& columns, std::int64_t row, std::int64_t, std::int64_t entry, int lane, int w) {
  const std::int64_t k = entry + w * lanes + lane;
  return k < columns.data[row].entries ? columns.data[row].column + k : -1;
}

template <class V, class S, class Columns>
V row_sum(const Long<V>& A, std::int64_t row, const Columns& columns, const CodedValues<V, S>& values, const V* x) {
  V sum = 0;
  const Offset first = A.begin[row] * A.shape.warps();
  for (Offset warp = first; warp < A.begin[row + 1] * A.shape.warps(); ++warp) {
    const std::int64_t base = warp * LongShape::warp_entries, entry = (warp - first) * LongShape::warp_entries;
    V part[W] = {};
    for (int lane = 0; lane < lanes; ++lane)
      for (int w = 0; w < W; ++w) {
        const std::int64_t col = column_of(columns, row, warp, entry, lane, w);
        if (col >= 0) part[w] += values.value(base + place_in_pieces<S, W>(lane, w)) * x[col];
      }
    sum += (part[0] + part[1]) + (part[2] + part[3]);
  }
  return sum;
}

}  // namespace

template <class V>
void Long<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) {
    with_columns(*this, [&](const auto& columns) {
      const std::int64_t places = begin[shape.rows] * shape.step_entries();
      parallel_work(shape.rows, places, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row)
          p.update.row(row, row_sum(*this, row, columns, coded, p.x), begin[row + 1] > begin[row]);
      });
    });
  });
}

template void Long<float>::multiply(OnCpu, const Product<float>&) const;
template void Long<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
