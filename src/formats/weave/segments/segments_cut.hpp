// How the rows of a matrix are cut into tiles and teams (segments.hpp): one rule, for the host and for kernels.
//
// Rows are cut in chunks, and each chunk begins a new tile: so chunks can be cut at the same time. A row weighs its
// entries and a few more (`row_weight`), and a chunk is the rows that begin in so much weight: about 96 tiles, of small
// matrices 16, and 4,096 rows at most, whatever their lengths. (A number of rows by their mean length left one warp
// with hundreds of long rows of an R-MAT when all others were done.) The half of a tile that a chunk leaves empty is a
// hundredth of a matrix with five entries a row or more, of a small one three. A chunk is cut twice: to count what
// comes out of it, and, when it is known where that goes, to write it down (on a GPU not where no row of it is long,
// and what was found is kept).
#pragma once

#include "core/halving.hpp"
#include "formats/weave/segments/segments.hpp"

namespace heddle::weave {

inline constexpr std::int64_t most_chunk_rows = 4096;

struct CutRule {
  static constexpr Offset team_step = team_lines * 128;  // entries of a row that a block walks at a time

  Offset capacity;  // entries of a tile; longer rows get teams
  bool small;       // a small matrix is a matter of latency
  // Rows of a tile, a multiple of 32. A warp writes so many at a time, so many empty rows keep it busy when all others
  // are done; and a lane of it knows 32 rows.
  Index most_rows;
  Offset chunk_weight, row_weight;

  CutRule(const MatrixShape& A, int tile_entries)
      : capacity(tile_entries),
        small(A.nnz() < 1 << 21),
        most_rows((small ? 4 : 8) * simt::warp_size),
        chunk_weight((small ? 16 : 96) * capacity),
        row_weight((chunk_weight + most_chunk_rows - 1) / most_chunk_rows) {}

  int row_words() const { return most_rows / 32; }
  std::int64_t chunks(const PatternView& A) const {
    return (A.nnz() + A.rows * row_weight + chunk_weight - 1) / chunk_weight;
  }
  SIMT_BOTH std::int64_t most_rows_of_chunk() const { return (chunk_weight + row_weight - 1) / row_weight; }
  // Whether a row that begins at entry ptr[row] lies before the chunk.
  SIMT_BOTH bool before_chunk(std::int64_t chunk, std::int64_t row, const Offset* ptr) const {
    return ptr[row] + row * row_weight < chunk * chunk_weight;
  }
  std::int64_t first_row(std::int64_t chunk, const PatternView& A) const {
    return first_without(0, A.rows, [&](std::int64_t row) { return before_chunk(chunk, row, A.ptr.data()); });
  }

  // In 32 bits, in which the length of a row fits: a division of 64 takes a GPU five times as long.
  SIMT_BOTH static Offset parts_of(Offset length, Offset part) {
    return (static_cast<std::uint32_t>(length) + static_cast<std::uint32_t>(part) - 1) /
           static_cast<std::uint32_t>(part);
  }
  SIMT_BOTH Offset tiles_for(Offset length) const { return parts_of(length, capacity); }
  // Entries of a row's team: up to two steps of a block a row has no pieces, which cost more than that.
  SIMT_BOTH Offset team_share(Offset length) const {
    constexpr Offset step = team_step;
    if (length <= 2 * step) return tiles_for(length) * capacity;
    return length <= 512 * step ? step : 4 * step;
  }
};

struct CutSizes {
  std::int64_t tiles = 0, long_rows = 0, teams = 0, team_tiles = 0, pieces = 0;

  SIMT_BOTH void add(const CutSizes& other) {
    tiles += other.tiles;
    long_rows += other.long_rows;
    teams += other.teams;
    team_tiles += other.team_tiles;
    pieces += other.pieces;
  }
  std::int64_t stored(const CutRule& rule) const { return (tiles + team_tiles) * rule.capacity; }
};

// The entries of a tile.
struct TileEntries {
  Offset first;
  std::int64_t count;
};

// Where a cut is written down; all null: it is only counted.
struct CutTarget {
  SegmentTile* tiles = nullptr;
  TileEntries* entries = nullptr;
  LongRow* long_rows = nullptr;
  Team* teams = nullptr;
  std::int64_t team_tiles_begin = 0;  // behind all tiles
};

// How a thread finds out how many rows fit: the most n <= `most` with ptr[n] - ptr[0] <= room.
struct Halving {
  SIMT_BOTH static int lane() { return 0; }
  SIMT_BOTH static int lanes() { return 1; }
  SIMT_BOTH static bool writes() { return true; }
  // A new tile, from row `at` of a chunk on.
  SIMT_BOTH static std::int64_t rows_of_tile(const CutRule& rule, const Offset* ptr, std::int64_t at,
                                             std::int64_t rows) {
    return rows_that_fit(ptr + at, rows - at < rule.most_rows ? rows - at : rule.most_rows, rule.capacity);
  }
  SIMT_BOTH static std::int64_t rows_that_fit(const Offset* ptr, std::int64_t most, Offset room) {
    std::int64_t low = 0;
    while (low < most) {
      const std::int64_t middle = (low + most + 1) / 2;
      if (ptr[middle] - ptr[0] <= room)
        low = middle;
      else
        most = middle - 1;
    }
    return low;
  }
};

// Search: Halving, or how the lanes of a warp do it together, of which one writes. Most tiles begin with a row, and a
// search may know beforehand how many rows such a tile has.
template <class Search>
class ChunkCutter {
 public:
  CutSizes at;  // how much there is before what comes next

