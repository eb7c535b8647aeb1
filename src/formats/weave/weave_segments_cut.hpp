// How the rows of a matrix are cut into tiles and teams (weave_segments.hpp): one rule, for the host and for kernels.
//
// Rows are cut in chunks of about 64 tiles, of small matrices 16 (at most 4,096 rows), and each chunk begins a new
// tile: so chunks can be cut at the same time, and the half of a tile that a chunk leaves empty is a hundredth of a
// matrix with five entries a row or more, of a small one three. A chunk is cut twice: to count what comes out of it,
// and, when it is known where that goes, to write it down.
#pragma once

#include "formats/weave/weave_segments.hpp"

namespace heddle::weave {

inline constexpr std::int64_t most_chunk_rows = 4096;

struct CutRule {
  Offset capacity;  // entries of a tile
  bool small;       // a small matrix is a matter of latency
  // Rows up to `whole` do not cross tiles: in a small matrix every row that fits a tile, as a row in pieces is a chain
  // with one more link. Rows longer than `most` get teams.
  Offset whole, most;
  // Rows of a tile. A warp writes 32 at a time, so many empty rows keep it busy when all others are done; and a lane of
  // it knows 32 rows, the first perhaps in part, so there may be no more than 31 * 32.
  Index most_rows;
  std::int64_t chunk_rows;

  CutRule(const PatternView& A, int tile_entries)
      : capacity(tile_entries),
        small(A.nnz() < 1 << 21),
        whole(small ? capacity : capacity / 4),
        most(small ? capacity : 16 * capacity),
        most_rows((small ? 4 : 8) * simt::warp_size),
        chunk_rows(most_chunk_rows) {
    constexpr std::int64_t least_rows = 256;
    const std::int64_t tiles_of_chunk = small ? 16 : 64;
    while (chunk_rows > least_rows && A.nnz() * chunk_rows > tiles_of_chunk * capacity * A.rows) chunk_rows /= 2;
  }

  std::int64_t chunks(std::int64_t rows) const { return (rows + chunk_rows - 1) / chunk_rows; }

  SIMT_BOTH Offset tiles_for(Offset length) const { return (length + capacity - 1) / capacity; }
  // Entries of a row's team: up to two steps of a block a row has no pieces, which cost more than that.
  SIMT_BOTH Offset team_share(Offset length) const {
    const Offset step = team_lines * 128;
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

// Search: Halving, or how the lanes of a warp do it together, of which one writes.
template <class Search>
class ChunkCutter {
 public:
  CutSizes at;  // how much there is before what comes next

  SIMT_BOTH ChunkCutter(const CutRule& rule, const CutTarget& to, const CutSizes& before)
      : at(before), rule_(rule), to_(to) {}

  // Rows first .. first + rows - 1, which begin at ptr[0] .. ptr[rows - 1].
  SIMT_BOTH void cut(std::int64_t first, std::int64_t rows, const Offset* ptr) {
    begin_tile(static_cast<Index>(first), ptr[0]);
    for (std::int64_t i = 0; i < rows;) {
      const std::int64_t fitting = rows_that_fit(ptr + i, rows - i);
      open_.rows += static_cast<Index>(fitting);
      fill_ += ptr[i + fitting] - ptr[i];
      i += fitting;
      if (i < rows && add_unfitting(static_cast<Index>(first + i), ptr[i], ptr[i + 1])) ++i;
    }
    close();
  }

 private:
  // As many rows as the open tile has room for.
  SIMT_BOTH std::int64_t rows_that_fit(const Offset* ptr, std::int64_t rows) const {
    const std::int64_t left = rule_.most_rows - open_.rows;
    return Search::rows_that_fit(ptr, rows < left ? rows : left, rule_.capacity - fill_);
  }
  // A row for which the tile has no room. False: it has to be tried again with a new tile.
  SIMT_BOTH bool add_unfitting(Index row, Offset begin, Offset end) {
    const Offset length = end - begin, left = rule_.capacity - fill_;
    if (length > rule_.most) {
      close();
      add_teams(row, length);
      begin_tile(row + 1, end);
      return true;
    }
    if (open_.rows == rule_.most_rows || length <= rule_.whole || left == 0) {
      close();
      begin_tile(row, begin);
      return false;
    }
    add_long(row, begin, end);
    return true;
  }
  SIMT_BOTH void add_long(Index row, Offset begin, Offset end) {
    const auto number = static_cast<Index>(at.long_rows++);
    const auto first_tile = static_cast<Index>(at.tiles), first_piece = static_cast<Index>(at.pieces++);
    open_.tail = number;
    begin += rule_.capacity - fill_;
    fill_ = rule_.capacity;
    while (begin < end) {
      close();
      begin_tile(row + 1, begin);
      open_.head = number;
      fill_ = end - begin < rule_.capacity ? end - begin : rule_.capacity;
      begin += fill_;
      ++at.pieces;
    }
    const auto count = static_cast<Index>(at.pieces) - first_piece;
    if (to_.long_rows && Search::writes()) to_.long_rows[number] = {{row, first_tile, count, first_piece}, 0};
  }
  SIMT_BOTH void add_teams(Index row, Offset length) {
    const Offset share = rule_.team_share(length), count = (length + share - 1) / share;
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
    open_ = {row, 0, -1, -1};
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
  SegmentTile open_{0, 0, -1, -1};
  Offset entry_ = 0, fill_ = 0;  // first entry of the open tile, and how many it has
};

// Which of `count` entries from `first` on, 8 at most, are the last of their row: a bit each. Rows end before entries
// ptr[0] <= ptr[1] <= .. <= ptr[rows]: those of a tile, and the row before it, which may end inside.
SIMT_BOTH unsigned end_bits(const Offset* ptr, std::int64_t rows, Offset first, int count) {
  std::int64_t low = 0, high = rows + 1;  // the first row end behind entry `first`
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
