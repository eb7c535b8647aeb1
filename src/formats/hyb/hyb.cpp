#include "formats/hyb/hyb.hpp"

#include "formats/registered.hpp"
#include "layout/ell_and_rest_build.hpp"

namespace heddle {

namespace {
constexpr SlicedArrays kept{.start = false, .length = false};
}

template <class V>
FormatInfo HybFormat<V>::about() {
  return {
      .name = "hyb",
      .summary = "ELLPACK of K columns, coordinates for longer rows",
      .origin = "Bell and Garland; the papers' strongest baseline",
      .drawing =
          "  K = 2          ell.col   ell.val    rest.row  1 1 3\n"
          "  row 0  a       0  -1     a  .       rest.col  4 5 7\n"
          "  row 1  bcde    0   1     b  c       rest.val  d e h\n"
          "  row 2          -1 -1     .  .\n"
          "  row 3  fgh     2   3     f  g       entry k < K of row r is at  k * ld + r,  ld = rows rounded up to 32\n",
      .settings = {}};
}

template <class V>
void HybFormat<V>::settle(Settings& settings, const PatternView& A) {
  if (settings.K != automatic) return;
  const auto rule = static_cast<WidthRule>(settings.rule);
  settings.K = static_cast<int>(ell_width(stored_lengths(A.rows, {}, RowPieces{A.ptr}), rule));
}

template <class V>
Footprint HybFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  return ell_and_rest_footprint<Index32>(A, kept, value_bytes, RowPieces{A.ptr, settings.K});
}

template <class V>
HybFormat<V> HybFormat<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V>& A = source.view;
  return {A.cols, build_ell_and_rest<Index32>(A, kept, RowPieces{A.ptr, settings.K})};
}

template <class V>
Csr<V> HybFormat<V>::restore() const {
  return restore_ell_and_rest(parts, cols);
}

template struct HybFormat<float>;
template struct HybFormat<double>;

const Format& hyb_format() { return registered<HybFormat>(); }

}  // namespace heddle
