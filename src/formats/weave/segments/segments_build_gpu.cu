#include <algorithm>

#include "core/dispatch.hpp"
#include "formats/weave/segments/segments_chunks.hpp"
#include "simt/primitives/reduce.hpp"
#include "simt/primitives/scan.hpp"

namespace heddle::weave {

namespace {

// Tiles of one size that are counted. What is found is told the host too.
struct CountOf {
  CutRule rule;
  std::int64_t chunks;
  ChunkFound *found, *told;
  ChunkCuts cuts;
};
// One after the other, where nobody knows yet which it will be.
struct CountAsked {
  CountOf first, second;
};

// The first warp cuts, the others count the empty rows meanwhile. The arrays need not be a matrix: then what is found
// means nothing.
SIMT_DEVICE void count_chunk(const PatternArrays& A, const CountOf& of, std::int64_t c) {
  find_limits(A, of.rule, c, of.chunks, of.cuts.first_rows);
  const auto* limits = simt::shared<std::int64_t>();
  const ChunkRows chunk(A, of.rule, c, limits[0], limits[1]);
  if (simt::warp() == 0) {
    ChunkCutter<WarpSearch> cutter(of.rule, {}, {}, {chunk.of_tile});
    if (chunk.tiles >= 0)
      cutter.at.tiles = chunk.tiles;
    else
      cutter.cut(chunk.first, chunk.rows, chunk.ptr);
    if (simt::lane() == 0) of.found[c].sizes = of.told[c].sizes = cutter.at;
  } else if (simt::warp() == 1) {
    int empty = 0;
    for (std::int64_t i = simt::lane(); i < chunk.rows; i += simt::warp_size) empty += chunk.ptr[i] == chunk.ptr[i + 1];
    empty = simt::sum_lanes(empty);
    if (simt::lane() == 0) {
      of.found[c].empty_rows = of.told[c].empty_rows = empty;
      of.found[c].plain = of.told[c].plain = chunk.tiles >= 0 ? 1 : 0;
    }
  }
  for (int t = simt::thread(); of.cuts.begins != nullptr && t <= chunk.tiles; t += cut_threads)
    of.cuts.begins[c * of.cuts.of_chunk + t] = chunk.begin[t];
}

SIMT_KERNEL count_block_per_chunk(PatternArrays A, CountAsked asked) {
  simt::let_next_start();
  const std::int64_t of_first = asked.first.chunks;
  if (simt::block() < of_first)
    count_chunk(A, asked.first, simt::block());
  else
    count_chunk(A, asked.second, simt::block() - of_first);
  if (simt::block() == 0) simt::wait_for_earlier();  // so that this grid ends behind it
}

// Of few chunks each adds up those before it, instead of a kernel that does it for all.
constexpr std::int64_t few_chunks = 1024;

// before: null where chunks are few.
SIMT_KERNEL cut_block_per_chunk(PatternArrays A, CutRule rule, const std::int64_t* first_rows, const ChunkFound* found,
                                const CutSizes* before, CutTarget to) {
  const CutSizes at = before != nullptr ? before[simt::block()] : sizes_before(found, simt::block());
  const ChunkRows chunk(A, rule, simt::block(), first_rows[simt::block()], first_rows[simt::block() + 1]);
  for (int t = simt::thread(); t < chunk.tiles; t += cut_threads) {
    const int row = chunk.begin[t], end = chunk.begin[t + 1];
    to.tiles[at.tiles + t] = {static_cast<Index>(chunk.first + row), end - row};
    to.entries[at.tiles + t] = {chunk.ptr[row], chunk.ptr[end] - chunk.ptr[row]};
  }
  if (chunk.tiles >= 0 || simt::warp() != 0) return;
  ChunkCutter<WarpSearch> cutter(rule, to, at, {chunk.of_tile});
  cutter.cut(chunk.first, chunk.rows, chunk.ptr);
}

struct ChunkSizes {
  using Sum = ChunkFound;
  static constexpr bool placed_apart = true;
  const ChunkFound* found;
  CutSizes* before;

  SIMT_DEVICE ChunkFound item(std::int64_t i) const { return found[i]; }
  SIMT_DEVICE void place(std::int64_t i, const ChunkFound& sum) const { before[i] = sum.sizes; }
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
  std::uint32_t* filled;  // null: every row has entries
  int row_words;
  Piece<V>* pieces;
  std::int64_t piece_count;
  ValueWriter<V, S> values;

