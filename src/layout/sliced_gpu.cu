#include "core/dispatch.hpp"
#include "layout/sliced.hpp"
#include "simt/primitives/strided_sum.hpp"

namespace heddle {

namespace {

constexpr int half_warp = simt::warp_size / 2;

template <Caching C, class T>
SIMT_DEVICE T matrix_load(const T* from) {
  return C == Caching::all ? simt::cached_load(from) : simt::stream_load(from);
}
template <Caching C, class T>
SIMT_DEVICE T x_load(const T* from) {
  return C == Caching::none ? simt::uncached_load(from) : simt::cached_load(from);
}

// This lane's share of a row: entries member, member + T, ... up to the row's length.
template <class V, class Codec, int T, Caching C>
SIMT_DEVICE V sum_to_length(const SlicedView<V, Codec>& A, std::int64_t row, Offset place, std::int64_t stride,
                            int member, Index length, const V* x) {
  const Offset end = place + static_cast<Offset>((length - member + T - 1) / T) * stride;
  return strided_sum<V>(place, length > member ? end : place, stride, [&](Offset at) {
    return matrix_load<C>(A.val + at) * x_load<C>(x + Codec::decode(row, matrix_load<C>(A.col + at)));
  });
}

// Columns first, then the values and x of those that are entries: the test for padding holds up no load.
template <int Batch, class V, class Codec>
SIMT_DEVICE V sum_of_batch(const SlicedView<V, Codec>& A, Offset place, std::int64_t stride, const V* x, Index& seen) {
  Index col[Batch];
  V val[Batch], factor[Batch];
  for (int i = 0; i < Batch; ++i) col[i] = simt::stream_load(A.col + place + i * stride);
  for (int i = 0; i < Batch; ++i) {
    val[i] = col[i] >= 0 ? simt::stream_load(A.val + place + i * stride) : V(0);
    factor[i] = col[i] >= 0 ? simt::cached_load(x + col[i]) : V(0);
    seen &= col[i];
  }
  V sum = 0;
  for (int i = 0; i < Batch; ++i) sum += val[i] * factor[i];
  return sum;
}

// The same to the end of the slice, with the classic test for padding inside the loop. `seen` stays negative when there
// was nothing but padding. (H200, 2026-11, sell on a 3D 7-point stencil in float: 55 us with the test in front of every
// load, 45 us so.)
template <class V, class Codec>
SIMT_DEVICE V sum_to_width(const SlicedView<V, Codec>& A, Offset place, Offset end, std::int64_t stride, const V* x,
                           Index& seen) {
  constexpr int batch = 4;
  V sum = 0;
  for (; place + (batch - 1) * stride < end; place += batch * stride)
    sum += sum_of_batch<batch>(A, place, stride, x, seen);
  for (; place < end; place += stride) sum += sum_of_batch<1>(A, place, stride, x, seen);
  return sum;
}

// T neighbouring lanes share a row: neighbouring lanes read neighbouring places. T = 1: one lane per row. Lanes of no
// row come along for the sum.
template <class V, class Codec, int T, Caching C>
SIMT_DEVICE void team_of_row(const SlicedView<V, Codec>& A, std::int64_t row, bool present, int member, const V* x,
                             const Update<V>& update) {
  V sum = 0;
  bool has_entries = false;
  if (present) {
    const std::int64_t s = A.shape.slice_of(row), stride = A.shape.height(s) * T;
    const Offset place = A.slice_begin(s) + (row - s * A.shape.slice) * T + member;
    if (!Codec::marks_padding || A.length) {
      const Index length = simt::stream_load(A.length + row);
      has_entries = length > 0;
      sum = sum_to_length<V, Codec, T, C>(A, row, place, stride, member, length, x);
    } else {
      Index seen = -1;
      sum = sum_to_width(A, place, A.slice_end(s), stride, x, seen);
      has_entries = seen >= 0;  // in the team's first lane, which has the row's first entry
    }
  }
  sum = simt::team_sum<T>(sum);
  if (present && member == 0) update.row(row, sum, has_entries);
}

template <class V, class Codec, int T, Caching C>
SIMT_KERNEL sliced_team_per_row(SlicedView<V, Codec> A, const V* x, Update<V> update) {
  const std::int64_t row = simt::global_thread() / T;
  team_of_row<V, Codec, T, C>(A, row, row < A.shape.rows, simt::thread() % T, x, update);
}

// Blocks of 16 threads, which no launch can have: each takes a warp, whose other half idles.
template <class V, class Codec, int T, Caching C>
SIMT_KERNEL sliced_team_per_row_of_half_warps(SlicedView<V, Codec> A, const V* x, Update<V> update) {
  const std::int64_t row = (simt::block() * half_warp + simt::thread()) / T;
  team_of_row<V, Codec, T, C>(A, row, simt::thread() < half_warp && row < A.shape.rows, simt::thread() % T, x, update);
}

template <int T, Caching C, class V, class Codec>
void launch_team(simt::Here here, const SlicedView<V, Codec>& A, const Product<V>& p, int threads) {
  Update<V> update = p.update;
  update.row_of = A.row_of;
  if constexpr (Codec::marks_padding && T < half_warp)
    if (threads == half_warp)
      return simt::launch(here, {simt::blocks_for(A.shape.rows * T, half_warp), simt::warp_size, 0, p.stream},
                          sliced_team_per_row_of_half_warps<V, Codec, T, C>, A, p.x, update);
  simt::launch(here, {simt::blocks_for(A.shape.rows * T, threads), threads, 0, p.stream},
               sliced_team_per_row<V, Codec, T, C>, A, p.x, update);
}

}  // namespace

template <class V, class Codec>
void multiply_sliced(simt::Here here, const SlicedView<V, Codec>& A, const Product<V>& p, int threads,
                     Caching caching) {
  if constexpr (!Codec::marks_padding) {
    dispatch_int<1>(A.shape.lanes, [&](auto T) { launch_team<T, Caching::x>(here, A, p, threads); });
  } else if (caching == Caching::x) {
    dispatch_int<1, 2, 4, 8, 16, 32>(A.shape.lanes, [&](auto T) { launch_team<T, Caching::x>(here, A, p, threads); });
  } else {
    dispatch_int<1, 2, 4, 8, 16, 32>(A.shape.lanes, [&](auto T) {
      if (caching == Caching::all)
        launch_team<T, Caching::all>(here, A, p, threads);
      else
        launch_team<T, Caching::none>(here, A, p, threads);
    });
  }
}

template void multiply_sliced(simt::Here, const SlicedView<float, Index32>&, const Product<float>&, int, Caching);
template void multiply_sliced(simt::Here, const SlicedView<double, Index32>&, const Product<double>&, int, Caching);
template void multiply_sliced(simt::Here, const SlicedView<float, Column16>&, const Product<float>&, int, Caching);
template void multiply_sliced(simt::Here, const SlicedView<double, Column16>&, const Product<double>&, int, Caching);

}  // namespace heddle
