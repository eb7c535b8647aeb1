// How a matrix is cut into column tiles, units and blocks (tiles.hpp), from its pattern alone: what the footprint
// counts, and what building fills.
//
// Rows are shared out in chunks, the same whatever the number of threads. A counting sort by tile keeps the order of
// rows: where a chunk's entries and partials of a tile begin is the sum of what earlier chunks have of it.
#pragma once

#include <algorithm>

#include "core/system.hpp"
#include "formats/weave/tiles/tiles.hpp"

namespace heddle::weave {

// Columns are ordered by classes of degrees, as many as a digit of a sort has: each degree up to 31 is one, then there
// are eight between powers of two. (Which tile a column is in hardly changes, and inside tiles it does not matter.)
inline constexpr int degree_classes = 256;
SIMT_BOTH int degree_class(std::uint32_t degree) {
  constexpr int exact_bits = 5;
  if (degree < 1u << exact_bits) return static_cast<int>(degree);
  int octave = exact_bits;
  while (degree >> octave > 1) ++octave;
  return (1 << exact_bits) + (octave - exact_bits) * 8 + static_cast<int>(degree >> (octave - 3) & 7);
}

// Of a large matrix every fourth entry counts: for all 16 M of an R-MAT it took an H200 300 us, as most of them meet in
// a few columns. (Whether a column has entries is asked of all.)
constexpr std::int64_t degree_step(std::int64_t nnz) { return nnz >= 1 << 18 ? 4 : 1; }
SIMT_BOTH int class_of_column(std::uint32_t counted, std::int64_t step, bool has_entries) {
  const auto degree = static_cast<std::uint32_t>(counted * step);
  return degree_class(degree > 0 ? degree : has_entries ? 1 : 0);
}

// Columns in the order in which tiles are cut from them. order=degree leaves out columns without entries.
class ColumnPlaces {
 public:
  ColumnPlaces(const PatternView& A, ColumnOrder order);
  Index of(Index column) const { return place_of_.empty() ? column : place_of_[static_cast<std::size_t>(column)]; }
  std::int64_t size() const { return size_; }
  Vector<Index> column_of;  // empty: every column is in its own place

 private:
  std::int64_t size_;
  Vector<Index> place_of_;
};

// Tile by tile, and with the numbers of all at the end.
struct TileStarts {
  Vector<Offset> entry, unit, partial;

  std::int64_t tiles() const { return static_cast<std::int64_t>(entry.size()) - 1; }
};

// Blocks of about equal costs, the most costly first; `columns` are all that are cut into tiles of `width`.
struct TileBlocks {
  Vector<TileBlock> list;

  TileBlocks() = default;
  TileBlocks(const TileStarts& starts, std::int64_t width, std::int64_t columns);
  int warps() const;     // that the largest block has units for
  Index widest() const;  // tile of a block
};

inline std::int64_t tile_width(const TilesSettings& settings, int value_bytes) {
  return std::min<std::int64_t>(settings.width, widest_tile(settings.per_lane, value_bytes));
}

class TileCut {
 public:
  TileCut(const PatternView& A, const TilesSettings& settings, int value_bytes);

  ColumnPlaces places;
  std::int64_t capacity;           // entries of a unit
  std::int64_t width, tiles;       // columns of a tile, number of tiles
  Vector<std::int64_t> chunk_row;  // first row of each chunk, and the number of rows
  Vector<Offset> tile_entries;
  Vector<Offset> unit_start;  // first unit of each tile, and the number of units
  Vector<Offset> row_start;   // first partial of each row in of_row, and the number of partials
  Vector<Index> long_rows;
  TileBlocks blocks;

  std::int64_t chunks() const { return static_cast<std::int64_t>(chunk_row.size()) - 1; }
  std::int64_t units() const { return unit_start.back(); }
  Offset partials() const { return row_start.back(); }
  // Per tile: partials before the chunk's first one.
  Vector<Offset> first_partials(std::int64_t chunk) const { return part_of(partial_start_, chunk); }

  // The entries of a chunk in the order of the matrix: on_entry(tile, e, local, k) for entry k, the e-th of its tile;
  // on_end(tile, e, row) once for every partial, after its last entry e and before the next one of that tile.
  template <class OnEntry, class OnEnd>
  void walk(const PatternView& A, std::int64_t chunk, OnEntry on_entry, OnEnd on_end) const;

 private:
  Vector<Offset> part_of(const Vector<Offset>& starts, std::int64_t chunk) const {
    return {starts.begin() + chunk * tiles, starts.begin() + (chunk + 1) * tiles};
  }
  void count_entries(const PatternView& A);
  void count_partials(const PatternView& A);
  TileStarts starts() const;

  Vector<Offset> entry_start_, partial_start_;  // [chunk][tile]
};

template <class OnEntry, class OnEnd>
void TileCut::walk(const PatternView& A, std::int64_t chunk, OnEntry on_entry, OnEnd on_end) const {
  constexpr Index none = -1;
  Vector<Offset> next = part_of(entry_start_, chunk);
  Vector<Index> open_row(next.size(), none);  // row whose run is open in a tile
  Vector<std::uint32_t> open_tiles;           // of the current row, some perhaps closed again
  const auto tile_width = static_cast<std::uint32_t>(width);
  for (std::int64_t row = chunk_row[chunk]; row < chunk_row[chunk + 1]; ++row) {
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const auto place = static_cast<std::uint32_t>(places.of(A.col[k]));
      const std::uint32_t tile = place / tile_width;
      const Offset e = next[tile]++;
      on_entry(tile, e, place - tile * tile_width, k);
      if (next[tile] % capacity == 0) {
        on_end(tile, e, row);
        open_row[tile] = none;
      } else if (open_row[tile] == none) {
        open_row[tile] = static_cast<Index>(row);
        open_tiles.push_back(tile);
      }
    }
    for (const std::uint32_t tile : open_tiles) {
      if (open_row[tile] == none) continue;
      on_end(tile, next[tile] - 1, row);
      open_row[tile] = none;
    }
    open_tiles.clear();
  }
}

}  // namespace heddle::weave