  SIMT_DEVICE int tile_entries() const { return simt::warp_size * per_lane; }
};

// `count` entries from `first` on to the places from `base` on; the places behind them have no entry. By `threads`
// threads.
template <class V, class S>
SIMT_DEVICE void store_entries(const CsrArrays<V>& A, const SegmentsTarget<V, S>& to, Offset first, std::int64_t count,
                               std::int64_t base, std::int64_t places, int thread, int threads) {
#pragma unroll 4
  for (std::int64_t i = thread; i < places; i += threads) {
    to.col[base + i] = i < count ? simt::stream_load(A.col + first + i) : -1;
    if constexpr (!std::is_empty_v<S>)
      *to.values.at(base + i) = i < count ? to.values.encode(simt::stream_load(A.val + first + i)) : S(0);
  }
}

// By a warp: which rows of a tile have entries.
template <class V>
SIMT_DEVICE void mark_filled(const CsrArrays<V>& A, const SegmentTile& tile, int words, std::uint32_t* filled) {
  for (int w = 0; w < words; ++w) {
    const Index i = w * simt::warp_size + simt::lane();
    const std::uint32_t bits = simt::ballot(i < tile.rows && A.length(tile.row + i) > 0);
    if (simt::lane() == 0) filled[w] = bits;
  }
}

template <class V, class S>
SIMT_DEVICE void store_tile(const CsrArrays<V>& A, const SegmentsTarget<V, S>& to, std::int64_t t,
                            const SegmentTile& tile, const TileEntries& entries) {
  const std::int64_t base = t * to.tile_entries();
  store_entries(A, to, entries.first, entries.count, base, to.tile_entries(), simt::lane(), simt::warp_size);
  if (to.filled != nullptr) mark_filled(A, tile, to.row_words, to.filled + t * to.row_words);
  const int i = simt::lane() * 8;
  if (i >= to.tile_entries()) return;
  const std::int64_t left = entries.count - i;
  const int count = left < 0 ? 0 : left < 8 ? static_cast<int>(left) : 8;
  to.row_end[(base + i) / 8] =
      static_cast<std::uint8_t>(end_bits(A.ptr + tile.row, tile.rows, entries.first + i, count));
}

// All teams of a row but the last have the same number of entries.
template <class V, class S>
SIMT_DEVICE void store_team(const CsrArrays<V>& A, const SegmentsTarget<V, S>& to, std::int64_t number) {
  const Team team = to.teams[number];
  const std::int64_t row_begins = team.long_row < 0 ? number : to.long_rows[team.long_row].first;
  const Offset first = A.ptr[team.row] + (number - row_begins) * to.teams[row_begins].entries;
  const std::int64_t capacity = to.tile_entries(), places = (team.entries + capacity - 1) / capacity * capacity;
  store_entries(A, to, first, team.entries, team.tile * capacity, places, simt::thread(), simt::block_threads());
}

constexpr int store_threads = 256, store_warps = store_threads / simt::warp_size;

// The first blocks have a tile a warp, the others a team each. Pieces are empty to begin with.
template <class V, class S>
SIMT_KERNEL store_warp_per_tile_or_block_per_team(CsrArrays<V> A, SegmentsTarget<V, S> to, std::int64_t tiles,
                                                  std::int64_t tile_blocks) {
  const std::int64_t threads = simt::grid_blocks() * store_threads;
  for (std::int64_t i = simt::global_thread(); i < to.piece_count; i += threads) to.pieces[i] = Piece<V>{};
  if (simt::block() >= tile_blocks) return store_team(A, to, simt::block() - tile_blocks);
  const std::int64_t t = simt::global_thread() / simt::warp_size;
  if (t < tiles) store_tile(A, to, t, to.tiles[t], to.entries[t]);
}

// Of a small matrix, or where nearly all chunks are plain, what was cut is stored by the same launch: a warp a tile, of
// a large matrix several blocks a chunk. Of a plain chunk it is known where its tiles begin, and others are cut once
// more, by one block. (A circuit of 1 M entries was cut in 14 us, and then stored in 8; a band of 7 M entries is built
// in 118 instead of 130 us, a web graph, most of whose chunks are not plain, would be in 204 instead of 192; H200.)
template <class V, class S>
SIMT_KERNEL store_blocks_per_chunk(CsrArrays<V> A, CutRule rule, int parts, const ChunkFound* found, ChunkCuts cuts,
                                   CutTarget cut, SegmentsTarget<V, S> to) {
  const std::int64_t threads = simt::grid_blocks() * cut_threads;
  for (std::int64_t i = simt::global_thread(); i < to.piece_count; i += threads) to.pieces[i] = Piece<V>{};
  const std::int64_t c = simt::block() / parts, part = simt::block() % parts, first_row = cuts.first_rows[c];
  const ChunkFound own = found[c];
  if (own.plain == 0 && part != 0) return;
  const CutSizes at = sizes_before(found, c);
  if (own.plain == 0) {
    const ChunkRows chunk(A, rule, c, first_row, cuts.first_rows[c + 1]);
    if (simt::warp() == 0)
      ChunkCutter<WarpSearch>(rule, cut, at, {chunk.of_tile}).cut(first_row, chunk.rows, chunk.ptr);
    simt::sync_block();
  }
  const std::uint16_t* begins = cuts.begins + c * cuts.of_chunk;
  const int warps = own.plain != 0 ? parts * store_warps : store_warps;
  for (std::int64_t t = part * store_warps + simt::warp(); t < own.sizes.tiles; t += warps) {
    SegmentTile tile;
    TileEntries entries;
    if (own.plain != 0) {
      const std::int64_t row = first_row + begins[t], end = first_row + begins[t + 1];
      tile = {static_cast<Index>(row), static_cast<Index>(end - row)};
      entries = {A.ptr[row], A.ptr[end] - A.ptr[row]};
      if (simt::lane() == 0) cut.tiles[at.tiles + t] = tile;
    } else {
      tile = cut.tiles[at.tiles + t];
      entries = cut.entries[at.tiles + t];
    }
    store_tile(A, to, at.tiles + t, tile, entries);
  }
}

template <class V, class S>
SIMT_KERNEL store_block_per_team(CsrArrays<V> A, SegmentsTarget<V, S> to) {
  store_team(A, to, simt::block());
}

// Tiles of one size.
class ChunkCount {
 public:
  ChunkCount(const PatternView& A, int tile_entries, device::Workspace& memory)
      : rule_(A, tile_entries),
        chunks_(rule_.chunks(A)),
        found_(memory.take<ChunkFound>(chunks_)),
        cuts_{memory.take<std::int64_t>(chunks_ + 1), nullptr, 0} {
    if (!few()) return;
    cuts_.of_chunk = ChunkRows::most_plain_tiles(rule_) + 1;
    cuts_.begins = memory.take<std::uint16_t>(chunks_ * cuts_.of_chunk);
  }
  CountOf asked(Device device, Stream stream) {
    return {rule_, chunks_, found_, sum_.ask(chunks_, device, stream), cuts_};
  }
  const CutRule& rule() const { return rule_; }
  simt::Launch per_chunk() const {
    return {chunks_, cut_threads, std::max(ChunkRows::shared_bytes(rule_), cut_warps * sizeof(CutSizes))};
  }
  // Waits; first of all where it was counted on another stream.
  const ChunkFound& total(simt::Here here, device::Workspace& memory, bool elsewhere) {
    if (elsewhere) sum_.heard();
    if (!few()) before_ = memory.take<CutSizes>(chunks_);
    if (!few()) device::queue_scan(here, ChunkSizes{found_, before_}, chunks_, memory);
    return sum_.heard();
  }
  // `to` has room for it.
  template <class V>
  void store(simt::Here here, const CsrView<V>& A, Segments<V>& to, device::Workspace& memory) {
    const bool nearly_plain = 16 * (chunks_ - sum_.heard().plain) <= chunks_;
    const bool at_once = few() && (rule_.small || nearly_plain);
    auto* entries = memory.take<TileEntries>(to.tiles.size());
    const CutTarget cut{to.tiles.data(), entries, to.long_rows.data(), to.teams.data(), to.tiles.size()};
    if (!at_once)
      simt::launch(here, per_chunk(), cut_block_per_chunk, PatternArrays(A), rule_, cuts_.first_rows, found_, before_,
                   cut);
    with_any_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      const SegmentsTarget<V, S> target{to.per_lane,     to.tiles.data(),  entries,           to.long_rows.data(),
                                        to.teams.data(), to.col.data(),    to.row_end.data(), to.filled.data(),
                                        to.row_words,    to.pieces.data(), to.pieces.size(),  writer};
      if (!at_once) return store_tiles_and_teams(here, A, target, to);
      const int parts = rule_.small ? 1 : 4;
      simt::Launch shape = per_chunk();
      shape.blocks *= parts;
      simt::launch(here, shape, store_blocks_per_chunk<V, S>, CsrArrays<V>(A), rule_, parts, found_, cuts_, cut,
                   target);
      simt::launch(here, {to.teams.size(), store_threads}, store_block_per_team<V, S>, CsrArrays<V>(A), target);
    });
  }

