#include <algorithm>

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
  std::uint32_t* masks;
  const std::uint32_t* pattern_masks;  // of the blocks in the order of their rows
};

// The rows of a row of blocks.
template <int B>
struct BlockLines {
  Offset begin[B], end[B];

  SIMT_DEVICE BlockLines(const PatternArrays& A, std::int64_t block_row) {
#pragma unroll
    for (int line = 0; line < B; ++line) {
      const std::int64_t row = block_row * B + line;
      begin[line] = row < A.rows ? A.ptr[row] : 0;
      end[line] = row < A.rows ? A.ptr[row + 1] : 0;
    }
  }
  // The first entry of a line in block number k of the row, that begins at `corner`. Where all blocks before it are
  // full it is as many entries from the begin as they have columns.
  SIMT_DEVICE Offset entry(const PatternArrays& A, int line, Offset k, std::int64_t corner) const {
    const Offset guess = begin[line] + k * B;
    const bool right =
        guess < end[line] && A.col[guess] >= corner && (guess == begin[line] || A.col[guess - 1] < corner);
    return right ? guess : A.entry_from(corner, begin[line], end[line]);
  }
};

// The values of block number k of its row; fill-in is stored as nothing. full: no block has any.
template <bool full, int B, class V, class S>
SIMT_DEVICE void load_block(const CsrArrays<V>& A, const ValueWriter<V, S>& values, const BlockLines<B>& lines,
                            Offset k, Index col, std::uint32_t mask, S (&stored)[B * B]) {
#pragma unroll
  for (int line = 0; line < B; ++line) {
    const std::uint32_t present = mask >> (line * B) & ((1u << B) - 1);
    Offset entry = lines.begin[line] + k * B;
    if (!full) entry = present != 0 ? lines.entry(A, line, k, std::int64_t{col} * B) : 0;
#pragma unroll
    for (int j = 0; j < B; ++j)
      stored[line * B + j] = (present >> j & 1) != 0 ? values.encode(simt::cached_load(A.val + entry++)) : S(0);
  }
}

// A warp a slice, a lane a block. Every place is written.
template <bool full, int B, class V, class S>
SIMT_KERNEL store_blocks_warp_per_slice(CsrArrays<V> A, PatternArrays blocks, BlocksTarget to,
                                        ValueWriter<V, S> values) {
  constexpr std::uint32_t all = (1u << B * B) - 1;
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= to.slices) return;
  const ColumnSlice slice = to.slice[s];
  const std::int64_t i = s * to.shape.slice_rows() + simt::lane() / to.shape.lanes;
  const std::int64_t row = i < blocks.rows && to.row_of ? to.row_of[i] : i;
  const Offset begin = i < blocks.rows ? blocks.ptr[row] : 0, count = i < blocks.rows ? blocks.length(row) : 0;
  const BlockLines<B> lines(A, row);
  for (Index step = 0; step < slice.width; ++step) {
    const Offset k = std::int64_t{step} * to.shape.lanes + simt::lane() % to.shape.lanes;
    const Index col[1] = {k < count ? blocks.col[begin + k] : -1};
    const std::uint32_t mask = k < count ? (full ? all : to.pattern_masks[begin + k]) : 0;
    S stored[B * B];
    load_block<full, B>(A, values, lines, k, col[0], mask, stored);
    store_lane_columns(slice, to.codes, step, col);
    if (!full) to.masks[(slice.first + step) * simt::warp_size + simt::lane()] = mask;
    store_pieces(values.data + (slice.first + step) * simt::warp_size * B * B, stored);
  }
}

// Slices of many rows whose blocks are all full. A lane reads far from its neighbours: from global memory, a sector for
// each value. So a block of threads brings the values of a slice into shared memory in the order in which they lie,
// where there is room, and its warps take the steps in turn.
constexpr int staged_threads = 256;

struct StagedValues {
  int room;  // values of a slice that has room

  // For slices a little above the mean; none at all where that is too much.
  template <class V>
  static StagedValues of(const CsrView<V>& A, std::int64_t slices) {
    constexpr std::int64_t most_bytes = 96 << 10;
    const std::int64_t wanted = A.nnz() / std::max<std::int64_t>(1, slices) * 9 / 8 + 64;
    return {wanted * static_cast<std::int64_t>(sizeof(V)) <= most_bytes ? static_cast<int>(wanted) : 0};
  }
  // With a gap after every 128 bytes: rows that are multiples of it would all begin in one bank.
  template <class V>
  SIMT_BOTH static int place(int i) {
    return i + i / static_cast<int>(128 / sizeof(V));
  }
};

