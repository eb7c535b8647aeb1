#include <algorithm>

#include "core/dispatch.hpp"
#include "formats/weave/weave_segments_cut.hpp"
#include "layout/device_csr.hpp"
#include "layout/device_reduce.hpp"
#include "layout/device_scan.hpp"

namespace heddle::weave {

namespace {

constexpr int cut_threads = 256;

// The lanes of a warp look at every eighth row, then at the eight that are left. How many rows a tile has that begins
// with a row is known for all rows of the chunk, so that nobody searches on the way from tile to tile (`wave`, 70 tiles
// a chunk: counted in 24 instead of 30 us, cut in 29 instead of 41; H200).
struct WarpSearch {
  static constexpr int stride = 8;
  const std::uint16_t* of_tile;

  SIMT_DEVICE std::int64_t rows_of_tile(const CutRule&, const Offset*, std::int64_t at, std::int64_t) const {
    return of_tile[at];
  }

  SIMT_DEVICE static bool writes() { return simt::lane() == 0; }
  SIMT_DEVICE static int lane() { return simt::lane(); }
  SIMT_DEVICE static int lanes() { return simt::warp_size; }
  SIMT_DEVICE static std::int64_t rows_that_fit(const Offset* ptr, std::int64_t most, Offset room) {
    const std::int64_t coarse = (simt::lane() + 1) * stride;
    const std::int64_t low = stride * simt::count_bits(simt::ballot(coarse <= most && ptr[coarse] - ptr[0] <= room));
    const std::int64_t fine = low + 1 + simt::lane();
    const bool fits = simt::lane() < stride && fine <= most && ptr[fine] - ptr[0] <= room;
    return low + simt::count_bits(simt::ballot(fits));
  }
};

// By a warp: the first row of a chunk. The rows that are left are looked at in 32 places at a time.
SIMT_DEVICE std::int64_t first_row(const PatternArrays& A, const CutRule& rule, std::int64_t chunk) {
  std::int64_t begin = 0, end = A.rows;
  while (begin < end) {
    const std::int64_t step = (end - begin + simt::warp_size - 1) / simt::warp_size, row = begin + simt::lane() * step;
    const int before = simt::count_bits(simt::ballot(row < end && rule.before_chunk(chunk, row, A.ptr)));
    if (before == 0) return begin;
    const std::int64_t behind = begin + before * step;
    begin = behind - step + 1;
    end = behind < end ? behind : end;
  }
  return begin;
}

// The first row of every chunk, and the end of the last; found out by those who count.
SIMT_DEVICE void find_limits(const PatternArrays& A, const CutRule& rule, std::int64_t* first_rows) {
  if (simt::warp() < 2) {
    const std::int64_t chunk = simt::block() + simt::warp(), row = first_row(A, rule, chunk);
    auto* limits = simt::shared<std::int64_t>();
    if (simt::lane() == 0) limits[simt::warp()] = row;
    if (simt::lane() == 0 && (simt::warp() == 0 || chunk == simt::grid_blocks())) first_rows[chunk] = row;
  }
  simt::sync_block();
}

// A block brings the beginnings of a chunk's rows into shared memory, where one warp of it cuts: from tile to tile
// there is only one way. In a plain chunk no row crosses tiles or has a team. There the way is short, from the first
// row of a tile to that of the next, and when it is known the tiles are written by everybody (a chunk of `wave` has 70:
// most of the 16 and 21 us that counting and cutting took went to that one warp; H200).
struct ChunkRows {
  std::int64_t first, rows;
  Offset* ptr;
  std::uint16_t* of_tile;  // how many rows a tile has that begins with this one
  std::uint16_t* begin;    // of a plain chunk: the first row of each tile, and the end; before it their number
  int tiles = -1;          // of a plain chunk

  // Of the tiles of a plain chunk some have no room for another row; any two neighbours of the others have more entries
  // than fit one.
  static std::int64_t most_plain_tiles(const CutRule& rule) {
    return 2 * (rule.chunk_weight / rule.capacity + 1) + rule.most_rows_of_chunk() / rule.most_rows + 1;
  }
  static std::size_t shared_bytes(const CutRule& rule) {
    const auto most = static_cast<std::size_t>(rule.most_rows_of_chunk());
    return (most + 3) * sizeof(Offset) +
           (most + static_cast<std::size_t>(most_plain_tiles(rule)) + 2) * sizeof(std::uint16_t);
  }

