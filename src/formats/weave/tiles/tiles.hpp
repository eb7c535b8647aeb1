// Column tiles: for matrices that gather x from everywhere and use each column often (power laws; few, very long rows).
// The columns are cut into tiles of x that fit the shared memory of a GPU, and the entries are grouped by tile:
//
//            tile 0    tile 1               units (32 * K entries, the work of a warp), tile by tile, rows in order
//          +---------+---------+
//   row 0  | a  a  a |    b    |            |a a a c c|d . . . .||b e e e e|e . . . .|      . no entry
//   row 1  |         |         |   ends      0 0 1 0 1 1          1 0 0 0 1 1               one bit an entry
//   row 2  |  c   c  |         |   partials      0   1 2          3       4 5
//   row 3  | d       | e e e e e            of_row 0: 0 3    2: 1    3: 2 4 5
//          +---------+---------+
//
// A run of entries of one tile and one row ends where the unit ends: each unit makes its partial sums alone and puts
// them down one after another, rank[unit] on. A second launch adds up the partials of each row, always in the same
// order. Columns are 16 bits, counted from the tile's first. What is behind the last end of a unit is no entry: it
// belongs to no sum, so nobody has to test for it.
//
// order=degree numbers the columns by how many entries they have, about (degree_class), most first: then a power law
// has nearly all its entries in a few tiles. A launch before the others packs x in that order.
//
// On the GPU a block of up to 32 warps holds the tile of x and walks units of that tile. Blocks are cut to equal costs:
// entries + 2 * partials + columns / 6 (H200, R-MAT with 64 M entries in float: 359 us without the partials' share,
// 272 us with it).
#pragma once

#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

enum class ColumnOrder { natural, degree };

struct TilesSettings {
  ValueCodec codec = ValueCodec::raw;
  Open<int> per_lane, width;  // entries of a lane: 4 or 8; columns of a tile
  Open<ColumnOrder> order;

  template <class F>
  void each(F f) {
    f("per_lane", per_lane), f("order", order), f("width", width);
  }
};

// Packing x in the order of degrees costs a launch and a gather of x: it has to save a fifth of the partial sums.
inline bool degree_order_pays(double natural_partials, double partials) { return partials < 0.8 * natural_partials; }

struct alignas(16) TileBlock {
  Index column, columns;  // of the tile, in the order of columns
  Index unit, units;
};

// The most columns of a tile: the shared memory of a block also stages 32 * K sums of each of its warps.
constexpr int most_warps = 32;
constexpr std::int64_t widest_tile(int per_lane, int value_bytes) {
  constexpr std::int64_t shared_bytes = 227 * 1024, most_columns = 1 << 16;
  const std::int64_t columns = shared_bytes / value_bytes - most_warps * simt::warp_size * per_lane;
  return columns < most_columns ? columns : most_columns;
}

// Rows with more partials than this have a warp to add them up, the others one thread.
constexpr Index few_partials = 32;

template <class V>
struct Tiles {
  using Settings = TilesSettings;

  std::int64_t rows = 0, cols = 0;
  int per_lane = 4;          // K
  int warps = 1;             // of a block
  Index width = 0;           // of the widest tile in use
  Buffer<TileBlock> blocks;  // the most costly first
  Buffer<Index> rank;        // of a unit: its first partial
  Buffer<std::uint16_t> col;
  Buffer<std::uint32_t> ends;         // K words a unit: bit i of lane l is bit l * K + i of them
  Buffer<std::uint8_t> ended_before;  // of a word: ends in earlier words of its unit
  ValueStore<V> values;
  Buffer<Index> row_start, of_row;  // partials of row r: of_row[row_start[r] .. row_start[r + 1]), ascending
  Buffer<Index> long_rows;          // those with more than few_partials
  Buffer<Index> column_of;          // order=degree: column of the matrix that comes as the i-th
  Buffer<V> packed_x, partials;     // scratch of `multiply`

  static Footprint footprint(const PatternView& A, const TilesSettings& settings, int value_bytes);
  static Footprint at_most(const PatternView& A, const TilesSettings& settings, int value_bytes);
  static Tiles build(const CsrView<V>& A, const TilesSettings& settings);
  static std::optional<Tiles> build_there(simt::Emulator, const MatrixThere<V>& A, const TilesSettings& settings,
                                          Device);
  static std::optional<Tiles> build_there(simt::Cuda, const MatrixThere<V>& A, const TilesSettings& settings, Device);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.blocks), f(self.rank), f(self.col), f(self.ends), f(self.ended_before), f(self.row_start), f(self.of_row),
        f(self.long_rows), f(self.column_of), f(self.packed_x), f(self.partials);
    ValueStore<V>::each_array(self.values, f);
  }
  template <class Self, class F>
  static void each_scratch(Self& self, F f) {
    f(self.packed_x), f(self.partials);
  }
  bool uses_scratch() const { return !partials.empty(); }
  int unit_entries() const { return simt::warp_size * per_lane; }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle::weave
