#include <algorithm>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/rows/rows.hpp"
#include "formats/weave/weave_slots.hpp"
#include "formats/weave/weave_slots_wide.hpp"

namespace heddle::weave {

namespace {

#if defined(__x86_64__)
struct SliceColumns {
  const ColumnSlice& slice;
  const std::uint16_t* narrow;
  int slots;

  HEDDLE_AVX512 __m512i operator()(std::int64_t step, int part) const {
    const std::int64_t at = step * slots + part * 16;
    return slice.wide ? _mm512_loadu_si512(reinterpret_cast<const Index*>(narrow) + at)
                      : decode_columns_wide(slice.windows, narrow + at);
  }
};
#endif

template <int U, class V, class S, class On>
inline void sum_slice(On on, const Rows<V>& A, const CodedValues<V, S>& values, const ColumnSlice& slice, const V* x,
                      SlotSums<V, U>& sums) {
  constexpr int slots = SlotSums<V, U>::slots;
  const std::uint16_t* codes = A.columns.codes.data();
  const std::uint16_t* narrow = codes + slice.columns;
  if constexpr (On::value == Isa::avx512 && std::is_same_v<S, V>)
    if (slice.wide != ColumnSlice::in_bytes)
      return sum_slots<U>(values.at(slice.first * slots), slots, slice.width, x, SliceColumns{slice, narrow, slots},
                          sums);
  const auto* wide = reinterpret_cast<const Index*>(narrow);
  sums.clear();
  for (Index step = 0; step < slice.width; ++step) {
    Index col[slots];
    if (slice.wide == ColumnSlice::in_bytes)
      decode_columns(slice.step_windows(codes, slots)[step], slice.byte_codes(codes) + std::int64_t{step} * slots, col);
    else if (slice.wide)
      std::copy_n(wide + std::int64_t{step} * slots, slots, col);
    else
      decode_columns(slice.windows, narrow + std::int64_t{step} * slots, col);
    add_step<U>(on, values, values.at((slice.first + step) * slots), x, col, sums);
  }
}

template <int U, class V, class S, class On>
inline void multiply_slice(On on, const Rows<V>& A, const CodedValues<V, S>& values, std::int64_t s,
                           const Product<V>& p) {
  const SlicedColumns& c = A.columns;
  SlotSums<V, U> sums;
  sum_slice<U>(on, A, values, c.slices[s], p.x, sums);
  const std::int64_t first = s * c.shape.slice_rows();
  const int rows = static_cast<int>(std::min<std::int64_t>(c.shape.slice_rows(), c.rows - first));
  for (int i = 0; i < rows; ++i) {
    const int lane = c.shape.lane_of(i, 0), u = c.shape.row_of_lane(i);
    V sum = 0;
    Index absent = -1;
    for (int t = 0; t < c.shape.lanes; ++t) {
      sum += sums.sum[(lane + t) * U + u];
      absent &= sums.absent[(lane + t) * U + u];
    }
    p.update.row(c.stored_row(first + i), sum, absent == 0);
  }
}

}  // namespace

template <class V>
void Rows<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) {
    dispatch_int<1, 2, 4>(columns.shape.rows, [&](auto U) {
      const std::int64_t slices = columns.slices.size();
      parallel_work(slices, columns.codes.size(), [&](std::int64_t begin, std::int64_t end) {
        with_isa([&](auto on) {
          for (std::int64_t s = begin; s < end; ++s) multiply_slice<U>(on, *this, coded, s, p);
        });
      });
    });
  });
}

template void Rows<float>::multiply(OnCpu, const Product<float>&) const;
template void Rows<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
