#include <algorithm>

#include "formats/weave/blocks/blocks.hpp"
#include "simt/csr/device_csr.hpp"

namespace heddle::weave {

namespace {

struct BlocksTarget {
  std::int64_t slices, rows;  // rows of blocks
  TeamShape shape;
  ColumnSlice* slice;
  const Index* row_of;
  std::uint16_t* codes;
  std::uint32_t* masks;  // null: all are full
};

// The blocks of a row where some are not full.
struct BlocksWithHoles {
  static constexpr bool full = false;
  PatternArrays blocks;
  const std::uint32_t* masks;

  template <class V>
  SIMT_DEVICE Offset count(const CsrArrays<V>&, std::int64_t row) const {
    return blocks.length(row);
  }
  template <class V>
  SIMT_DEVICE Index column(const CsrArrays<V>&, std::int64_t row, Offset k) const {
    return blocks.col[blocks.ptr[row] + k];
  }
  SIMT_DEVICE std::uint32_t mask(std::int64_t row, Offset k) const { return masks[blocks.ptr[row] + k]; }
};

// All of them full: entries say where they lie.
template <int B>
struct FullBlocks {
  static constexpr bool full = true;

  template <class V>
  SIMT_DEVICE Offset count(const CsrArrays<V>& A, std::int64_t row) const {
    return A.length(row * B) / B;
  }
  template <class V>
  SIMT_DEVICE Index column(const CsrArrays<V>& A, std::int64_t row, Offset k) const {
    return simt::cached_load(A.col + A.ptr[row * B] + k * B) / B;
  }
  SIMT_DEVICE std::uint32_t mask(std::int64_t, Offset) const { return (1u << B * B) - 1; }
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

// A warp a slice, a lane a block. Every place is written. Of full blocks two steps are under way together, where they
// have registers.
template <int B, class Found, class V, class S>
SIMT_KERNEL store_blocks_warp_per_slice(CsrArrays<V> A, Found found, BlocksTarget to, SlicePlaces places,
                                        ValueWriter<V, S> values) {
  constexpr int at_once = Found::full && B * B * sizeof(S) <= 72 ? 2 : 1;
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= to.slices) return;
  const ColumnSlice slice = places.placed(to.slice, s);
  const std::int64_t i = s * to.shape.slice_rows() + simt::lane() / to.shape.lanes;
  const std::int64_t row = i < to.rows && to.row_of ? to.row_of[i] : i;
  const Offset count = i < to.rows ? found.count(A, row) : 0;
  const BlockLines<B> lines(A, row);
  for (Index first = 0; first < slice.width; first += at_once) {
    Index col[at_once][1];
    std::uint32_t mask[at_once];
    S stored[at_once][B * B];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const Offset k = std::int64_t{first + u} * to.shape.lanes + simt::lane() % to.shape.lanes;
      col[u][0] = k < count ? found.column(A, row, k) : -1;
      mask[u] = k < count ? found.mask(row, k) : 0;
      load_block<Found::full, B>(A, values, lines, k, col[u][0], mask[u], stored[u]);
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      if (first + u >= slice.width) break;
      store_lane_columns(slice, to.codes, first + u, col[u]);
      if (to.masks) to.masks[(slice.first + first + u) * simt::warp_size + simt::lane()] = mask[u];
      store_pieces(values.data + (slice.first + first + u) * simt::warp_size * B * B, stored[u]);
    }
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
SIMT_KERNEL store_full_block_per_slice(CsrArrays<V> A, BlocksTarget to, SlicePlaces places, StagedValues staging,
                                       ValueWriter<V, S> values) {
  const std::int64_t s = simt::block(), first_row = s * to.shape.slice_rows();
  const std::int64_t last_row =
      first_row + to.shape.slice_rows() < to.rows ? first_row + to.shape.slice_rows() : to.rows;
  const Offset first = A.ptr[first_row * B], all = A.ptr[last_row * B] - first;
  const bool staged = all <= staging.room;
  V* near = simt::shared<V>();
  const ColumnSlice unplaced = to.slice[s];
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
  const ColumnSlice slice = places.placed(to.slice, s, unplaced, simt::thread() == 0);
  const std::int64_t row = first_row + simt::lane() / to.shape.lanes;
  const FullBlocks<B> found;
  const Offset begin = row < last_row ? A.ptr[row * B] : 0, count = row < last_row ? found.count(A, row) : 0;
  const Offset row_begin = begin - first;
  for (Index step = simt::warp(); step < slice.width; step += staged_threads / simt::warp_size) {
    const Offset k = std::int64_t{step} * to.shape.lanes + simt::lane() % to.shape.lanes;
    const Index col[1] = {k < count ? found.column(A, row, k) : -1};
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

BlocksTarget target_of(SlicedColumns& c, std::uint32_t* masks) {
  return {c.slices.size(), c.rows, c.shape, c.slices.data(), c.row_of.data(), c.codes.data(), masks};
}

simt::Launch warp_per_slice(const BlocksTarget& to) {
  constexpr int threads = 128;
  return {simt::blocks_for(to.slices * simt::warp_size, threads), threads};
}

template <class V>
void store_full(simt::Here here, const CsrView<V>& A, const SlicePlaces& places, Blocks<V>& to) {
  const BlocksTarget target = target_of(to.columns, nullptr);
  dispatch_block(to.size, [&](auto B) {
    with_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      // Looking values up in a table leaves fewer loads under way, so that it pays to stage them with more lanes a row
      // too (four: 84 -> 37 us of 6.5 M floats; H200).
      constexpr int most_lanes = std::is_integral_v<S> ? 4 : 2;
      if (target.row_of != nullptr || target.shape.lanes > most_lanes)
        return simt::launch(here, warp_per_slice(target),
                            store_blocks_warp_per_slice<B.value, FullBlocks<B.value>, V, S>, CsrArrays<V>(A),
                            FullBlocks<B.value>{}, target, places, writer);
      const auto staging = StagedValues::of(A, target.slices);
      const auto bytes = sizeof(V) * static_cast<std::size_t>(StagedValues::place<V>(staging.room));
      simt::launch(here, {target.slices, staged_threads, bytes}, store_full_block_per_slice<B.value, V, S>,
                   CsrArrays<V>(A), target, places, staging, writer);
    });
  });
}

template <class V>
void store_with_holes(simt::Here here, const CsrView<V>& A, const BlockPattern& pattern, const SlicePlaces& places,
                      Blocks<V>& to) {
  const BlocksTarget target = target_of(to.columns, to.masks.data());
  const BlocksWithHoles found{PatternArrays(pattern.view()), pattern.mask.data()};
  dispatch_block(to.size, [&](auto B) {
    with_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      simt::launch(here, warp_per_slice(target), store_blocks_warp_per_slice<B.value, BlocksWithHoles, V, S>,
                   CsrArrays<V>(A), found, target, places, writer);
    });
  });
}

// What is stored, without its values and columns; nothing where it is too much, or values are others than those of the
// codec.
template <class V>
std::optional<Blocks<V>> room_for(simt::Here here, const MatrixThere<V>& A, const BlocksSettings& settings, bool full,
                                  PlannedColumns& planned, Device device) {
  const std::int64_t slots = planned.columns.steps * simt::warp_size, stored = slots * settings.block * settings.block;
  if (too_much_padding(stored, A.nnz())) return {};
  auto values = make_value_store(here, A.values(), settings.codec, stored, device);
  if (!values) return {};
  planned.columns.codes = Buffer<std::uint16_t>(planned.code_count, device);
  return Blocks<V>{A.rows,
                   A.cols,
                   settings.block,
                   settings.keep == Keep::matrix,
                   std::move(planned.columns),
                   Buffer<std::uint32_t>(full ? 0 : slots, device),
                   std::move(*values)};
}

}  // namespace

