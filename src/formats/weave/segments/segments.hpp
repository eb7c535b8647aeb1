// Equal non-zeros: the layout for any row lengths (how they are cut: segments_cut.hpp). Entries are cut into
// tiles of 32 * K, the work of a warp, and a tile is closed before a row that would not fit.
//
//   tile      |a a a b c c c c . .|d d d d d e e f f .|     . no entry (column -1)
//   row_end    0 0 1 1 0 0 0 1 0 0  ...                     one bit an entry, K bits a lane
//   {row, rows}   {a, 3}   {d, 3}
//
//   rows   the rows the tile writes, empty ones between them included
//   filled   which of its rows have entries: a bit each, `row_words` words a tile; absent when all rows have. They lie
//          by tile and not by row: no warp waits for the tile before it asks for them, nor needs a table of ranks
//
// Rows longer than a tile are given to blocks of threads, their `teams`: one for up to 2,048 entries, else several with
// a piece each. Their tiles lie behind all others. (In large matrices such rows once crossed from tile to tile, and
// those of a quarter of a tile too, as less is stored then: a piece for every tile is four more accesses to memory,
// each waiting for the one before. Without, `web` takes 20.6 instead of 24.6 us in double, 80,000 rows of 121
// entries 20.4 instead of 31.2; wiki-Vote 2.9 instead of 5.6; H200.)
//
// The pieces of a row are laid down and counted; whoever comes last adds them up, in the order of the teams. One
// launch, no atomics on values, the same bits every time. (A second launch that adds up the pieces is 10 to 20 % faster
// when the matrix lies in the L2 already, and 1 to 2 us slower when it does not; H200.)
//
// Entries lie in the order of the rows. A warp reads them 32 at a time, so that neighbouring entries of a row fetch
// neighbouring elements of x together, and hands the products over shared memory to the lanes that add them up, K
// consecutive ones each (simt/primitives/segment_sums.hpp). (With K entries a lane also when x is fetched, on an H200
// an R-MAT of scale 20 took 5 % longer, rows of 20 random entries 11 %: each fetch touched K times as many sectors.)
// Rows of a few entries have few neighbours: where the matrix stays in the L2 and no row has a team, a lane fetches its
// own K entries with loads of 16 bytes, and nothing is handed over (economics 10 % faster, roads 7, half empty rows 3
// to 4).
#pragma once

#include <memory>

#include "formats/weave/weave_layout.hpp"
#include "simt/primitives/piece.hpp"

namespace heddle::weave {

struct SegmentsSettings {
  ValueCodec codec = ValueCodec::raw;
  Open<int> per_lane;  // entries of a lane: 4 or 8
  Open<Keep> keep;

  template <class F>
  void each(F f) {
    f("per_lane", per_lane), f("keep", keep);
  }
};

// K is 4 below `few`, 8 from `many` on, and between them 4 where an entry fetches more sectors of x than this (counted
// in float).
inline constexpr std::int64_t few_segment_entries = 1 << 19, many_segment_entries = 1 << 21;
inline constexpr double scattered_segments(int value_bytes) { return value_bytes == 8 ? 0.55 : 0.95; }

// What a warp of a team reads of its row at a time, 32 entries each.
inline constexpr int team_lines = 8;

struct alignas(8) SegmentTile {
  Index row, rows;
};

struct alignas(16) RowPieces {
  Index row, first, count, first_piece;  // first: number of the team that has the first one
};

// Who reads about a row early has also brought the counter near.
struct alignas(32) LongRow : RowPieces {
  std::int32_t arrived;  // scratch; zero between multiplications
};

struct alignas(16) Team {
  Index row, tile, entries, long_row;  // the first of its tiles; number in long_rows, or -1: the whole row is here
};

// Entries of a tile; `second` where nobody knows yet which it will be.
struct TileSizes {
  int first, second = 0;
};
// What comes out of cutting the rows of a matrix on a device: queued, and heard by who builds.
class SegmentsCount {
 public:
  virtual ~SegmentsCount() = default;
  virtual bool has(int tile_entries) const = 0;
};
// Beside the question that was queued last, or on a stream of its own. The arrays have the right sizes, but need not be
// a matrix.
std::unique_ptr<SegmentsCount> count_segments(simt::Emulator, const PatternView& there, const TileSizes& sizes, Device,
                                              Stream own = {});
std::unique_ptr<SegmentsCount> count_segments(simt::Cuda, const PatternView& there, const TileSizes& sizes, Device,
                                              Stream own = {});
// Larger matrices take longer to count than to wait for; up to a size they are counted while others look whether tiles
// of columns pay.
inline constexpr std::int64_t most_counted_unseen = 1 << 21, most_counted_beside = 1 << 23;

template <class V>
struct Segments {
  using Settings = SegmentsSettings;

