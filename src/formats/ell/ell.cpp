#include "formats/ell/ell.hpp"

#include "formats/registered.hpp"
#include "layout/sliced_build.hpp"

namespace heddle {

namespace {
constexpr SlicedArrays kept{.start = false, .length = false, .row_of = false};
}

template <class V>
FormatInfo EllFormat<V>::about() {
  return {.name = "ell",
          .summary = "ELLPACK: all rows as long as the longest, stored by columns, padding tested in the loop",
          .origin = "the baseline of papers 1 and 4",
          .drawing =
              "  A = [ a0 a1 a2 ]     a0 b0 c0 d0 | a1 .. c1 d1 | a2 .. .. ..      .. is padding, column -1\n"
              "      [ b0       ]\n"
              "      [ c0 c1    ]     entry k of row r is at  k * ld + r,  ld = rows rounded up to 32\n"
              "      [ d0 d1    ]\n",
          .settings = {}};
}

template <class V>
Footprint EllFormat<V>::footprint(const PatternView& A, const Settings&, int value_bytes) {
  return sliced_footprint(one_slice(A.rows), stored_lengths(A.rows, {}, RowPieces{A.ptr}), kept,
                          static_cast<int>(sizeof(Index)) + value_bytes);
}

template <class V>
EllFormat<V> EllFormat<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V>& A = source.view;
  return {A.cols, settings.block, build_sliced(A, one_slice(A.rows), {}, kept, RowPieces{A.ptr})};
}

template <class V>
Csr<V> EllFormat<V>::restore() const {
  return restore_sliced(part.view(), cols);
}

template struct EllFormat<float>;
template struct EllFormat<double>;

const Format& ell_format() { return registered<EllFormat>(); }

}  // namespace heddle