 private:
  static constexpr int cut_warps = cut_threads / simt::warp_size;

  bool few() const { return chunks_ <= few_chunks; }

  template <class V, class S>
  static void store_tiles_and_teams(simt::Here here, const CsrView<V>& A, const SegmentsTarget<V, S>& target,
                                    const Segments<V>& to) {
    const std::int64_t tile_blocks = simt::blocks_for(to.tiles.size(), store_warps);
    simt::launch(here, {tile_blocks + to.teams.size(), store_threads}, store_warp_per_tile_or_block_per_team<V, S>,
                 CsrArrays<V>(A), target, to.tiles.size(), tile_blocks);
  }

  CutRule rule_;
  std::int64_t chunks_;
  ChunkFound* found_;
  ChunkCuts cuts_;
  CutSizes* before_ = nullptr;
  device::PendingSum<ChunkFound> sum_;
};

// Of one or two sizes, in one launch.
class ChunkCounts final : public SegmentsCount {
 public:
  ChunkCounts(simt::Here here, const PatternView& A, const TileSizes& sizes, Device device, const device::Queue& queue)
      : here_(here), memory_(device), elsewhere_(queue.stream.handle != nullptr), first_(A, sizes.first, memory_) {
    if (sizes.second > 0) second_.emplace(A, sizes.second, memory_);
    const CountAsked asked{first_.asked(device, queue.stream),
                           second_ ? second_->asked(device, queue.stream) : CountOf{first_.rule()}};
    simt::Launch shape = first_.per_chunk();
    shape.overlaps = queue.overlaps;
    shape.stream = queue.stream;
    if (second_) {
      shape.blocks += second_->per_chunk().blocks;
      shape.shared_bytes = std::max(shape.shared_bytes, second_->per_chunk().shared_bytes);
    }
    simt::launch(here, shape, count_block_per_chunk, PatternArrays(A), asked);
  }
  bool has(int tile_entries) const override {
    return first_.rule().capacity == tile_entries || (second_ && second_->rule().capacity == tile_entries);
  }
  template <class V>
  std::optional<Segments<V>> build(const MatrixThere<V>& A, const SegmentsSettings& settings, Device device);

