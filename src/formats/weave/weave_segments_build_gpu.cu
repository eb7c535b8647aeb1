#include "core/dispatch.hpp"
#include "formats/weave/weave_segments_cut.hpp"
#include "layout/device_csr.hpp"
#include "layout/device_scan.hpp"

namespace heddle::weave {

namespace {

constexpr int cut_threads = 128;

// The lanes of a warp look at every eighth row, then at the eight that are left.
struct WarpSearch {
  static constexpr int stride = 8;

  SIMT_DEVICE static bool writes() { return simt::lane() == 0; }
  SIMT_DEVICE static std::int64_t rows_that_fit(const Offset* ptr, std::int64_t most, Offset room) {
    const std::int64_t coarse = (simt::lane() + 1) * stride;
    const std::int64_t low = stride * simt::count_bits(simt::ballot(coarse <= most && ptr[coarse] - ptr[0] <= room));
    const std::int64_t fine = low + 1 + simt::lane();
    const bool fits = simt::lane() < stride && fine <= most && ptr[fine] - ptr[0] <= room;
    return low + simt::count_bits(simt::ballot(fits));
  }
};

// A block brings the beginnings of a chunk's rows into shared memory, where one warp of it cuts: from tile to tile
// there is only one way. Gives where the chunk ends; in the first warp only.
SIMT_DEVICE CutSizes cut_chunk(const PatternArrays& A, const CutRule& rule, const CutTarget& to,
                               const CutSizes& before) {
  auto* ptr = simt::shared<Offset>();
  const std::int64_t first = simt::block() * rule.chunk_rows;
  const std::int64_t rows = A.rows - first < rule.chunk_rows ? A.rows - first : rule.chunk_rows;
  for (std::int64_t i = simt::thread(); i <= rows; i += cut_threads) ptr[i] = A.ptr[first + i];
  simt::sync_block();
  ChunkCutter<WarpSearch> cutter(rule, to, before);
  if (simt::warp() == 0) cutter.cut(first, rows, ptr);
  return cutter.at;
}

SIMT_KERNEL count_block_per_chunk(PatternArrays A, CutRule rule, CutSizes* sizes) {
  const CutSizes found = cut_chunk(A, rule, {}, {});
  if (simt::thread() == 0) sizes[simt::block()] = found;
}

SIMT_KERNEL cut_block_per_chunk(PatternArrays A, CutRule rule, const CutSizes* before, CutTarget to) {
  cut_chunk(A, rule, to, before[simt::block()]);
}

struct ChunkSizes {
  using Sum = CutSizes;
  const CutSizes* sizes;
  CutSizes* before;

  SIMT_DEVICE CutSizes item(std::int64_t i) const { return sizes[i]; }
  SIMT_DEVICE void place(std::int64_t i, const CutSizes& sum) const { before[i] = sum; }
};

struct FilledRows {
  Index count = 0;
  SIMT_BOTH void add(const FilledRows& other) { count += other.count; }
};

// Rows with entries, 32 to a word.
struct FilledWords {
  using Sum = FilledRows;
  PatternArrays A;
  std::uint32_t* filled;
  Index* rank;

  SIMT_DEVICE FilledRows item(std::int64_t w) const { return {simt::count_bits(bits(w))}; }
  SIMT_DEVICE void place(std::int64_t w, const FilledRows& before) const {
    filled[w] = bits(w);
    rank[w] = before.count;
  }

 private:
  SIMT_DEVICE std::uint32_t bits(std::int64_t w) const {
    std::uint32_t found = 0;
    for (int i = 0; i < 32; ++i)
      if (w * 32 + i < A.rows && A.length(w * 32 + i) > 0) found |= 1u << i;
    return found;
  }
};

template <class V, class S>
struct SegmentsTarget {
  int per_lane;
  const SegmentTile* tiles;
  const TileEntries* entries;
  const LongRow* long_rows;
  const Team* teams;
  Index* col;
  std::uint8_t* row_end;
  ValueWriter<V, S> values;

