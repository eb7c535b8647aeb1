#include "formats/weave/long_rows/long_rows.hpp"

#include <algorithm>
#include <atomic>

#include "core/parallel.hpp"

namespace heddle::weave {

namespace {

constexpr int W = LongShape::per_thread;

std::span<const Index> columns_of(const PatternView& A, std::int64_t row) {
  return A.col.subspan(static_cast<std::size_t>(A.ptr[row]), static_cast<std::size_t>(A.length(row)));
}

// f(k, thread of the row, its place) for the entries of a row.
template <class F>
void each_place(const PatternView& A, const LongShape& shape, std::int64_t row, F f) {
  if (shape.columns == WeaveColumns::quads) {
    each_quad(columns_of(A, row), [&](std::int64_t thread, std::int64_t first, int count) {
      for (int j = 0; j < count; ++j) f(first + j, thread, j);
    });
  } else {
    for (std::int64_t k = 0; k < A.length(row); ++k) f(k, LongShape::thread_of(k), LongShape::place_of(k));
  }
}

Buffer<Offset> row_steps(const PatternView& A, const LongShape& shape) {
  Buffer<Offset> begin(A.rows + 1);
  begin[0] = 0;
  parallel_ranges(A.rows, 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
      begin[row + 1] = shape.columns == WeaveColumns::quads
                           ? shape.steps_of_quads(each_quad(columns_of(A, row), [](auto...) {}))
                           : shape.steps(A.length(row));
  });
  for (std::int64_t row = 0; row < A.rows; ++row) begin[row + 1] += begin[row];
  return begin;
}

std::int64_t column_bytes(const LongShape& shape, std::int64_t stored) {
  switch (shape.columns) {
    case WeaveColumns::quads: return stored / W * static_cast<std::int64_t>(sizeof(std::uint32_t));
    case WeaveColumns::runs: return shape.rows * static_cast<std::int64_t>(sizeof(RowRun));
    default: return stored * (shape.wide ? 4 : 2);
  }
}

template <class V>
void make_columns(const PatternView& A, std::int64_t stored, Long<V>& to) {
  if (to.shape.columns == WeaveColumns::quads) {
    to.quads = Buffer<std::uint32_t>(stored / W);
  } else if (to.shape.columns == WeaveColumns::runs) {
    to.runs = Buffer<RowRun>(A.rows);
    for (std::int64_t row = 0; row < A.rows; ++row) to.runs[row] = RowRun::of(A, row);
  } else if (to.shape.wide) {
    to.wide = Buffer<Index>(stored);
  } else {
    to.narrow = Buffer<std::uint16_t>(stored);
  }
}

// No entries for the threads from `first` to before `last`.
template <class V>
void clear_columns(std::int64_t first, std::int64_t last, Long<V>& to) {
  if (to.shape.columns == WeaveColumns::quads) std::fill(to.quads.begin() + first, to.quads.begin() + last, 0u);
  if (to.shape.columns != WeaveColumns::each) return;
  if (to.shape.wide)
    std::fill(to.wide.begin() + first * W, to.wide.begin() + last * W, no_long_column<Index>);
  else
    std::fill(to.narrow.begin() + first * W, to.narrow.begin() + last * W, no_long_column<std::uint16_t>);
}

// Place j of a thread, after the places before it.
template <class V>
void store_column(Index column, std::int64_t thread, int j, Long<V>& to) {
  if (to.shape.columns == WeaveColumns::quads) to.quads[thread] = Quad::of(column - j, j + 1);
  if (to.shape.columns != WeaveColumns::each) return;
  if (to.shape.wide)
    to.wide[LongShape::place<Index>(thread, j)] = column;
  else
    to.narrow[LongShape::place<std::uint16_t>(thread, j)] = static_cast<std::uint16_t>(column);
}

template <class V>
Index column_at(const Long<V>& A, std::int64_t row, std::int64_t thread, int j) {
  const std::int64_t of_row = thread - A.begin[row] * A.shape.lanes;
  const std::int64_t entry = LongShape::first_entry(of_row) + j * simt::warp_size;
  if (A.shape.columns == WeaveColumns::quads)
    return j < Quad::entries(A.quads[thread]) ? Quad::column(A.quads[thread]) + j : -1;
  if (A.shape.columns == WeaveColumns::runs)
    return entry < A.runs[row].entries ? A.runs[row].column + static_cast<Index>(entry) : -1;
  if (A.shape.wide) return A.wide[LongShape::place<Index>(thread, j)];
  const std::uint16_t code = A.narrow[LongShape::place<std::uint16_t>(thread, j)];
  return code == no_long_column<std::uint16_t> ? -1 : code;
}

// f(row, column, thread, place of the thread) for all entries, those of a row in order.
template <class V, class F>
void each_entry(const Long<V>& A, F f) {
  parallel_ranges(A.shape.rows, 16, [&](std::int64_t first, std::int64_t last) {
    const bool quads = A.shape.columns == WeaveColumns::quads;
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t begin = A.begin[row] * A.shape.lanes,
                         places = (A.begin[row + 1] - A.begin[row]) * A.shape.step_entries();
      for (std::int64_t k = 0; k < places; ++k) {
        const std::int64_t thread = begin + (quads ? k / W : LongShape::thread_of(k));
        const int j = quads ? static_cast<int>(k % W) : LongShape::place_of(k);
        if (const Index column = column_at(A, row, thread, j); column >= 0) f(row, column, thread, j);
      }
    }
  });
}

}  // namespace