 private:
  simt::Here here_;
  device::Workspace memory_;
  bool elsewhere_;
  ChunkCount first_;
  std::optional<ChunkCount> second_;
};

template <class V>
std::optional<Segments<V>> ChunkCounts::build(const MatrixThere<V>& A, const SegmentsSettings& settings,
                                              Device device) {
  Segments<V> to{.rows = A.rows,
                 .cols = A.cols,
                 .per_lane = settings.per_lane,
                 .keep = settings.keep == Keep::matrix,
                 .short_rows = Segments<V>::has_short_rows(A)};
  ChunkCount& counted = first_.rule().capacity == to.tile_entries() ? first_ : *second_;
  const auto values_of = ask_value_store(here_, A.values(), settings.codec, device);
  const CutRule& rule = counted.rule();
  const ChunkFound& total = counted.total(here_, memory_, elsewhere_);
  const CutSizes& all = total.sizes;
  if (too_much_padding(all.stored(rule), A.nnz())) return {};
  auto values = values_of(all.stored(rule));
  if (!values) return {};
  to.values = std::move(*values);
  to.tiles = Buffer<SegmentTile>(all.tiles, device);
  to.long_rows = Buffer<LongRow>(all.long_rows, device);
  to.teams = Buffer<Team>(all.teams, device);
  to.col = Buffer<Index>(all.stored(rule), device);
  to.row_end = Buffer<std::uint8_t>(all.tiles * rule.capacity / 8, device);
  to.pieces = Buffer<Piece<V>>(all.pieces, device);
  to.row_words = rule.row_words();
  if (total.empty_rows > 0) to.filled = Buffer<std::uint32_t>(all.tiles * to.row_words, device);
  counted.template store<V>(here_, A, to, memory_);
  return to;
}

}  // namespace

std::unique_ptr<SegmentsCount> count_segments(simt::Here here, const PatternView& there, const TileSizes& sizes,
                                              Device device, Stream own) {
  return std::make_unique<ChunkCounts>(here, there, sizes, device, device::Queue{own, own.handle == nullptr});
}

template <class V>
std::optional<Segments<V>> Segments<V>::build_there(simt::Here here, const MatrixThere<V>& A,
                                                    const SegmentsSettings& settings, Device device,
                                                    const Found& counted) {
  const int tile_entries = simt::warp_size * settings.per_lane;
  if (counted && counted->has(tile_entries)) return static_cast<ChunkCounts&>(*counted).build(A, settings, device);
  return ChunkCounts(here, A, TileSizes{tile_entries}, device, device::Queue{}).build(A, settings, device);
}

template std::optional<Segments<float>> Segments<float>::build_there(simt::Here, const MatrixThere<float>&,
                                                                     const SegmentsSettings&, Device, const Found&);
template std::optional<Segments<double>> Segments<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                                       const SegmentsSettings&, Device, const Found&);

}  // namespace heddle::weave