template <int B, class V, class S>
SIMT_KERNEL store_full_block_per_slice(CsrArrays<V> A, PatternArrays blocks, BlocksTarget to, StagedValues staging,
                                       ValueWriter<V, S> values) {
  const std::int64_t s = simt::block(), first_row = s * to.shape.slice_rows();
  const std::int64_t last_row =
      first_row + to.shape.slice_rows() < blocks.rows ? first_row + to.shape.slice_rows() : blocks.rows;
  const Offset first = blocks.ptr[first_row] * B * B, all = blocks.ptr[last_row] * B * B - first;
  const bool staged = all <= staging.room;
  V* near = simt::shared<V>();
  const ColumnSlice slice = to.slice[s];
  constexpr int at_once = 8;
  for (int i = simt::thread(); staged && i < all; i += at_once * staged_threads) {  // loads behind the end: the last
    V some[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u)
      some[u] = simt::stream_load(A.val + first + (i + u * staged_threads < all ? i + u * staged_threads : all - 1));
#pragma unroll
    for (int u = 0; u < at_once; ++u)
      if (i + u * staged_threads < all) near[StagedValues::place<V>(i + u * staged_threads)] = some[u];
  }
  simt::sync_block();
  const std::int64_t row = first_row + simt::lane() / to.shape.lanes;
  const Offset begin = row < last_row ? blocks.ptr[row] : 0, count = row < last_row ? blocks.length(row) : 0;
  const Offset row_begin = begin * B * B - first;
  for (Index step = simt::warp(); step < slice.width; step += staged_threads / simt::warp_size) {
    const Offset k = std::int64_t{step} * to.shape.lanes + simt::lane() % to.shape.lanes;
    const Index col[1] = {k < count ? blocks.col[begin + k] : -1};
    S stored[B * B];
#pragma unroll
    for (int e = 0; e < B * B; ++e) {
      const Offset at = row_begin + (e / B * count + k) * B + e % B;
      stored[e] = S(0);
      if (k < count)
        stored[e] = values.encode(staged ? near[StagedValues::place<V>(static_cast<int>(at))] : A.val[first + at]);
    }
    store_lane_columns(slice, to.codes, step, col);
    store_pieces(values.data + (slice.first + step) * simt::warp_size * B * B, stored);
  }
}

template <class V>
void store(simt::Here here, const CsrView<V>& A, const BlockPattern& pattern, Blocks<V>& to) {
  const SlicedColumns& c = to.columns;
  const BlocksTarget target{c.slices.size(),         c.shape,         c.slices.data(),    c.row_of.data(),
                            to.columns.codes.data(), to.masks.data(), pattern.mask.data()};
  constexpr int threads = 128;
  const simt::Launch shape{simt::blocks_for(target.slices * simt::warp_size, threads), threads};
  dispatch_int<2, 3, 4>(to.size, [&](auto B) {
    with_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      if (pattern.full && c.row_of.empty() && c.shape.lanes <= 2) {
        const auto staging = StagedValues::of(A, target.slices);
        simt::launch(
            here,
            {target.slices, staged_threads, sizeof(V) * static_cast<std::size_t>(StagedValues::place<V>(staging.room))},
            store_full_block_per_slice<B.value, V, S>, CsrArrays<V>(A), PatternArrays(pattern.view()), target, staging,
            writer);
        return;
      }
      const auto kernel = pattern.full ? store_blocks_warp_per_slice<true, B.value, V, S>
                                       : store_blocks_warp_per_slice<false, B.value, V, S>;
      simt::launch(here, shape, kernel, CsrArrays<V>(A), PatternArrays(pattern.view()), target, writer);
    });
  });
}

}  // namespace

template <class V>
std::optional<Blocks<V>> Blocks<V>::build_there(simt::Here here, const CsrView<V>& A, const WeaveSettings& settings,
                                                Device device) {
  std::optional<PlannedColumns> planned;
  const auto plan = [&](const BlockPattern& pattern) {
    planned = plan_columns(here, pattern.view(), {settings.lanes, 1}, settings.sort, device);
  };
  const BlockPattern pattern = block_pattern(here, A, settings.block, device, plan);
  if (!planned || !pattern.guessed) plan(pattern);
  auto& [columns, code_count] = *planned;
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
  store(here, A, pattern, to);
  return to;
}

template std::optional<Blocks<float>> Blocks<float>::build_there(simt::Here, const CsrView<float>&,
                                                                 const WeaveSettings&, Device);
template std::optional<Blocks<double>> Blocks<double>::build_there(simt::Here, const CsrView<double>&,
                                                                   const WeaveSettings&, Device);

}  // namespace heddle::weave