  SIMT_DEVICE ChunkRows(const PatternArrays& A, const CutRule& rule, std::int64_t first_row, std::int64_t end)
      : first(first_row), rows(end - first_row) {
    ptr = simt::shared<Offset>() + 2;
    of_tile = reinterpret_cast<std::uint16_t*>(ptr + rule.most_rows_of_chunk() + 1);
    begin = of_tile + rule.most_rows_of_chunk() + 1;
    bring(A);
    simt::sync_block();
    if (fill_tiles(rule)) walk_plain();
  }

 private:
  SIMT_DEVICE void bring(const PatternArrays& A) {
    constexpr int at_once = 8;
    for (std::int64_t i = simt::thread(); i <= rows; i += at_once * cut_threads) {
      Offset some[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u)
        some[u] = A.ptr[first + (i + u * cut_threads <= rows ? i + u * cut_threads : rows)];
#pragma unroll
      for (int u = 0; u < at_once; ++u)
        if (i + u * cut_threads <= rows) ptr[i + u * cut_threads] = some[u];
    }
  }
  // Whether the chunk is plain.
  SIMT_DEVICE bool fill_tiles(const CutRule& rule) {
    bool crosses = false;
    for (std::int64_t i = simt::thread(); i < rows; i += cut_threads) {
      of_tile[i] = static_cast<std::uint16_t>(Halving::rows_of_tile(rule, ptr, i, rows));
      crosses |= ptr[i + 1] - ptr[i] > rule.whole;
    }
    auto* of_warps = simt::shared<std::uint16_t>();
    static_assert(cut_threads / simt::warp_size * sizeof *of_warps <= 2 * sizeof(Offset));
    const bool any = simt::any(crosses);
    if (simt::lane() == 0) of_warps[simt::warp()] = any ? 1 : 0;
    simt::sync_block();
    bool plain = true;
    for (int w = 0; w < cut_threads / simt::warp_size; ++w) plain &= of_warps[w] == 0;
    return plain;
  }
  SIMT_DEVICE void walk_plain() {
    if (simt::thread() == 0) {
      int t = 0, row = 0;
      for (; row < rows; row += of_tile[row]) begin[t++] = static_cast<std::uint16_t>(row);
      begin[t] = static_cast<std::uint16_t>(row);
      begin[-1] = static_cast<std::uint16_t>(t);
    }
    simt::sync_block();
    tiles = begin[-1];
  }
};

// What comes out of a chunk; how many of its rows have no entries, and whether it is plain.
struct ChunkFound {
  CutSizes sizes;
  std::int32_t empty_rows = 0, plain = 0;

