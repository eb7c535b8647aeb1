#include "formats/weave/blocks/blocks.hpp"
#include "layout/many.hpp"

namespace heddle::weave {

namespace {

template <class V, class S>
struct BlocksOfMany {
  std::int64_t rows, block_rows, slices;
  int lanes;
  const ColumnSlice* slice;
  const std::uint16_t* codes;
  const Index* row_of;
  const std::uint32_t* masks;  // null: every block is full
  CodedValues<V, S> values;
};

constexpr unsigned all_places(int B) { return (1u << B * B) - 1; }

// The places of column j of a block.
constexpr unsigned places_of_column(int B, int j) {
  unsigned places = 0;
  for (int i = 0; i < B; ++i) places |= 1u << (i * B + j);
  return places;
}

template <int B, int K, class V, class S>
SIMT_DEVICE void add_step(const BlocksOfMany<V, S>& A, const ColumnSlice& slice, Index step, const VectorsView<V>& x,
                          int first, V (&sum)[B][K], unsigned& present) {
  const std::int64_t at = slice.first + step;
  Index col[1];
  S stored[B * B];
  V element[B][K] = {};
  if (slice.wide)
    load_wide_columns<Keep::nothing>(slice, A.codes, step, col);
  else
    load_columns<Keep::nothing>(slice, A.codes, step, col);
  unsigned mask = A.masks ? simt::stream_load(A.masks + at * simt::warp_size + simt::lane()) : all_places(B);
  load_pieces<Keep::nothing>(A.values.data + at * (simt::warp_size * B * B), stored);
  if (col[0] < 0) mask = 0;
  present |= mask;
#pragma unroll
  for (int j = 0; j < B; ++j)
    if (mask & places_of_column(B, j)) load_elements(x, std::int64_t{col[0]} * B + j, first, element[j]);
#pragma unroll
  for (int e = 0; e < B * B; ++e)
    if (mask >> e & 1) {
      const V value = A.values.decode(stored[e]);
#pragma unroll
      for (int j = 0; j < K; ++j) sum[e / B][j] += value * element[e % B][j];
    }
}

// A warp a slice; `lanes` of it share a row of blocks.
template <int B, class V, class S>
SIMT_KERNEL weave_blocks_many_warp_per_slice(BlocksOfMany<V, S> A, VectorsView<V> x, UpdateMany<V> update) {
  constexpr int K = vectors_at_once<B>;
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= A.slices) return;
  const ColumnSlice slice = A.slice[s];
  const std::int64_t i = s * (simt::warp_size / A.lanes) + simt::lane() / A.lanes;
  const bool writes = simt::lane() % A.lanes == 0 && i < A.block_rows;
  const std::int64_t top = (writes && A.row_of ? simt::cached_load(A.row_of + i) : i) * std::int64_t{B};
  for (int first = 0; first < x.count; first += K) {
    V sum[B][K] = {};
    unsigned present = 0;
    for (Index step = 0; step < slice.width; ++step) add_step(A, slice, step, x, first, sum, present);
#pragma unroll
    for (int line = 0; line < B; ++line) team_sums(sum[line], A.lanes);
    for (int distance = A.lanes / 2; distance > 0; distance /= 2) present |= simt::shuffle_xor(present, distance);
    if (!writes) continue;
#pragma unroll
    for (int line = 0; line < B; ++line)
      if (top + line < A.rows)
        update_row(update, top + line, first, sum[line], (present >> line * B & ((1u << B) - 1)) != 0);
  }
}

template <class V, class S>
void start(simt::Here here, const Blocks<V>& A, const CodedValues<V, S>& values, const ProductMany<V>& p) {
  constexpr int threads = 128;
  const SlicedColumns& c = A.columns;
  const BlocksOfMany<V, S> view{A.rows,         c.rows,          c.slices.size(), c.shape.lanes, c.slices.data(),
                                c.codes.data(), c.row_of.data(), A.masks.data(),  values};
  const simt::Launch shape{simt::blocks_for(view.slices * simt::warp_size, threads), threads, 0, p.stream};
  dispatch_block(A.size, [&](auto B) {
    simt::launch(here, shape, weave_blocks_many_warp_per_slice<B.value, V, S>, view, p.x, p.update);
  });
}

}  // namespace

template <class V>
bool Blocks<V>::multiply_many(simt::Here here, const ProductMany<V>& p) const {
  values.visit([&](const auto& coded) { start(here, *this, coded, p); });
  return true;
}

template bool Blocks<float>::multiply_many(simt::Here, const ProductMany<float>&) const;
template bool Blocks<double>::multiply_many(simt::Here, const ProductMany<double>&) const;

}  // namespace heddle::weave
