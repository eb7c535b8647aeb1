// ELLPACK-R with the column as a signed 16-bit distance from the row: two bytes less for every entry.
//
//   length  3 1 ..         col  0  1 -1 ..  1  .  ..  2  .  ..      entry k of row r is at  k * ld + r,
//                          val  a  d  e ..  b  .  ..  c  .  ..      in column  r + col[k * ld + r];  ld = rows rounded
//   row 0: columns 0 1 2, row 1: column 2, row 2: column 1 ...      up to 32
//
// Columns ascend, so the entries within [-32768, 32767] of the diagonal are one run of each row. The first K of that
// run are stored so; everything else keeps 32-bit coordinates and is added afterwards (layout/ell_and_rest.hpp).
//
// reorder = rcm stores P A P^T, with P reverse Cuthill-McKee: far fewer entries are far from the diagonal, and
// neighbouring rows read neighbouring x. Each product first puts x into that order; y is written through row_of.
#pragma once

#include "formats/format.hpp"
#include "layout/ell_and_rest.hpp"

namespace heddle {

struct Ell16Settings {
  enum { none, rcm };
  int reorder = none;
  int K = automatic;
  std::vector<Field> fields() {
    return {{.name = "reorder",
             .value = &reorder,
             .meaning = "rcm: store rows and columns in reverse Cuthill-McKee order (square matrices)",
             .words = {"none", "rcm"}},
            {.name = "K",
             .value = &K,
             .meaning = "most entries of a row with a 16-bit column; auto: the longest row, or the two-thirds rule of "
                        "hyb where that would store more than three times the matrix",
             .low = 0,
             .high = INT32_MAX,
             .may_be_automatic = true}};
  }
};

template <class V>
struct Ell16Format {
  using Settings = Ell16Settings;
  static constexpr int threads = 256;

  std::int64_t cols = 0;
  EllAndRest<V, Column16> parts;
  Buffer<Index> row_of;  // with reorder = rcm: what is stored as row (column) i is row (column) row_of[i] of the matrix
  Buffer<V> reordered_x;  // and the scratch of `multiply`

  bool uses_scratch() const { return parts.rest.uses_scratch() || !reordered_x.empty(); }
  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static Footprint at_most(const PatternView& A, const Settings& settings, int value_bytes);  // without reordering
  static Ell16Format build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    EllAndRest<V, Column16>::each_array(self.parts, f);
    f(self.row_of), f(self.reordered_x);
  }

  SlicedView<V, Column16> ell() const {
    SlicedView<V, Column16> view = parts.ell.view();
    view.row_of = row_of.data();
    return view;
  }
  // The product as the stored matrix sees it.
  Product<V> inner(Product<V> p) const {
    p.update.row_of = row_of.data();
    if (!row_of.empty()) p.x = reordered_x.data();
    return p;
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
