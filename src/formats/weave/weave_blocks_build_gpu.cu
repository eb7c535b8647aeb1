#include "core/dispatch.hpp"
#include "formats/weave/weave_blocks.hpp"
#include "layout/device_csr.hpp"

namespace heddle::weave {

namespace {

struct BlocksTarget {
  std::int64_t slices;
  TeamShape shape;
  const ColumnSlice* slice;
  const Index* row_of;
  std::uint16_t* codes;
  std::uint32_t* masks;                // null: all blocks are full
  const std::uint32_t* pattern_masks;  // of the blocks in the order of their rows
};

// The first entry of a row in the block column that begins at `corner`. Where all blocks before it are full it is as
// many entries from the row's begin as they have columns.
SIMT_DEVICE Offset entry_of_block(const PatternArrays& A, std::int64_t row, std::int64_t corner, Offset guess) {
  const Offset begin = A.ptr[row], end = A.ptr[row + 1];
  guess += begin;
  const bool right = guess < end && A.col[guess] >= corner && (guess == begin || A.col[guess - 1] < corner);
  return right ? guess : A.entry_from(corner, begin, end);
}

// The values of block number k of its row, at (row, corner); fill-in is stored as nothing.
template <int B, class V, class S>
SIMT_DEVICE void load_block(const CsrArrays<V>& A, const ValueWriter<V, S>& values, std::int64_t block_row, Offset k,
                            Index col, std::uint32_t mask, S (&stored)[B * B]) {
#pragma unroll
  for (int line = 0; line < B; ++line) {
    const std::uint32_t present = mask >> (line * B) & ((1u << B) - 1);
    Offset entry = present != 0 ? entry_of_block(A, block_row * B + line, std::int64_t{col} * B, k * B) : 0;
#pragma unroll
    for (int j = 0; j < B; ++j)
      stored[line * B + j] = (present >> j & 1) != 0 ? values.encode(simt::cached_load(A.val + entry++)) : S(0);
  }
}

// A warp a slice, a lane a block. Every place is written.
template <int B, class V, class S>
SIMT_KERNEL store_blocks_warp_per_slice(CsrArrays<V> A, PatternArrays blocks, BlocksTarget to,
                                        ValueWriter<V, S> values) {
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= to.slices) return;
  const ColumnSlice slice = to.slice[s];
  const std::int64_t i = s * to.shape.slice_rows() + simt::lane() / to.shape.lanes;
  const std::int64_t row = i < blocks.rows && to.row_of ? to.row_of[i] : i;
  const Offset begin = i < blocks.rows ? blocks.ptr[row] : 0, count = i < blocks.rows ? blocks.length(row) : 0;
  for (Index step = 0; step < slice.width; ++step) {
    const Offset k = std::int64_t{step} * to.shape.lanes + simt::lane() % to.shape.lanes;
    const Index col[1] = {k < count ? blocks.col[begin + k] : -1};
    const std::uint32_t mask = k < count ? to.pattern_masks[begin + k] : 0;
    S stored[B * B];
    load_block<B>(A, values, row, k, col[0], mask, stored);
    store_lane_columns(slice, to.codes, step, col);
    if (to.masks) to.masks[(slice.first + step) * simt::warp_size + simt::lane()] = mask;
    store_pieces(values.data + (slice.first + step) * simt::warp_size * B * B, stored);
  }
}

}  // namespace

template <class V>
std::optional<Blocks<V>> Blocks<V>::build_there(simt::Here here, const CsrView<V>& A, const WeaveSettings& settings,
                                                Device device) {
  const BlockPattern pattern = block_pattern(here, A, settings.block, device);
  auto [columns, code_count] = plan_columns(here, pattern.view(), {settings.lanes, 1}, settings.sort, device);
  const std::int64_t slots = columns.steps * simt::warp_size, stored = slots * settings.block * settings.block;
  if (too_much_padding(stored, A.nnz())) return {};
  auto values = make_value_store(here, A.val, settings.codec(), stored, device);
  if (!values) return {};
  columns.codes = Buffer<std::uint16_t>(code_count, device);
  Blocks to{A.rows,
            A.cols,
            settings.block,
            settings.keep == 1,
            std::move(columns),
            Buffer<std::uint32_t>(pattern.full ? 0 : slots, device),
            std::move(*values)};
  const SlicedColumns& c = to.columns;
  const BlocksTarget target{c.slices.size(),         c.shape,         c.slices.data(),    c.row_of.data(),
                            to.columns.codes.data(), to.masks.data(), pattern.mask.data()};
  constexpr int threads = 128;
  const simt::Launch launch{simt::blocks_for(target.slices * simt::warp_size, threads), threads};
  dispatch_int<2, 3, 4>(to.size, [&](auto B) {
    with_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      simt::launch(here, launch, store_blocks_warp_per_slice<B.value, V, S>, CsrArrays<V>(A),
                   PatternArrays(pattern.view()), target, writer);
    });
  });
  return to;
}

template std::optional<Blocks<float>> Blocks<float>::build_there(simt::Here, const CsrView<float>&,
                                                                 const WeaveSettings&, Device);
template std::optional<Blocks<double>> Blocks<double>::build_there(simt::Here, const CsrView<double>&,
                                                                   const WeaveSettings&, Device);

}  // namespace heddle::weave