std::int64_t quad_steps(const PatternView& A, const LongShape& shape) {
  return row_steps(A, {.rows = shape.rows, .lanes = shape.lanes, .columns = WeaveColumns::quads})[A.rows];
}

bool rows_are_runs(const PatternView& A) {
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (!RowRun::is_one(A, row)) return false;
  return true;
}

template <class V>
Footprint Long<V>::footprint(const PatternView& A, const LongSettings& settings, int value_bytes) {
  const LongShape shape = LongShape::of(A, settings);
  if (shape.columns == WeaveColumns::runs && !rows_are_runs(A))
    return {.fits = false, .reason = "columns=runs: the columns of a row have a gap"};
  if (shape.columns == WeaveColumns::quads && A.cols > Quad::most_columns)
    return {.fits = false, .reason = "columns=quads is for at most 2^29 columns"};
  const Buffer<Offset> begin = row_steps(A, shape);
  const std::int64_t stored = begin[A.rows] * shape.step_entries();
  return {.bytes = static_cast<std::int64_t>(begin.bytes()) + column_bytes(shape, stored) +
                   value_store_bytes(settings.codec, stored, value_bytes),
          .stored = stored};
}

template <class V>
Long<V> Long<V>::build(const CsrView<V>& A, const LongSettings& settings) {
  Long to{.cols = A.cols, .shape = LongShape::of(A, settings)};
  to.begin = row_steps(A, to.shape);
  const std::int64_t stored = to.begin[A.rows] * to.shape.step_entries();
  make_columns(A, stored, to);
  to.values = make_value_store(A.val, settings.codec, stored);
  to.values.visit_all([&]<class S>(const CodedValues<V, S>&) {
    parallel_ranges(A.rows, 16, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t begin = to.begin[row] * to.shape.lanes, end = to.begin[row + 1] * to.shape.lanes;
        to.values.clear(begin * W, end * W);
        clear_columns(begin, end, to);
        each_place(A, to.shape, row, [&](std::int64_t k, std::int64_t thread, int j) {
          store_column(A.col[A.ptr[row] + k], begin + thread, j, to);
          to.values.set(LongShape::place<S>(begin + thread, j), A.val[A.ptr[row] + k]);
        });
      }
    });
  });
  return to;
}

template <class V>
Csr<V> Long<V>::restore() const {
  Csr<V> A{shape.rows, cols, Buffer<Offset>(shape.rows + 1), {}, {}};
  std::fill(A.ptr.begin(), A.ptr.end(), Offset{0});
  each_entry(*this, [&](std::int64_t row, Index, std::int64_t, int) { ++A.ptr[row + 1]; });
  for (std::int64_t row = 0; row < shape.rows; ++row) A.ptr[row + 1] += A.ptr[row];
  A.col = Buffer<Index>(A.ptr[shape.rows]);
  A.val = Buffer<V>(A.ptr[shape.rows]);
  Buffer<Offset> next = A.ptr;
  values.visit_all([&]<class S>(const CodedValues<V, S>&) {
    each_entry(*this, [&](std::int64_t row, Index column, std::int64_t thread, int j) {
      A.col[next[row]] = column;
      A.val[next[row]++] = values.get(LongShape::place<S>(thread, j));
    });
  });
  return A;
}

template struct Long<float>;
template struct Long<double>;

}  // namespace heddle::weave