  SIMT_DEVICE int tile_entries() const { return simt::warp_size * per_lane; }
};

// `count` entries from `first` on to the places from `base` on; the places behind them have no entry. By a warp.
template <class V, class S>
SIMT_DEVICE void store_entries(const CsrArrays<V>& A, const SegmentsTarget<V, S>& to, Offset first, std::int64_t count,
                               std::int64_t base, std::int64_t places) {
#pragma unroll 4
  for (std::int64_t i = simt::lane(); i < places; i += simt::warp_size) {
    to.col[base + i] = i < count ? simt::stream_load(A.col + first + i) : -1;
    if constexpr (!std::is_empty_v<S>)
      *to.values.at(base + i) = i < count ? to.values.encode(simt::stream_load(A.val + first + i)) : S(0);
  }
}

template <class V, class S>
SIMT_KERNEL store_warp_per_tile(CsrArrays<V> A, SegmentsTarget<V, S> to, std::int64_t tiles) {
  const std::int64_t t = simt::global_thread() / simt::warp_size;
  if (t >= tiles) return;
  const TileEntries entries = to.entries[t];
  const std::int64_t base = t * to.tile_entries();
  store_entries(A, to, entries.first, entries.count, base, to.tile_entries());
  const SegmentTile tile = to.tiles[t];
  const int i = simt::lane() * 8;
  if (i >= to.tile_entries()) return;
  const std::int64_t left = entries.count - i;
  const int count = left < 0 ? 0 : left < 8 ? static_cast<int>(left) : 8;
  to.row_end[(base + i) / 8] =
      static_cast<std::uint8_t>(end_bits(A.ptr + tile.row, tile.rows, entries.first + i, count));
}

// All teams of a row but the last have the same number of entries.
template <class V, class S>
SIMT_KERNEL store_warp_per_team(CsrArrays<V> A, SegmentsTarget<V, S> to, std::int64_t teams) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  if (number >= teams) return;
  const Team team = to.teams[number];
  const std::int64_t row_begins = team.long_row < 0 ? number : to.long_rows[team.long_row].first;
  const Offset first = A.ptr[team.row] + (number - row_begins) * to.teams[row_begins].entries;
  const std::int64_t capacity = to.tile_entries(), places = (team.entries + capacity - 1) / capacity * capacity;
  store_entries(A, to, first, team.entries, team.tile * capacity, places);
}

simt::Launch warp_per(std::int64_t items) {
  constexpr int threads = 256;
  return {simt::blocks_for(items, threads / simt::warp_size), threads};
}

template <class V>
void mark_filled(simt::Here here, const PatternView& A, Segments<V>& to, Device device) {
  const std::int64_t words = simt::blocks_for(A.rows, 32);
  Buffer<std::uint32_t> filled(words, device);
  Buffer<Index> rank(words, device);
  const FilledWords items{PatternArrays(A), filled.data(), rank.data()};
  if (device::scan(here, items, words, device).count == A.rows) return;
  to.filled = std::move(filled);
  to.rank = std::move(rank);
}

template <class V>
void store(simt::Here here, const CsrView<V>& A, Segments<V>& to, const Buffer<TileEntries>& entries) {
  with_any_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
    const SegmentsTarget<V, S> target{to.per_lane,     to.tiles.data(), entries.data(),    to.long_rows.data(),
                                      to.teams.data(), to.col.data(),   to.row_end.data(), writer};
    simt::launch(here, warp_per(to.tiles.size()), store_warp_per_tile<V, S>, CsrArrays<V>(A), target, to.tiles.size());
    simt::launch(here, warp_per(to.teams.size()), store_warp_per_team<V, S>, CsrArrays<V>(A), target, to.teams.size());
  });
}

}  // namespace

template <class V>
std::optional<Segments<V>> Segments<V>::build_there(simt::Here here, const CsrView<V>& A, const WeaveSettings& settings,
                                                    Device device) {
  Segments to{.rows = A.rows, .cols = A.cols, .per_lane = settings.per_lane, .keep = settings.keep == 1};
  const CutRule rule(A, to.tile_entries());
  const std::int64_t chunks = rule.chunks(A.rows);
  Buffer<CutSizes> sizes(chunks, device), before(chunks, device);
  const std::size_t shared_bytes = static_cast<std::size_t>(rule.chunk_rows + 1) * sizeof(Offset);
  const simt::Launch per_chunk{chunks, cut_threads, shared_bytes};
  simt::launch(here, per_chunk, count_block_per_chunk, PatternArrays(A), rule, sizes.data());
  const CutSizes all = device::scan(here, ChunkSizes{sizes.data(), before.data()}, chunks, device);
  if (too_much_padding(all.stored(rule), A.nnz())) return {};
  auto values = make_value_store(here, A.val, settings.codec(), all.stored(rule), device);
  if (!values) return {};
  to.values = std::move(*values);
  to.tiles = Buffer<SegmentTile>(all.tiles, device);
  to.long_rows = Buffer<LongRow>(all.long_rows, device);
  to.teams = Buffer<Team>(all.teams, device);
  to.col = Buffer<Index>(all.stored(rule), device);
  to.row_end = Buffer<std::uint8_t>(all.tiles * rule.capacity / 8, device);
  to.pieces = Segments::no_pieces(all.pieces, device);
  Buffer<TileEntries> entries(all.tiles, device);
  simt::launch(here, per_chunk, cut_block_per_chunk, PatternArrays(A), rule, before.data(),
               CutTarget{to.tiles.data(), entries.data(), to.long_rows.data(), to.teams.data(), all.tiles});
  store(here, A, to, entries);
  mark_filled(here, A, to, device);
  return to;
}

template std::optional<Segments<float>> Segments<float>::build_there(simt::Here, const CsrView<float>&,
                                                                     const WeaveSettings&, Device);
template std::optional<Segments<double>> Segments<double>::build_there(simt::Here, const CsrView<double>&,
                                                                       const WeaveSettings&, Device);

}  // namespace heddle::weave
