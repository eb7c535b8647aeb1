#include <algorithm>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/weave_rows.hpp"

namespace heddle::weave {

namespace {

// The sums of all slots of a slice: U for each of the 32 lanes.
template <class V, int U>
struct SlotSums {
  V sum[simt::warp_size][U] = {};
  bool present[simt::warp_size][U] = {};

  template <class S, class Column>
  void add_step(const CodedValues<V, S>& values, const S* stored, const V* x, Column column) {
    for (int lane = 0; lane < simt::warp_size; ++lane)
      for (int u = 0; u < U; ++u) {
        const Index col = column(lane, u);
        if (col < 0) continue;
        sum[lane][u] += values.decode(stored[place_in_pieces<S, U>(lane, u)]) * x[col];
        present[lane][u] = true;
      }
  }
};

template <int U, class V, class S>
void multiply_slice(const Rows<V>& A, const CodedValues<V, S>& values, std::int64_t s, const Product<V>& p) {
  const SlicedColumns& c = A.columns;
  const ColumnSlice& slice = c.slices[s];
  const std::uint16_t* narrow = c.codes.data() + slice.columns;
  const auto* wide = reinterpret_cast<const Index*>(narrow);
  constexpr std::int64_t slots = simt::warp_size * U;
  SlotSums<V, U> sums;
  for (Index step = 0; step < slice.width; ++step) {
    const S* stored = values.data + (slice.first + step) * slots;
    if (slice.wide)
      sums.add_step(values, stored, p.x,
                    [&](int lane, int u) { return wide[step * slots + place_in_pieces<Index, U>(lane, u)]; });
    else
      sums.add_step(values, stored, p.x, [&](int lane, int u) {
        const std::uint16_t code = narrow[step * slots + place_in_pieces<std::uint16_t, U>(lane, u)];
        return code == ColumnWindows::none ? -1 : slice.windows.decode(code);
      });
  }
  const std::int64_t first = s * c.shape.slice_rows();
  const int rows = static_cast<int>(std::min<std::int64_t>(c.shape.slice_rows(), c.rows - first));
  for (int i = 0; i < rows; ++i) {
    const int lane = c.shape.lane_of(i, 0), u = c.shape.row_of_lane(i);
    V sum = 0;
    bool present = false;
    for (int t = 0; t < c.shape.lanes; ++t) {
      sum += sums.sum[lane + t][u];
      present |= sums.present[lane + t][u];
    }
    p.update.row(c.stored_row(first + i), sum, present);
  }
}

}  // namespace

template <class V>
void Rows<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit([&](const auto& coded) {
    dispatch_int<1, 2, 4>(columns.shape.rows, [&](auto U) {
      parallel_ranges(columns.slices.size(), 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t s = begin; s < end; ++s) multiply_slice<U>(*this, coded, s, p);
      });
    });
  });
}

template void Rows<float>::multiply(OnCpu, const Product<float>&) const;
template void Rows<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
