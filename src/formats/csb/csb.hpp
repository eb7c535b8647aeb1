// Compressed sparse blocks (Buluc, Fineman, Frigo, Gilbert, Leiserson 2009) in bands of rows: for columns that lie
// anywhere, on a CPU. Bands of 2 rows and tiles of 4 columns:
//
//          tile 0    tile 1
//   A = [ a . . . | b . . . ]  band 0      cell    tile 0   tile 1   tile 1
//       [ c . d . | . . . e ]              row     0 1 1    0 1      0
//       [ . . . . | . f . . ]  band 1      col     0 0 2    0 3      1
//                                          val     a c d    b e      f
//
//   entry k of a cell of band b is at   (first_row[b] + row[k], tile * tile_cols + col[k])
//
// The entries of a cell come by column, then by row. So x is read from front to end once for each band, while the sums
// of the band lie in a core's own cache. Each row is added up in the order of its columns: no bit depends on bands,
// tiles or threads.
#pragma once

#include "formats/format.hpp"

namespace heddle {

struct CsbSettings {
  int rows = automatic;
  int cols = 1 << 16;
  std::vector<Field> fields() {
    return {{.name = "rows",
             .value = &rows,
             .meaning = "rows of a band at most",
             .low = 1,
             .high = 1 << 16,
             .may_be_automatic = true},
            {.name = "cols", .value = &cols, .meaning = "columns of a tile", .low = 1, .high = 1 << 16}};
  }
};

// What the pattern alone decides.
struct CsbBands {
  Buffer<Index> first_row;    // of each band, and the number of rows
  Buffer<Offset> first_cell;  // of each band, and the number of cells
};

template <class V>
struct CsbFormat {
  using Settings = CsbSettings;
  using Found = CsbBands;
  static constexpr bool uses_scratch = false;

  std::int64_t rows = 0, cols = 0;
  int tile_cols = 0;
  CsbBands bands;
  Buffer<Index> tile;    // of each cell
  Buffer<Offset> start;  // of each cell among the entries, and their number
  Buffer<std::uint16_t> row, col;
  Buffer<V> val;

  std::int64_t band_count() const { return bands.first_row.size() - 1; }

  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static Footprint at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& found);
  static CsbFormat build(Source<V> source, const Settings& settings, Found&& found);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.bands.first_row), f(self.bands.first_cell), f(self.tile), f(self.start), f(self.row), f(self.col),
        f(self.val);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
