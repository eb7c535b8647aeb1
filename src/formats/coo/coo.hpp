// Coordinates, sorted by row: every entry says where it is.
//
//   row  0 0 2 2 2 3        entry k of the matrix is val[k] at (row[k], col[k])
//   col  0 2 0 1 5 3
//   val  a b c d e f
//
// Work is cut into shares of 256 entries, whatever the rows are: a warp (or a CPU task) adds up the rows inside its
// share by a segmented sum, and rows that cross shares are put together afterwards (layout/crossing.hpp), always in
// the same order. y is set to beta y first, because nobody visits rows without entries.
#pragma once

#include "formats/format.hpp"
#include "layout/crossing.hpp"

namespace heddle {

struct CooSettings {
  std::vector<Field> fields() { return {}; }
};

template <class V>
struct CooFormat {
  using Settings = CooSettings;
  static constexpr bool uses_scratch = true;
  static constexpr std::int64_t share = 256;

  std::int64_t rows = 0, cols = 0;
  Buffer<Index> row, col;
  Buffer<V> val;
  Buffer<Crossing> crossing;
  Buffer<V> head, tail;  // scratch of `multiply`

  static FormatInfo about();
  static void settle(Settings&, const PatternView&) {}
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static CooFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.row), f(self.col), f(self.val), f(self.crossing), f(self.head), f(self.tail);
  }
  CrossingView<V> pieces() const {
    return {crossing.data(), crossing.size(), const_cast<V*>(head.data()), const_cast<V*>(tail.data())};
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
