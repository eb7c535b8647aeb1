#include "formats/weave/rows/rows.hpp"

#include "core/dispatch.hpp"
#include "core/grain.hpp"
#include "core/parallel.hpp"

namespace heddle::weave {

namespace {

TeamShape shape_of(const RowsSettings& settings) { return {settings.lanes, settings.per_lane}; }

SlicedColumns planned_columns(const PatternView& A, const RowsSettings& settings) {
  return plan_columns(A, shape_of(settings), settings.sort, settings.in_bytes());
}

// f(place among the values, column's slot in A) for all entries of A.
template <class V, class F>
void each_place(const SlicedColumns& c, const ValueStore<V>& values, const F& f) {
  const std::int64_t at_once = grain_for(c.rows, c.steps * c.shape.step_slots(), 1024);
  dispatch_int<1, 2, 4>(c.shape.rows, [&](auto U) {
    values.visit_all([&]<class S>(const CodedValues<V, S>&) {
      parallel_ranges(c.rows, at_once, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t s = i / c.shape.slice_rows();
          const int p = static_cast<int>(i % c.shape.slice_rows());
          f(c.stored_row(i), [&](std::int64_t k) {
            return (c.slices[s].first + k / c.shape.lanes) * c.shape.step_slots() +
                   place_in_pieces<S, U>(c.shape.lane_of(p, k), c.shape.row_of_lane(p));
          });
        }
      });
    });
  });
}

}  // namespace

template <class V>
Footprint Rows<V>::footprint(const PatternView& A, const RowsSettings& settings, int value_bytes) {
  const SlicedColumns planned = planned_columns(A, settings);
  const std::int64_t stored = planned.steps * planned.shape.step_slots();
  return {.bytes = column_bytes(planned) + value_store_bytes(settings.codec, stored, value_bytes), .stored = stored};
}

template <class V>
Rows<V> Rows<V>::build(const CsrView<V>& A, const RowsSettings& settings) {
  Rows to{A.rows,
          A.cols,
          settings.threads,
          settings.keep == Keep::matrix,
          settings.in_bytes(),
          planned_columns(A, settings),
          {}};
  store_columns(A, to.columns);
  const std::int64_t stored = to.columns.steps * to.columns.shape.step_slots();
  to.values = make_value_store(A.val, settings.codec, stored);
  parallel_ranges(stored, 1 << 16, [&](std::int64_t begin, std::int64_t end) { to.values.clear(begin, end); });
  each_place(to.columns, to.values, [&](std::int64_t row, auto place) {
    for (Offset k = 0; k < A.length(row); ++k) to.values.set(place(k), A.val[A.ptr[row] + k]);
  });
  return to;
}

template <class V>
Csr<V> Rows<V>::restore() const {
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), {}, {}};
  const auto column = [&](std::int64_t i, std::int64_t k) {
    const std::int64_t s = i / columns.shape.slice_rows();
    const int p = static_cast<int>(i % columns.shape.slice_rows());
    const std::int64_t step = k / columns.shape.lanes;
    if (step >= columns.slices[s].width) return Index{-1};
    return columns.column(s, step, columns.shape.lane_of(p, k), columns.shape.row_of_lane(p));
  };
  A.ptr[0] = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    Offset length = 0;
    while (column(i, length) >= 0) ++length;
    A.ptr[columns.stored_row(i) + 1] = length;
  }
  for (std::int64_t row = 0; row < rows; ++row) A.ptr[row + 1] += A.ptr[row];
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<V>(A.ptr[rows]);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = columns.stored_row(i);
    for (Offset k = 0; k < A.ptr[row + 1] - A.ptr[row]; ++k) A.col[A.ptr[row] + k] = column(i, k);
  }
  each_place(columns, values, [&](std::int64_t row, auto place) {
    for (Offset k = 0; k < A.ptr[row + 1] - A.ptr[row]; ++k) A.val[A.ptr[row] + k] = values.get(place(k));
  });
  return A;
}

template struct Rows<float>;
template struct Rows<double>;

}  // namespace heddle::weave
