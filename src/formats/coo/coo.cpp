#include "formats/coo/coo.hpp"

#include <algorithm>
#include <numeric>

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
  const std::int64_t shares = share_count(A.nnz(), share);
  return {.bytes = A.nnz() * (2 * static_cast<std::int64_t>(sizeof(Index)) + value_bytes) + shares * 2 * value_bytes +
                   count_crossings(A, share) * static_cast<std::int64_t>(sizeof(Crossing)),
          .stored = A.nnz()};
}

template <class V>
CooFormat<V> CooFormat<V>::build(Source<V> source, const Settings&) {
  CooFormat made;
  const std::int64_t shares = share_count(source.view.nnz(), share);
  made.rows = source.view.rows;
  made.cols = source.view.cols;
  made.crossing = find_crossings(source.view, share);
  made.head = Buffer<V>(shares);
  made.tail = Buffer<V>(shares);
  made.row = row_numbers(source.view);
  Csr<V> A = source.take();
  made.col = std::move(A.col);
  made.val = std::move(A.val);
  return made;
}

template <class V>
Csr<V> CooFormat<V>::restore() const {
  Buffer<Offset> ptr(rows + 1);
  std::fill(ptr.begin(), ptr.end(), 0);
  for (const Index r : row) ++ptr[r + 1];
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
  return {rows, cols, std::move(ptr), col, val};
}

template struct CooFormat<float>;
template struct CooFormat<double>;

const Format& coo_format() { return registered<CooFormat>(); }

}  // namespace heddle
