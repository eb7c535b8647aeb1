#include "formats/csr/csr.hpp"

#include <algorithm>
#include <atomic>

#include "core/parallel.hpp"
#include "formats/csr/csr_rules.hpp"
#include "formats/registered.hpp"
#include "layout/row_tasks.hpp"

namespace heddle {

template <class V>
FormatInfo CsrFormat<V>::about() {
  return {.name = "csr",
          .summary = "compressed rows, a team of 1 to 32 lanes per row",
          .origin = "CRS scalar (lanes=1) and vector (lanes=32) of the papers",
          .drawing =
              "  A = [ a . b ]    ptr  0 2 2 4     row r owns entries ptr[r] .. ptr[r+1]-1\n"
              "      [ . . . ]    col  0 2 0 1\n"
              "      [ c d . ]    val  a b c d     entry k of row r is at ptr[r] + k\n",
          .settings = {}};
}

template <class V>
int CsrFormat<V>::lanes_for(const PatternView& A, std::int64_t longest) {
  return csr_lanes(A.rows, A.nnz(), longest);
}

template <class V>
void CsrFormat<V>::settle(Settings& settings, const PatternView& A) {
  if (settings.lanes != automatic) return;
  std::atomic<std::int64_t> longest{0};
  constexpr std::int64_t rows_at_once = 1 << 13;
  parallel_ranges(A.rows, rows_at_once, [&](std::int64_t first, std::int64_t last) {
    std::int64_t here = 0;
    for (std::int64_t row = first; row < last; ++row) here = std::max(here, A.length(row));
    std::int64_t seen = longest.load();
    while (here > seen && !longest.compare_exchange_weak(seen, here)) {
    }
  });
  settings.lanes = lanes_for(A, longest);
}

template <class V>
Footprint CsrFormat<V>::footprint(const PatternView& A, const Settings&, int value_bytes) {
  const std::int64_t entry = static_cast<std::int64_t>(sizeof(Index)) + value_bytes;
  return {.bytes = (A.rows + 1) * static_cast<std::int64_t>(sizeof(Offset)) + A.nnz() * entry +
                   row_task_bytes(A.rows, A.nnz()),
          .stored = A.nnz()};
}

template <class V>
CsrFormat<V> CsrFormat<V>::kept(Source<V> source, const Settings& settings, Buffer<Index> task) {
  Csr<V> A = source.take();
  return {A.rows, A.cols, settings.lanes, std::move(A.ptr), std::move(A.col), std::move(A.val), std::move(task)};
}

template <class V>
CsrFormat<V> CsrFormat<V>::build(Source<V> source, const Settings& settings) {
  return kept(source, settings, row_tasks(source.view));
}

template struct CsrFormat<float>;
template struct CsrFormat<double>;

const Format& csr_format() { return registered<CsrFormat>(); }

}  // namespace heddle