  std::int64_t rows = 0, cols = 0;
  int per_lane = 4;  // K
  bool keep = false;
  bool short_rows = false;
  Buffer<SegmentTile> tiles;
  Buffer<Index> col;
  Buffer<std::uint8_t> row_end;
  ValueStore<V> values;
  int row_words = 0;
  Buffer<std::uint32_t> filled;
  Buffer<LongRow> long_rows;
  Buffer<Team> teams;
  Buffer<Piece<V>> pieces;  // empty between multiplications; once for each vector that reserve() has made room for
  int vectors = 1;

  static Buffer<Piece<V>> no_pieces(std::int64_t count, Device device) {
    Buffer<Piece<V>> none(count);
    std::fill(none.begin(), none.end(), Piece<V>{});
    return std::move(none).owned_on(device);
  }

  static bool has_short_rows(const PatternView& A) { return A.nnz() <= 12 * A.rows; }
  static Footprint footprint(const PatternView& A, const SegmentsSettings& settings, int value_bytes);
  static Segments build(const CsrView<V>& A, const SegmentsSettings& settings);
  using Found = std::unique_ptr<SegmentsCount>;  // null: nobody has asked
  static std::optional<Segments> build_there(simt::Emulator, const MatrixThere<V>& A, const SegmentsSettings& settings,
                                             Device, const Found& counted = {});
  static std::optional<Segments> build_there(simt::Cuda, const MatrixThere<V>& A, const SegmentsSettings& settings,
                                             Device, const Found& counted = {});
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.tiles), f(self.col), f(self.row_end), f(self.filled), f(self.long_rows), f(self.teams), f(self.pieces);
    ValueStore<V>::each_array(self.values, f);
  }
  bool uses_scratch() const { return !long_rows.empty(); }
  int tile_entries() const { return simt::warp_size * per_lane; }
  // Row i of those that a tile writes.
  bool is_filled(std::int64_t tile, Index i) const {
    return filled.empty() || (filled[tile * row_words + i / 32] >> i % 32 & 1) != 0;
  }
  void reserve(int count) {
    pieces = no_pieces(pieces.size() / vectors * count, pieces.device());
    vectors = count;
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
};

// The stored form of value number i.
template <Keep keep, class V, class S>
SIMT_DEVICE S load_stored(const CodedValues<V, S>& values, std::int64_t i) {
  if constexpr (std::is_empty_v<S>)
    return {};
  else
    return keep == Keep::matrix ? simt::cached_load(values.data + i) : simt::stream_load(values.data + i);
}

// Which rows of a tile have entries: a lane holds 32 of them.
class TileRows {
 public:
  // filled: null when all rows have.
  SIMT_DEVICE TileRows(const std::uint32_t* filled, int row_words, std::int64_t tile) : all_(filled == nullptr) {
    if (!all_ && simt::lane() < row_words) filled_ = simt::cached_load(filled + tile * row_words + simt::lane());
  }
  // By a warp, while it waits for something else: left alone, the compiler asks for them once they are needed.
  SIMT_DEVICE void arrive() {
    if (!all_) filled_ = simt::shuffle(filled_, simt::lane());
  }
  // By a warp: f(i, filled, number) for row i of the tile, `number` of whose rows with entries come before it.
  template <class F>
  SIMT_DEVICE void each(Index rows, F f) const {
    const std::uint32_t lanes_below = (1u << simt::lane()) - 1;
    Index before = 0;
#pragma unroll 4
    for (Index first = 0; first < rows; first += simt::warp_size) {
      const Index i = first + simt::lane();
      const std::uint32_t filled = all_ ? ~0u : simt::shuffle(filled_, first / simt::warp_size);
      const Index number = all_ ? i : before + simt::count_bits(filled & lanes_below);
      if (i < rows) f(i, (filled >> simt::lane() & 1) != 0, number);
      before += simt::count_bits(filled);
    }
  }

 private:
  bool all_;
  std::uint32_t filled_ = 0;
};

// Products on their way through shared memory: one place is left out after every 32, so that lanes K apart find
// different banks.
SIMT_DEVICE int staged_place(int entry) { return entry + entry / simt::warp_size; }
template <int K>
inline constexpr int staged_size = simt::warp_size* K + K;

// The end bits of a lane.
template <int K>
SIMT_DEVICE unsigned lane_ends(const std::uint8_t* row_end, std::int64_t tile, int lane) {
  static_assert(K == 4 || K == 8);
  const std::int64_t number = tile * simt::warp_size + lane;
  if (K == 8) return simt::cached_load(row_end + number);
  return simt::cached_load(row_end + number / 2) >> (number % 2 * 4) & 0xfu;
}

}  // namespace heddle::weave