  SIMT_BOTH void add(const ChunkFound& other) {
    sizes.add(other.sizes);
    empty_rows += other.empty_rows;
  }
};

// Where chunks begin, and, where they are stored without being cut again, where the tiles of plain ones do: as
// ChunkRows has it.
struct ChunkCuts {
  std::int64_t* first_rows;
  std::uint16_t* begins;  // null: they are cut again
  std::int64_t of_chunk;  // room for so many
};

// The first warp cuts, the others count the empty rows meanwhile. What is found is told the host too.
SIMT_KERNEL count_block_per_chunk(PatternArrays A, CutRule rule, ChunkFound* found, ChunkFound* told, ChunkCuts cuts) {
  find_limits(A, rule, cuts.first_rows);
  const auto* limits = simt::shared<std::int64_t>();
  const ChunkRows chunk(A, rule, limits[0], limits[1]);
  if (simt::warp() == 0) {
    ChunkCutter<WarpSearch> cutter(rule, {}, {}, {chunk.of_tile});
    if (chunk.tiles >= 0)
      cutter.at.tiles = chunk.tiles;
    else
      cutter.cut(chunk.first, chunk.rows, chunk.ptr);
    if (simt::lane() == 0) found[simt::block()].sizes = told[simt::block()].sizes = cutter.at;
  } else if (simt::warp() == 1) {
    int empty = 0;
    for (std::int64_t i = simt::lane(); i < chunk.rows; i += simt::warp_size) empty += chunk.ptr[i] == chunk.ptr[i + 1];
    empty = simt::sum_lanes(empty);
    if (simt::lane() == 0) {
      found[simt::block()].empty_rows = told[simt::block()].empty_rows = empty;
      found[simt::block()].plain = told[simt::block()].plain = chunk.tiles >= 0 ? 1 : 0;
    }
  }
  if (cuts.begins == nullptr) return;
  for (int t = simt::thread(); t <= chunk.tiles; t += cut_threads)
    cuts.begins[simt::block() * cuts.of_chunk + t] = chunk.begin[t];
}

// Of few chunks each adds up those before it, instead of a kernel that does it for all.
constexpr std::int64_t few_chunks = 1024;

// What comes out of all chunks before the block's own. The block calls it together.
SIMT_DEVICE CutSizes sizes_before(const ChunkFound* found) {
  CutSizes sum;
  for (std::int64_t i = simt::thread(); i < simt::block(); i += cut_threads) sum.add(found[i].sizes);
  sum = {simt::warp_sum(sum.tiles), simt::warp_sum(sum.long_rows), simt::warp_sum(sum.teams),
         simt::warp_sum(sum.team_tiles), simt::warp_sum(sum.pieces)};
  auto* of_warps = simt::shared<CutSizes>();
  if (simt::lane() == 0) of_warps[simt::warp()] = sum;
  simt::sync_block();
  sum = {};
  for (int w = 0; w < cut_threads / simt::warp_size; ++w) sum.add(of_warps[w]);
  simt::sync_block();
  return sum;
}

// before: null where chunks are few.
SIMT_KERNEL cut_block_per_chunk(PatternArrays A, CutRule rule, const std::int64_t* first_rows, const ChunkFound* found,
                                const CutSizes* before, CutTarget to) {
  const CutSizes at = before != nullptr ? before[simt::block()] : sizes_before(found);
  const ChunkRows chunk(A, rule, first_rows[simt::block()], first_rows[simt::block() + 1]);
  for (int t = simt::thread(); t < chunk.tiles; t += cut_threads) {
    const int row = chunk.begin[t], end = chunk.begin[t + 1];
    to.tiles[at.tiles + t] = {static_cast<Index>(chunk.first + row), end - row, -1, -1};
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

// Of a small matrix, what was cut is stored by the same launch: a block a chunk, a warp a tile. Of a plain chunk
// it is known where its tiles begin, and others are cut once more (a circuit of 1 M entries was cut in 14 us, and then
// stored in 8; H200).
template <class V, class S>
SIMT_KERNEL store_block_per_chunk(CsrArrays<V> A, CutRule rule, const ChunkFound* found, ChunkCuts cuts, CutTarget cut,
                                  SegmentsTarget<V, S> to) {
  const std::int64_t threads = simt::grid_blocks() * cut_threads;
  for (std::int64_t i = simt::global_thread(); i < to.piece_count; i += threads) to.pieces[i] = Piece<V>{};
  const std::int64_t c = simt::block(), first_row = cuts.first_rows[c];
  const ChunkFound own = found[c];
  const CutSizes at = sizes_before(found);
  if (own.plain == 0) {
    const ChunkRows chunk(A, rule, first_row, cuts.first_rows[c + 1]);
    if (simt::warp() == 0)
      ChunkCutter<WarpSearch>(rule, cut, at, {chunk.of_tile}).cut(first_row, chunk.rows, chunk.ptr);
    simt::sync_block();
  }
  const std::uint16_t* begins = cuts.begins + c * cuts.of_chunk;
  for (std::int64_t t = simt::warp(); t < own.sizes.tiles; t += store_warps) {
    SegmentTile tile;
    TileEntries entries;
    if (own.plain != 0) {
      const std::int64_t row = first_row + begins[t], end = first_row + begins[t + 1];
      tile = {static_cast<Index>(row), static_cast<Index>(end - row), -1, -1};
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

// Counts what comes out of the matrix, and stores it.
template <class V>
class SegmentsBuild {
 public:
  SegmentsBuild(simt::Here here, const CsrView<V>& A, int tile_entries, Device device)
      : here_(here),
        A_(A),
        device_(device),
        rule_(A, tile_entries),
        chunks_(rule_.chunks(A)),
        per_chunk_{chunks_, cut_threads, std::max(ChunkRows::shared_bytes(rule_), cut_warps * sizeof(CutSizes))},
        memory_(device),
        found_(memory_.take<ChunkFound>(chunks_)),
        cuts_{memory_.take<std::int64_t>(chunks_ + 1), nullptr, 0} {
    if (at_once()) {
      cuts_.of_chunk = ChunkRows::most_plain_tiles(rule_) + 1;
      cuts_.begins = memory_.take<std::uint16_t>(chunks_ * cuts_.of_chunk);
    }
    simt::launch(here_, per_chunk_, count_block_per_chunk, PatternArrays(A_), rule_, found_,
                 sum_.ask(chunks_, device_, {}), cuts_);
  }
  const CutRule& rule() const { return rule_; }
  // Waits.
  const ChunkFound& total() {
    if (!few()) before_ = memory_.take<CutSizes>(chunks_);
    if (!few()) device::queue_scan(here_, ChunkSizes{found_, before_}, chunks_, memory_);
    return sum_.heard();
  }
  // `to` has room for it.
  void store(Segments<V>& to) {
    auto* entries = memory_.take<TileEntries>(to.tiles.size());
    const CutTarget cut{to.tiles.data(), entries, to.long_rows.data(), to.teams.data(), to.tiles.size()};
    if (!at_once())
      simt::launch(here_, per_chunk_, cut_block_per_chunk, PatternArrays(A_), rule_, cuts_.first_rows, found_, before_,
                   cut);
    with_any_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      const SegmentsTarget<V, S> target{to.per_lane,     to.tiles.data(),  entries,           to.long_rows.data(),
                                        to.teams.data(), to.col.data(),    to.row_end.data(), to.filled.data(),
                                        to.row_words,    to.pieces.data(), to.pieces.size(),  writer};
      if (!at_once()) return store_tiles_and_teams(target, to);
      simt::launch(here_, per_chunk_, store_block_per_chunk<V, S>, CsrArrays<V>(A_), rule_, found_, cuts_, cut, target);
      simt::launch(here_, {to.teams.size(), store_threads}, store_block_per_team<V, S>, CsrArrays<V>(A_), target);
    });
  }

 private:
  static constexpr int cut_warps = cut_threads / simt::warp_size;

  bool few() const { return chunks_ <= few_chunks; }
  bool at_once() const { return rule_.small && few(); }

  template <class S>
  void store_tiles_and_teams(const SegmentsTarget<V, S>& target, const Segments<V>& to) {
    const std::int64_t tile_blocks = simt::blocks_for(to.tiles.size(), store_warps);
    simt::launch(here_, {tile_blocks + to.teams.size(), store_threads}, store_warp_per_tile_or_block_per_team<V, S>,
                 CsrArrays<V>(A_), target, to.tiles.size(), tile_blocks);
  }

  simt::Here here_;
  const CsrView<V>& A_;
  Device device_;
  CutRule rule_;
  std::int64_t chunks_;
  simt::Launch per_chunk_;
  device::Workspace memory_;
  ChunkFound* found_;
  ChunkCuts cuts_;
  CutSizes* before_ = nullptr;
  device::PendingSum<ChunkFound> sum_;
};

}  // namespace

template <class V>
std::optional<Segments<V>> Segments<V>::build_there(simt::Here here, const MatrixThere<V>& A,
                                                    const WeaveSettings& settings, Device device) {
  Segments to{.rows = A.rows,
              .cols = A.cols,
              .per_lane = settings.per_lane,
              .keep = settings.keep == 1,
              .short_rows = has_short_rows(A)};
  SegmentsBuild<V> build(here, A, to.tile_entries(), device);
  const auto values_of = ask_value_store(here, A.values(), settings.codec(), device);
  const CutRule& rule = build.rule();
  const ChunkFound& total = build.total();
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
  build.store(to);
  return to;
}

template std::optional<Segments<float>> Segments<float>::build_there(simt::Here, const MatrixThere<float>&,
                                                                     const WeaveSettings&, Device);
template std::optional<Segments<double>> Segments<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                                       const WeaveSettings&, Device);

}  // namespace heddle::weave
