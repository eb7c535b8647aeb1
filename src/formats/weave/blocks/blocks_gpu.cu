#include <bit>

#include "codec/slice_codes.hpp"
#include "formats/weave/blocks/blocks.hpp"

namespace heddle::weave {

namespace {

template <class V, class S>
struct BlocksView {
  std::int64_t rows, block_rows, slices;
  int lanes, lanes_log2;
  const ColumnSlice* slice;
  const std::uint16_t* codes;
  const Index* row_of;
  const std::uint32_t* masks;  // null: every block is full
  CodedValues<V, S> values;
};

constexpr unsigned full_block(int B) { return (1u << B * B) - 1; }

// The places of column j of a block.
constexpr unsigned block_column(int B, int j) {
  unsigned places = 0;
  for (int i = 0; i < B; ++i) places |= 1u << (i * B + j);
  return places;
}

template <class V, int B>
struct BlockRow {
  V sum[B] = {};
  unsigned present = 0;  // places that are an entry in some block
};

// `count` steps from `step` on: a block a lane each, all loads under way before the first product. A block that is
// absent holds 0 where values are numbers, and meets zeros of x; a code of a table may stand for any value.
template <int count, int B, bool masked, Keep keep, class V, class S, CodedAs as>
SIMT_DEVICE void add_steps(const BlocksView<V, S>& A, const SliceColumns<as>& columns, Index step, const V* x,
                           BlockRow<V, B>& row) {
  unsigned code[count][1];
  S stored[count][B * B];
  V element[count][B];
  unsigned mask[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const std::int64_t at = columns.slice.first + step + i;
    columns.template load<keep>(A.codes, step + i, code[i]);
    mask[i] = masked ? simt::stream_load(A.masks + at * simt::warp_size + simt::lane()) : full_block(B);
    load_pieces<keep>(A.values.data + at * (simt::warp_size * B * B), stored[i]);
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const bool here = code[i][0] != columns.none;
    mask[i] = here ? mask[i] : 0;
    row.present |= mask[i];
    const V* block_x = x + columns.column(code[i][0]) * std::int64_t{B};
#pragma unroll
    for (int j = 0; j < B; ++j) {
      const bool wanted = masked ? (mask[i] & block_column(B, j)) != 0 : here;
      element[i][j] = wanted ? simt::cached_load(block_x + j) : V(0);
    }
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int e = 0; e < B * B; ++e) {
      const V product = A.values.decode(stored[i][e]) * element[i][e % B];
      const bool sure = !masked && std::is_floating_point_v<S>;
      row.sum[e / B] += sure || mask[i] >> e & 1 ? product : V(0);
    }
}

template <int B, bool masked, Keep keep, CodedAs as, class V, class S>
SIMT_DEVICE void add_slice(const BlocksView<V, S>& A, const ColumnSlice& slice, const V* x, BlockRow<V, B>& row) {
  const SliceColumns<as> columns{slice};
  x = simt::settled(x + columns.origin() * std::int64_t{B});
  constexpr int batch = B <= 3 ? 2 : 1;
  Index step = 0;
  for (; step + batch <= slice.width; step += batch) add_steps<batch, B, masked, keep>(A, columns, step, x, row);
  if constexpr (batch > 1)
    if (step < slice.width) add_steps<1, B, masked, keep>(A, columns, step, x, row);
}

// What the loads of a batch need. With those that the compiler keeps to by itself it waits for memory 5 to 14 times
// instead of twice; with more there are too few warps (H200).
constexpr int for_floats[] = {40, 56, 48, 64}, for_doubles[] = {56, 72, 48, 96};  // blocks of 2, 3, 4 and 5
template <class V, int B>
constexpr int registers = (sizeof(V) == 4 ? for_floats : for_doubles)[B - least_block];

// A warp a slice; `lanes` of it share a row of blocks.
template <int B, bool masked, Keep keep, class V, class S>
SIMT_KERNEL_WITH_REGISTERS((registers<V, B>))
weave_blocks_warp_per_slice(BlocksView<V, S> A, const V* x, Update<V> update) {
  const std::int64_t s = simt::global_thread() >> simt::warp_size_log2;
  if (s >= A.slices) return;
  const ColumnSlice slice = A.slice[s];
  BlockRow<V, B> row;
  if (slice.wide)
    add_slice<B, masked, keep, CodedAs::wide>(A, slice, x, row);
  else if (slice.windows.only_first())
    add_slice<B, masked, keep, CodedAs::one_window>(A, slice, x, row);
  else
    add_slice<B, masked, keep, CodedAs::windows>(A, slice, x, row);
  for (int distance = A.lanes / 2; distance > 0; distance /= 2) {
#pragma unroll
    for (int i = 0; i < B; ++i) row.sum[i] += simt::shuffle_xor(row.sum[i], distance);
    row.present |= simt::shuffle_xor(row.present, distance);
  }
  const std::int64_t i = s * (simt::warp_size >> A.lanes_log2) + (simt::lane() >> A.lanes_log2);
  if ((simt::lane() & (A.lanes - 1)) != 0 || i >= A.block_rows) return;
  const std::int64_t first = (A.row_of ? simt::cached_load(A.row_of + i) : i) * std::int64_t{B};
#pragma unroll
  for (int line = 0; line < B; ++line)
    if (first + line < A.rows)
      update.row(first + line, row.sum[line], (row.present >> line * B & ((1u << B) - 1)) != 0);
}

template <int B, class V, class S>
void start_with(simt::Here here, const BlocksView<V, S>& view, bool keep, const Product<V>& p) {
  constexpr int threads = 128;
  const simt::Launch shape{simt::blocks_for(view.slices * simt::warp_size, threads), threads, 0, p.stream};
  if (view.masks)
    simt::launch(here, shape, weave_blocks_warp_per_slice<B, true, Keep::nothing, V, S>, view, p.x, p.update);
  else
    dispatch_keep(keep, [&](auto kept) {
      simt::launch(here, shape, weave_blocks_warp_per_slice<B, false, kept.value, V, S>, view, p.x, p.update);
    });
}

template <class V, class S>
void start(simt::Here here, const Blocks<V>& A, const CodedValues<V, S>& values, const Product<V>& p) {
  const SlicedColumns& c = A.columns;
  const BlocksView<V, S> view{.rows = A.rows,
                              .block_rows = c.rows,
                              .slices = c.slices.size(),
                              .lanes = c.shape.lanes,
                              .lanes_log2 = std::countr_zero(static_cast<unsigned>(c.shape.lanes)),
                              .slice = c.slices.data(),
                              .codes = c.codes.data(),
                              .row_of = c.row_of.data(),
                              .masks = A.masks.data(),
                              .values = values};
  dispatch_block(A.size, [&](auto B) { start_with<B.value>(here, view, A.keep, p); });
}

}  // namespace

template <class V>
void Blocks<V>::multiply(simt::Here here, const Product<V>& p) const {
  values.visit([&](const auto& coded) { start(here, *this, coded, p); });
}

template void Blocks<float>::multiply(simt::Here, const Product<float>&) const;
template void Blocks<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
