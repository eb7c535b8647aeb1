#include "formats/csr_padded/csr_padded.hpp"

#include <algorithm>

#include "core/grain.hpp"
#include "core/parallel.hpp"
#include "formats/registered.hpp"
#include "layout/row_tasks.hpp"

namespace heddle {

namespace {

constexpr std::int64_t most_rows_at_once = 4096;

Offset padded(Offset length) {
  constexpr Offset unit = CsrPaddedFormat<double>::row_unit;
  return (length + unit - 1) / unit * unit;
}

}  // namespace

template <class V>
FormatInfo CsrPaddedFormat<V>::about() {
  return {.name = "csr_padded",
          .summary = "compressed rows padded to 16 entries, half a warp per row",
          .origin = "SpMV4GPU (Baskaran and Bordawekar), as papers 1 and 4 use it",
          .drawing =
              "  lengths 3, 0, 18:   ptr  0       16  16               48      length  3 0 18\n"
              "                           a a a . . | c c c c ... c c . . .\n"
              "  entry k of row r is at ptr[r] + k, k < length[r]; ptr[r] is a multiple of 16\n",
          .settings = {}};
}

template <class V>
Footprint CsrPaddedFormat<V>::footprint(const PatternView& A, const Settings&, int value_bytes) {
  std::int64_t stored = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) stored += padded(A.length(row));
  const std::int64_t index = sizeof(Index);
  return {.bytes = (A.rows + 1) * static_cast<std::int64_t>(sizeof(Offset)) + A.rows * index +
                   stored * (index + value_bytes) + row_task_bytes(A.rows, A.nnz()),
          .stored = stored};
}

template <class V>
CsrPaddedFormat<V> CsrPaddedFormat<V>::build(Source<V> source, const Settings&) {
  const CsrView<V>& A = source.view;
  CsrPaddedFormat made{A.rows, A.cols, Buffer<Offset>(A.rows + 1), Buffer<Index>(A.rows), {}, {}, row_tasks(A)};
  made.ptr[0] = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    made.length[row] = static_cast<Index>(A.length(row));
    made.ptr[row + 1] = made.ptr[row] + padded(A.length(row));
  }
  made.col = Buffer<Index>(made.ptr[A.rows]);
  made.val = Buffer<V>(made.ptr[A.rows]);
  parallel_ranges(A.rows, grain_for(A.rows, A.nnz(), most_rows_at_once), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const Offset from = A.ptr[row], n = A.length(row), to = made.ptr[row], end = made.ptr[row + 1];
      std::copy_n(A.col.data() + from, n, made.col.data() + to);
      std::copy_n(A.val.data() + from, n, made.val.data() + to);
      std::fill(made.col.data() + to + n, made.col.data() + end, 0);
      std::fill(made.val.data() + to + n, made.val.data() + end, V(0));
    }
  });
  return made;
}

template <class V>
Csr<V> CsrPaddedFormat<V>::restore() const {
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), {}, {}};
  A.ptr[0] = 0;
  for (std::int64_t row = 0; row < rows; ++row) A.ptr[row + 1] = A.ptr[row] + length[row];
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<V>(A.ptr[rows]);
  parallel_ranges(rows, grain_for(rows, A.ptr[rows], most_rows_at_once), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      std::copy_n(col.data() + ptr[row], length[row], A.col.data() + A.ptr[row]);
      std::copy_n(val.data() + ptr[row], length[row], A.val.data() + A.ptr[row]);
    }
  });
  return A;
}

template struct CsrPaddedFormat<float>;
template struct CsrPaddedFormat<double>;

const Format& csr_padded_format() { return registered<CsrPaddedFormat>(); }

}  // namespace heddle
