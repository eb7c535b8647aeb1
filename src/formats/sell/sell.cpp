#include "formats/sell/sell.hpp"

#include "formats/registered.hpp"
#include "layout/sliced_build.hpp"
#include "reorder/rows_by_length.hpp"

namespace heddle {

namespace {

Sliced shape_of(const PatternView& A, const SellSettings& settings) {
  return {.rows = A.rows, .slice = settings.C, .lanes = settings.lanes};
}

Buffer<Index> order_of(const PatternView& A, const SellSettings& settings) {
  return settings.sigma > 1 ? rows_by_length(A, settings.sigma).new_to_old : Buffer<Index>();
}

SlicedArrays kept(const SellSettings& settings) {
  return {.start = true, .length = false, .row_of = settings.sigma > 1};
}

}  // namespace

template <class V>
FormatInfo SellFormat<V>::about() {
  return {
      .name = "sell",
      .summary = "sliced ELLPACK and SELL-C-sigma: slices of C rows, sorted by length in windows of sigma",
      .origin = "Monakov, Lokhmotov, Avetisyan 2010 (papers 2 and 3 compare with it); Kreutzer et al. 2013",
      .drawing =
          "  rows a..f, C = 4, lanes = 1                            lanes = 2\n"
          "  slice 0  a0 b0 c0 d0 | a1 b1 c1 .. | a2 .. .. ..       a0 a1 b0 b1 c0 c1 d0 .. | a2 .. .. .. .. .. .. ..\n"
          "  slice 1  e0 f0 .. .. | e1 .. .. ..                     e0 e1 f0 .. .. .. .. ..\n"
          "  start    0 12 20                                       .. is padding, column -1\n"
          "  entry k of row r is at  start[s] + ((k / lanes) * C + r % C) * lanes + k % lanes,  s = r / C\n"
          "  sigma > 1: stored row i is row row_of[i]\n",
      .settings = {}};
}

template <class V>
Footprint SellFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  return sliced_footprint(shape_of(A, settings), stored_lengths(A.rows, order_of(A, settings), RowPieces{A.ptr}),
                          kept(settings), static_cast<int>(sizeof(Index)) + value_bytes);
}

template <class V>
SellFormat<V> SellFormat<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V>& A = source.view;
  return {A.cols, build_sliced(A, shape_of(A, settings), order_of(A, settings), kept(settings), RowPieces{A.ptr})};
}

template <class V>
Csr<V> SellFormat<V>::restore() const {
  return restore_sliced(part.view(), cols);
}

template struct SellFormat<float>;
template struct SellFormat<double>;

const Format& sell_format() { return registered<SellFormat>(); }

}  // namespace heddle
