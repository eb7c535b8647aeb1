#include <algorithm>

#include "core/parallel.hpp"
#include "formats/weave/weave_diagonals.hpp"

namespace heddle::weave {

namespace {

bool full(const RowMask& mask) { return (mask.word[0] & mask.word[1] & mask.word[2] & mask.word[3]) == ~0u; }

// Sums of the rows of one slice, diagonal by diagonal: values and elements of x run along the rows.
template <class V, class S>
struct SliceSums {
  V sum[slice_rows] = {};
  RowMask present = {};

  void add_constant(V value, const RowMask& mask, const V* x) {
    add(mask, x, [&](int) { return value; });
  }
  void add_diagonal(const CodedValues<V, S>& values, const S* stored, const RowMask& mask, const V* x) {
    add(mask, x, [&](int p) { return values.decode(stored[diagonal_place<S>(p)]); });
  }
  template <class F>
  void add(const RowMask& mask, const V* x, F value) {
    for (int w = 0; w < 4; ++w) present.word[w] |= mask.word[w];
    if (full(mask)) {
      for (int u = 0; u < rows_per_lane; ++u)
        for (int lane = 0; lane < simt::warp_size; ++lane) {
          const int p = u * simt::warp_size + lane;
          sum[p] += value(p) * x[p];
        }
    } else {
      for (int p = 0; p < slice_rows; ++p)
        if (mask.word[p / 32] >> (p % 32) & 1) sum[p] += value(p) * x[p];
    }
  }
};

template <class V, class S>
void multiply_slice(const Diagonals<V>& A, const CodedValues<V, S>& values, std::int64_t s, const Product<V>& p) {
  const DiagonalSlice slice = A.slices[s];
  const std::int64_t first = s * slice_rows, count = std::min<std::int64_t>(slice_rows, A.rows - first);
  SliceSums<V, S> sums;
  for (Index d = 0; d < slice.count; ++d) {
    const Diagonal diagonal = A.pattern[slice.pattern + d];
    const RowMask& mask = A.masks[diagonal.mask];
    const V* x = p.x + first + diagonal.offset;  // read only where the mask allows
    if (A.values.codec == ValueCodec::constant)
      sums.add_constant(A.values.raw[slice.first + d], mask, x);
    else
      sums.add_diagonal(values, values.data + (slice.first + d) * slice_rows, mask, x);
  }
  for (std::int64_t i = 0; i < count; ++i)
    p.update.row(first + i, sums.sum[i], (sums.present.word[i / 32] >> (i % 32) & 1) != 0);
}

}  // namespace

template <class V>
void Diagonals<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit([&](const auto& coded) {
    parallel_ranges(slices.size(), 8, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s) multiply_slice(*this, coded, s, p);
    });
  });
}

template void Diagonals<float>::multiply(OnCpu, const Product<float>&) const;
template void Diagonals<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