  SIMT_BOTH ChunkCutter(const CutRule& rule, const CutTarget& to, const CutSizes& before, const Search& search = {})
      : at(before), rule_(rule), to_(to), search_(search) {}

  // Rows first .. first + rows - 1, which begin at ptr[0] .. ptr[rows - 1].
  SIMT_BOTH void cut(std::int64_t first, std::int64_t rows, const Offset* ptr) {
    begin_tile(static_cast<Index>(first), ptr[0]);
    for (std::int64_t i = 0; i < rows;) {
      const std::int64_t fitting = rows_that_fit(ptr, i, rows);
      open_.rows += static_cast<Index>(fitting);
      fill_ += ptr[i + fitting] - ptr[i];
      i += fitting;
      if (i < rows && add_unfitting(static_cast<Index>(first + i), ptr[i], ptr[i + 1])) ++i;
    }
    close();
  }

 private:
  // As many rows from `first` on as the open tile has room for.
  SIMT_BOTH std::int64_t rows_that_fit(const Offset* ptr, std::int64_t first, std::int64_t rows) const {
    if (open_.rows == 0 && fill_ == 0) return search_.rows_of_tile(rule_, ptr, first, rows);
    const std::int64_t left = rule_.most_rows - open_.rows;
    return Search::rows_that_fit(ptr + first, rows - first < left ? rows - first : left, rule_.capacity - fill_);
  }
  // A row for which the tile has no room. False: a new tile has.
  SIMT_BOTH bool add_unfitting(Index row, Offset begin, Offset end) {
    close();
    const bool is_long = end - begin > rule_.capacity;
    if (is_long) add_teams(row, end - begin);
    begin_tile(is_long ? row + 1 : row, is_long ? end : begin);
    return is_long;
  }
  SIMT_BOTH void add_teams(Index row, Offset length) {
    const Offset share = rule_.team_share(length), count = CutRule::parts_of(length, share);
    const Index number = count > 1 ? static_cast<Index>(at.long_rows++) : -1;
    if (count > 1) {
      if (to_.long_rows && Search::writes())
        to_.long_rows[number] = {
            {row, static_cast<Index>(at.teams), static_cast<Index>(count), static_cast<Index>(at.pieces)}, 0};
      at.pieces += count;
    }
    const Offset tiles = rule_.tiles_for(share);
    for (Offset i = Search::lane(); to_.teams && i < count; i += Search::lanes()) {
      const Offset left = length - i * share, first = to_.team_tiles_begin + at.team_tiles + i * tiles;
      to_.teams[at.teams + i] = {row, static_cast<Index>(first), static_cast<Index>(left < share ? left : share),
                                 number};
    }
    at.teams += count;
    at.team_tiles += rule_.tiles_for(length);
  }
  SIMT_BOTH void begin_tile(Index row, Offset entry) {
    open_ = {row, 0};
    entry_ = entry;
    fill_ = 0;
  }
  SIMT_BOTH void close() {
    if (open_.rows == 0 && fill_ == 0) return;
    if (to_.tiles && Search::writes()) {
      to_.tiles[at.tiles] = open_;
      to_.entries[at.tiles] = {entry_, fill_};
    }
    ++at.tiles;
  }

  CutRule rule_;
  CutTarget to_;
  Search search_;
  SegmentTile open_{0, 0};
  Offset entry_ = 0, fill_ = 0;  // first entry of the open tile, and how many it has
};

// Which of `count` entries from `first` on, 8 at most, are the last of their row: a bit each. The rows of the tile end
// before entries ptr[1] <= .. <= ptr[rows].
SIMT_BOTH unsigned end_bits(const Offset* ptr, std::int64_t rows, Offset first, int count) {
  std::int64_t low = 1, high = rows + 1;  // the first row end behind entry `first`
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (ptr[middle] > first)
      high = middle;
    else
      low = middle + 1;
  }
  unsigned bits = 0;
  for (; low <= rows && ptr[low] <= first + count; ++low) bits |= 1u << (ptr[low] - first - 1);
  return bits;
}

}  // namespace heddle::weave