template <class V>
std::optional<Blocks<V>> Blocks<V>::build_there(simt::Here here, const MatrixThere<V>& A,
                                                const BlocksSettings& settings, Device device, const Found& known) {
  const TeamShape shape{settings.lanes, 1};
  const BlockSizes size{possible_full_blocks(A).bits & 1u << settings.block};
  // Where nobody knows yet, full blocks are planned before it is known that they are full, with one wait for both.
  FullBlocksQuestion question;
  if (!known && size.bits != 0) question.ask(here, A, size, device, false, nullptr);
  if (size.bits != 0 && (!known || known->full.has(settings.block))) {
    std::optional<PlannedColumns> planned;
    if (known && known->planned && settings.sort == 1)
      planned = known->planned->heard(known->full, settings.block, settings.lanes);
    if (!planned) planned = plan_columns(here, {A, settings.block}, shape, settings.sort, device);
    if (known || question.heard().has(settings.block)) {
      auto to = room_for(here, A, settings, true, *planned, device);
      if (to) store_full(here, A, planned->places, *to);
      return to;
    }
  }
  const BlockPattern pattern = block_pattern(here, A, settings.block, device);
  PlannedColumns planned = plan_columns(here, {pattern.view()}, shape, settings.sort, device);
  auto to = room_for(here, A, settings, pattern.full, planned, device);
  if (to) store_with_holes(here, A, pattern, planned.places, *to);
  return to;
}

template std::optional<Blocks<float>> Blocks<float>::build_there(simt::Here, const MatrixThere<float>&,
                                                                 const BlocksSettings&, Device, const Found&);
template std::optional<Blocks<double>> Blocks<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                                   const BlocksSettings&, Device, const Found&);

}  // namespace heddle::weave
