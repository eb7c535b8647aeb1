// The CPU kernels of weave for several right-hand sides side by side. Vectors that lie one after another are left to
// multiply: walking them together gained little (a tenth to a half on a Xeon).
#include <algorithm>
#include <bit>
#include <type_traits>

#include "core/dispatch.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "formats/weave/blocks/blocks.hpp"
#include "formats/weave/diagonals/diagonals.hpp"
#include "formats/weave/rows/rows.hpp"
#include "simd/vector_group.hpp"

namespace heddle::weave {

namespace {

// f(lane, U slot, column) for the entries of a step.
template <int U, class F>
void each_column(const SlicedColumns& c, const ColumnSlice& slice, Index step, F f) {
  const std::uint16_t* narrow = c.codes.data() + slice.columns;
  const auto* wide = reinterpret_cast<const Index*>(narrow);
  const std::int64_t begin = std::int64_t{step} * simt::warp_size * U;
  for (int lane = 0; lane < simt::warp_size; ++lane)
    for (int u = 0; u < U; ++u) {
      if (slice.wide == ColumnSlice::in_bytes) {
        const std::uint8_t code = slice.byte_codes(c.codes.data())[begin + place_in_pieces<std::uint8_t, U>(lane, u)];
        if (code != ByteWindows::none)
          f(lane, u, slice.step_windows(c.codes.data(), simt::warp_size * U)[step].decode(code));
      } else if (slice.wide) {
        const Index col = wide[begin + place_in_pieces<Index, U>(lane, u)];
        if (col >= 0) f(lane, u, col);
      } else {
        const std::uint16_t code = narrow[begin + place_in_pieces<std::uint16_t, U>(lane, u)];
        if (code != ColumnWindows::none) f(lane, u, slice.windows.decode(code));
      }
    }
}

template <int N, class V>
void add_to(V (&sum)[N], const V (&more)[N]) {
  for (int j = 0; j < N; ++j) sum[j] += more[j];
}

template <int U, class V, class S, class Group>
void multiply_slice(const Rows<V>& A, const CodedValues<V, S>& values, std::int64_t s, const Group& group) {
  const SlicedColumns& c = A.columns;
  const ColumnSlice& slice = c.slices[s];
  V sum[simt::warp_size][U][Group::K] = {};
  bool present[simt::warp_size][U] = {};
  for (Index step = 0; step < slice.width; ++step) {
    const std::int64_t begin = (slice.first + step) * simt::warp_size * U;
    each_column<U>(c, slice, step, [&](int lane, int u, Index col) {
      group.add(sum[lane][u], values.value(begin + place_in_pieces<S, U>(lane, u)), col);
      present[lane][u] = true;
    });
  }
  const std::int64_t first = s * c.shape.slice_rows();
  const int count = static_cast<int>(std::min<std::int64_t>(c.shape.slice_rows(), c.rows - first));
  for (int i = 0; i < count; ++i) {
    const int lane = c.shape.lane_of(i, 0), u = c.shape.row_of_lane(i);
    for (int t = 1; t < c.shape.lanes; ++t) add_to(sum[lane][u], sum[lane + t][u]);
    group.update(c.stored_row(first + i), sum[lane][u], present[lane][u]);
  }
}

template <int B, class V, class S, class Group>
void multiply_slice(const Blocks<V>& A, const CodedValues<V, S>& values, std::int64_t s, const Group& group) {
  const SlicedColumns& c = A.columns;
  const ColumnSlice& slice = c.slices[s];
  V sum[simt::warp_size][B][Group::K] = {};
  unsigned present[simt::warp_size] = {};
  for (Index step = 0; step < slice.width; ++step) {
    const std::int64_t slot = (slice.first + step) * simt::warp_size;
    const S* stored = values.data + slot * B * B;
    each_column<1>(c, slice, step, [&](int lane, int, Index col) {
      unsigned mask = A.masks.empty() ? (1u << B * B) - 1 : A.masks[slot + lane];
      present[lane] |= mask;
      for (; mask != 0; mask &= mask - 1) {
        const int e = std::countr_zero(mask);
        group.add(sum[lane][e / B], values.decode(stored[place_in_pieces<S, B * B>(lane, e)]),
                  std::int64_t{col} * B + e % B);
      }
    });
  }
  const std::int64_t first = s * c.shape.slice_rows();
  const int count = static_cast<int>(std::min<std::int64_t>(c.shape.slice_rows(), c.rows - first));
  for (int i = 0; i < count; ++i) {
    const int lane = i * c.shape.lanes;
    for (int t = 1; t < c.shape.lanes; ++t) {
      for (int line = 0; line < B; ++line) add_to(sum[lane][line], sum[lane + t][line]);
      present[lane] |= present[lane + t];
    }
    const std::int64_t top = c.stored_row(first + i) * B;
    for (int line = 0; line < B && top + line < A.rows; ++line)
      group.update(top + line, sum[lane][line], (present[lane] >> line * B & ((1u << B) - 1)) != 0);
  }
}

// Rows i .. i + R - 1 of a slice for all its diagonals: their sums stay in registers. R divides 32, so their values are
// equally far apart.
template <int R, class V, class S, class Group>
inline void multiply_rows(const Diagonals<V>& A, const CodedValues<V, S>& values, const DiagonalSlice& slice, int i,
                          std::int64_t first, const Group& group) {
  constexpr int K = Group::K;
  constexpr unsigned all = (1u << R) - 1;
  const bool constant = A.values.codec == ValueCodec::constant;
  const std::int64_t slice_step = constant ? 1 : slice_rows, step = constant ? 0 : diagonal_place<S>(1);
  const S* stored = values.data + slice.first * slice_step + (constant ? 0 : diagonal_place<S>(i));
  const VectorsView<V>& x = group.p.x;
  const V* top = x.at(first + i, group.first);
  const Diagonal* pattern = A.pattern.data() + slice.pattern;
  const RowMask* masks = A.masks.data();
  V sum[R][K] = {};
  unsigned present = 0;
  for (Index d = 0; d < slice.count; ++d, stored += slice_step) {
    const unsigned mask = masks[pattern[d].mask].word[i / 32] >> i % 32 & all;
    const V* at = top + pattern[d].offset * x.element;
    present |= mask;
    const auto add = [&](int r) {
      const V value = values.decode(stored[r * step]);
      for (int j = 0; j < K; ++j) sum[r][j] += value * at[r * x.element + j];
    };
    if (mask == all) {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) add(r);
    } else {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r)
        if ((mask >> r & 1) != 0) add(r);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
    if (first + i + r < A.rows) group.update(first + i + r, sum[r], (present >> r & 1) != 0);
}

template <class V, class S, class Group>
void multiply_slice(const Diagonals<V>& A, const CodedValues<V, S>& values, std::int64_t s, const Group& group) {
  constexpr int rows_at_once = 4;
  const std::int64_t first = s * slice_rows, count = std::min<std::int64_t>(slice_rows, A.rows - first);
  for (int i = 0; i < count; i += rows_at_once) multiply_rows<rows_at_once>(A, values, A.slices[s], i, first, group);
}

// f(slice, group) for all slices and vectors, a slice's groups one after another. For every instruction set where
// values are raw: all kinds of values would take the compiler two and a half minutes.
template <class V, class S, class F>
void each_slice(std::int64_t slices, const CodedValues<V, S>&, const ProductMany<V>& p, const F& f) {
  parallel_ranges(slices, 8, [&](std::int64_t begin, std::int64_t end) {
    const auto work = [&](auto) {
      for (std::int64_t s = begin; s < end; ++s) each_group_side_by_side(p, [&](const auto& group) { f(s, group); });
    };
    if constexpr (std::is_same_v<V, S>)
      with_isa(work);
    else
      work(OnIsa<Isa::baseline>{});
  });
}

}  // namespace

template <class V>
bool Rows<V>::multiply_many(OnCpu, const ProductMany<V>& p) const {
  if (p.x.vector != 1) return false;
  values.visit_all([&](const auto& coded) {
    dispatch_int<1, 2, 4>(columns.shape.rows, [&](auto U) {
      each_slice(columns.slices.size(), coded, p,
                 [&](std::int64_t s, const auto& group) { multiply_slice<U>(*this, coded, s, group); });
    });
  });
  return true;
}

template <class V>
bool Blocks<V>::multiply_many(OnCpu, const ProductMany<V>& p) const {
  if (p.x.vector != 1) return false;
  values.visit([&](const auto& coded) {
    dispatch_block(size, [&](auto B) {
      each_slice(columns.slices.size(), coded, p,
                 [&](std::int64_t s, const auto& group) { multiply_slice<B>(*this, coded, s, group); });
    });
  });
  return true;
}

template <class V>
bool Diagonals<V>::multiply_many(OnCpu, const ProductMany<V>& p) const {
  if (p.x.vector != 1) return false;
  values.visit([&](const auto& coded) {
    each_slice(slices.size(), coded, p,
               [&](std::int64_t s, const auto& group) { multiply_slice(*this, coded, s, group); });
  });
  return true;
}

template bool Rows<float>::multiply_many(OnCpu, const ProductMany<float>&) const;
template bool Rows<double>::multiply_many(OnCpu, const ProductMany<double>&) const;
template bool Blocks<float>::multiply_many(OnCpu, const ProductMany<float>&) const;
template bool Blocks<double>::multiply_many(OnCpu, const ProductMany<double>&) const;
template bool Diagonals<float>::multiply_many(OnCpu, const ProductMany<float>&) const;
template bool Diagonals<double>::multiply_many(OnCpu, const ProductMany<double>&) const;

}  // namespace heddle::weave
