#include "formats/coo/coo.hpp"

#include "formats/registered.hpp"

namespace heddle {

template <class V>
FormatInfo CooFormat<V>::about() {
  return {.name = "coo",
          .summary = "coordinates, equal shares of entries, deterministic segmented sums",
          .origin = "the flat COO kernel of the papers, without atomics",
          .drawing =
              "  A = [ a . b ]    row  0 0 2 2\n"
              "      [ . . . ]    col  0 2 0 1     entry k is val[k] at (row[k], col[k])\n"
              "      [ c d . ]    val  a b c d\n",
          .settings = {}};
}

template <class V>
Footprint CooFormat<V>::footprint(const PatternView& A, const Settings&, int value_bytes) {
  return {.bytes = coordinate_bytes(A.ptr, value_bytes), .stored = A.nnz()};
}

template <class V>
CooFormat<V> CooFormat<V>::build(Source<V> source, const Settings&) {
  CooFormat made{source.view.rows, source.view.cols, coordinates_of<V>(source.view.ptr)};
  Csr<V> A = source.take();
  made.entries.col = std::move(A.col);
  made.entries.val = std::move(A.val);
  return made;
}

template <class V>
Csr<V> CooFormat<V>::restore() const {
  return {rows, cols, row_starts(entries, rows), entries.col, entries.val};
}

template struct CooFormat<float>;
template struct CooFormat<double>;

const Format& coo_format() { return registered<CooFormat>(); }

}  // namespace heddle
