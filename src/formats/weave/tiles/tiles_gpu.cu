#include "core/dispatch.hpp"
#include "formats/weave/tiles/tiles.hpp"
#include "simt/primitives/segment_sums.hpp"
#include "simt/primitives/strided_sum.hpp"

namespace heddle::weave {

namespace {

template <class V, class S>
struct TilesView {
  const TileBlock* blocks;
  const Index* rank;
  const std::uint16_t* col;
  const std::uint32_t* ends;
  const std::uint8_t* ended_before;
  CodedValues<V, S> values;
  V* partials;
};

// A lane's share of a unit, as it is stored.
template <int K, class S>
struct LaneEntries {
  std::uint16_t col[K];
  S stored[K];
  std::uint32_t ends;  // the word that has this lane's bits
  int ended_before;    // ends of the unit in earlier words
  Index rank;
};

template <int K, class V, class S>
SIMT_DEVICE void load_unit(const TilesView<V, S>& A, Index unit, LaneEntries<K, S>& to) {
  const std::int64_t first = std::int64_t{unit} * simt::warp_size * K;
  load_pieces<Keep::nothing>(A.col + first, to.col);
  load_pieces<Keep::nothing>(A.values.data + first, to.stored);
  const std::int64_t word = std::int64_t{unit} * K + simt::lane() * K / simt::warp_size;
  to.ends = simt::cached_load(A.ends + word);
  to.ended_before = simt::cached_load(A.ended_before + word);
  to.rank = simt::cached_load(A.rank + unit);
}

// Several loads of a thread under way: one after another they would take as long as the tile's entries. Past the L1:
// the kernel may have begun before x was packed, and what the L1 keeps as read-only has to be so from the beginning.
template <class V>
SIMT_DEVICE void load_tile(const V* x, Index columns, V* tile) {
  constexpr int batch = 8;
  const Index stride = simt::block_threads();
  for (Index i = simt::thread(); i < columns; i += batch * stride) {
    V held[batch];
#pragma unroll
    for (int b = 0; b < batch; ++b)
      if (i + b * stride < columns) held[b] = simt::uncached_load(x + i + b * stride);
#pragma unroll
    for (int b = 0; b < batch; ++b)
      if (i + b * stride < columns) tile[i + b * stride] = held[b];
  }
}

constexpr int most_threads = most_warps * simt::warp_size;

// Shared memory: 32 * K sums of each warp, then the tile of x. A warp loads its next unit before it works on this one,
// and its first before the tile is there, even before x is packed.
template <int K, class V, class S>
SIMT_BOUNDED_KERNEL(most_threads, 1)
weave_tiles_block_per_tile(TilesView<V, S> A, const V* x) {
  constexpr int entries = simt::warp_size * K;
  const TileBlock mine = A.blocks[simt::block()];
  const int warps = simt::block_threads() / simt::warp_size;
  V* staged = simt::shared<V>() + simt::warp() * entries;
  V* tile = simt::shared<V>() + warps * entries;
  const int first_bit = simt::lane() * K % simt::warp_size;
  const Index end = mine.unit + mine.units;
  Index unit = mine.unit + simt::warp();
  LaneEntries<K, S> next{};
  if (unit < end) load_unit(A, unit, next);
  simt::wait_for_earlier();
  load_tile(x + mine.column, mine.columns, tile);
  simt::sync_block();
  while (unit < end) {
    const LaneEntries<K, S> now = next;
    unit += warps;
    if (unit < end) load_unit(A, unit, next);
    V product[K];
#pragma unroll
    for (int i = 0; i < K; ++i) product[i] = A.values.decode(now.stored[i]) * tile[now.col[i]];
    const std::uint32_t ends = now.ends >> first_bit & ((1u << K) - 1);
    const int order = now.ended_before + simt::count_bits(now.ends & ((1u << first_bit) - 1));
    stage_segments(product, ends, order, staged);
    const int ended = simt::shuffle(order + simt::count_bits(ends), simt::warp_size - 1);
    simt::sync_warp();
    for (int i = simt::lane(); i < ended; i += simt::warp_size) A.partials[now.rank + i] = staged[i];
    simt::sync_warp();
  }
}

template <class V>
SIMT_KERNEL weave_tiles_pack_x(const Index* column_of, std::int64_t columns, const V* x, V* packed) {
  simt::let_next_start();
  const std::int64_t i = simt::global_thread();
  if (i < columns) packed[i] = simt::cached_load(x + simt::stream_load(column_of + i));
}

template <class V>
struct RowsView {
  std::int64_t rows, long_rows;
  const Index *row_start, *of_row, *long_row;
  const V* partials;
};

constexpr int row_threads = 256;

template <class V>
SIMT_DEVICE V sum_of_partials(const RowsView<V>& A, Index first, Index end, Index stride) {
  return strided_sum<V>(first, end, stride,
                        [&](Index i) { return simt::cached_load(A.partials + simt::stream_load(A.of_row + i)); });
}

// The first blocks have a warp for every row with many partials, the others a thread for each of the rest.
template <class V>
SIMT_KERNEL weave_tiles_sum_rows(RowsView<V> A, std::int64_t long_blocks, Update<V> update) {
  if (simt::block() < long_blocks) {
    const std::int64_t number = simt::global_thread() / simt::warp_size;
    if (number >= A.long_rows) return;
    const Index row = A.long_row[number];
    const V sum = simt::warp_sum(
        sum_of_partials(A, A.row_start[row] + simt::lane(), A.row_start[row + 1], Index{simt::warp_size}));
    if (simt::lane() == 0) update(row, sum);
    return;
  }
  const std::int64_t row = simt::global_thread() - long_blocks * simt::block_threads();
  if (row >= A.rows) return;
  const Index first = simt::cached_load(A.row_start + row), end = simt::cached_load(A.row_start + row + 1);
  if (end - first > few_partials) return;
  update.row(row, sum_of_partials(A, first, end, Index{1}), first < end);
}

template <class V>
const V* pack_x(simt::Here here, const Tiles<V>& A, const Product<V>& p) {
  if (A.column_of.empty()) return p.x;
  V* packed = const_cast<V*>(A.packed_x.data());
  simt::launch(here, {simt::blocks_for(A.column_of.size(), row_threads), row_threads, 0, p.stream},
               weave_tiles_pack_x<V>, A.column_of.data(), A.column_of.size(), p.x, packed);
  return packed;
}

template <class V, class S>
void sum_units(simt::Here here, const Tiles<V>& A, const CodedValues<V, S>& values, const V* x, simt::Launch shape) {
  const TilesView<V, S> view{A.blocks.data(),
                             A.rank.data(),
                             A.col.data(),
                             A.ends.data(),
                             A.ended_before.data(),
                             values,
                             const_cast<V*>(A.partials.data())};
  dispatch_int<4, 8>(A.per_lane,
                     [&](auto K) { simt::launch(here, shape, weave_tiles_block_per_tile<K.value, V, S>, view, x); });
}

template <class V>
void sum_rows(simt::Here here, const Tiles<V>& A, const Product<V>& p) {
  const std::int64_t long_blocks = simt::blocks_for(A.long_rows.size() * simt::warp_size, row_threads);
  const RowsView<V> view{A.rows,          A.long_rows.size(), A.row_start.data(),
                         A.of_row.data(), A.long_rows.data(), A.partials.data()};
  simt::launch(here, {long_blocks + simt::blocks_for(A.rows, row_threads), row_threads, 0, p.stream},
               weave_tiles_sum_rows<V>, view, long_blocks, p.update);
}

}  // namespace

template <class V>
void Tiles<V>::multiply(simt::Here here, const Product<V>& p) const {
  const V* x = pack_x(here, *this, p);
  const int threads = warps * simt::warp_size;
  simt::Launch shape{blocks.size(), threads, static_cast<std::size_t>(threads * per_lane + width) * sizeof(V),
                     p.stream};
  shape.overlaps = x != p.x;  // with the packing of x
  values.visit([&](const auto& coded) { sum_units(here, *this, coded, x, shape); });
  sum_rows(here, *this, p);
}

template void Tiles<float>::multiply(simt::Here, const Product<float>&) const;
template void Tiles<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
