#include "formats/weave/diagonals/diagonals.hpp"
#include "layout/many.hpp"

namespace heddle::weave {

namespace {

constexpr int U = rows_per_lane, K = vectors_at_once<U>;

template <class V, class S>
struct DiagonalsOfMany {
  std::int64_t rows, slices;
  const DiagonalSlice* slice;
  const Diagonal* pattern;
  const RowMask* masks;
  CodedValues<V, S> values;
};

// Which of this lane's rows have the diagonal, one bit each; mask 0 has all.
SIMT_DEVICE unsigned rows_with(const RowMask* masks, Index mask) {
  if (mask == 0) return 0xf;
  const auto words = simt::cached_pack<4>(masks[mask].word);
  unsigned rows = 0;
#pragma unroll
  for (int u = 0; u < U; ++u) rows |= (words.at[u] >> simt::lane() & 1) << u;
  return rows;
}

template <bool constant, class V, class S>
SIMT_DEVICE void add_diagonal(const DiagonalsOfMany<V, S>& A, const DiagonalSlice& slice, Index d, std::int64_t row,
                              const VectorsView<V>& x, int first, V (&sum)[U][K], unsigned& present) {
  S stored[constant ? 1 : U];
  V element[U][K] = {};
  const auto diagonal = simt::cached_pack<2>(&A.pattern[slice.pattern + d].offset);
  if constexpr (constant)
    stored[0] = simt::cached_load(A.values.data + slice.first + d);
  else
    load_pieces<Keep::nothing>(A.values.data + (slice.first + d) * slice_rows, stored);
  const unsigned has = rows_with(A.masks, diagonal.at[1]);
  present |= has;
#pragma unroll
  for (int u = 0; u < U; ++u)
    if (has >> u & 1) load_elements(x, row + diagonal.at[0] + u * simt::warp_size, first, element[u]);
#pragma unroll
  for (int u = 0; u < U; ++u)
    if (has >> u & 1) {
      const V value = A.values.decode(stored[constant ? 0 : u]);
#pragma unroll
      for (int j = 0; j < K; ++j) sum[u][j] += value * element[u][j];
    }
}

// A warp a slice.
template <bool constant, class V, class S>
SIMT_KERNEL weave_diagonals_many_warp_per_slice(DiagonalsOfMany<V, S> A, VectorsView<V> x, UpdateMany<V> update) {
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= A.slices) return;
  const DiagonalSlice slice = A.slice[s];
  const std::int64_t row = s * slice_rows + simt::lane();
  for (int first = 0; first < x.count; first += K) {
    V sum[U][K] = {};
    unsigned present = 0;
    for (Index d = 0; d < slice.count; ++d) add_diagonal<constant>(A, slice, d, row, x, first, sum, present);
#pragma unroll
    for (int u = 0; u < U; ++u)
      if (row + u * simt::warp_size < A.rows)
        update_row(update, row + u * simt::warp_size, first, sum[u], (present >> u & 1) != 0);
  }
}

template <class V, class S>
void start(simt::Here here, const Diagonals<V>& A, const CodedValues<V, S>& values, const ProductMany<V>& p) {
  constexpr int threads = 256;
  const DiagonalsOfMany<V, S> view{A.rows, A.slices.size(), A.slices.data(), A.pattern.data(), A.masks.data(), values};
  const simt::Launch shape{simt::blocks_for(view.slices * simt::warp_size, threads), threads, 0, p.stream};
  if (A.values.codec != ValueCodec::constant)
    return simt::launch(here, shape, weave_diagonals_many_warp_per_slice<false, V, S>, view, p.x, p.update);
  if constexpr (std::is_same_v<V, S>)
    simt::launch(here, shape, weave_diagonals_many_warp_per_slice<true, V, S>, view, p.x, p.update);
}

}  // namespace

template <class V>
bool Diagonals<V>::multiply_many(simt::Here here, const ProductMany<V>& p) const {
  values.visit([&](const auto& coded) { start(here, *this, coded, p); });
  return true;
}

template bool Diagonals<float>::multiply_many(simt::Here, const ProductMany<float>&) const;
template bool Diagonals<double>::multiply_many(simt::Here, const ProductMany<double>&) const;

}  // namespace heddle::weave
