#include "formats/weave/weave_long.hpp"

#include <algorithm>

#include "core/parallel.hpp"

namespace heddle::weave {

namespace {

Buffer<Offset> row_steps(const PatternView& A, const LongShape& shape) {
  Buffer<Offset> begin(A.rows + 1);
  begin[0] = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) begin[row + 1] = begin[row] + shape.steps(A.length(row));
  return begin;
}

// Where entry k of a row is that starts at step `begin`, in an array of T.
template <class T>
std::int64_t position(const LongShape& shape, Offset begin, std::int64_t k) {
  const auto thread = static_cast<int>(k / LongShape::per_thread % shape.lanes);
  const std::int64_t warp = (begin + k / shape.step_entries()) * shape.warps() + thread / simt::warp_size;
  return warp * LongShape::warp_entries + place_in_pieces<T, LongShape::per_thread>(
                                              thread % simt::warp_size, static_cast<int>(k % LongShape::per_thread));
}

// f(row, entry of the row, place of its column, place of its value) over all places of the rows, in order.
template <class V, class F>
void each_place(const Long<V>& A, F f) {
  A.values.visit_all([&]<class S>(const CodedValues<V, S>&) {
    parallel_ranges(A.shape.rows, 16, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t places = (A.begin[row + 1] - A.begin[row]) * A.shape.step_entries();
        for (std::int64_t k = 0; k < places; ++k)
          f(row, k,
            A.shape.wide ? position<Index>(A.shape, A.begin[row], k)
                         : position<std::uint16_t>(A.shape, A.begin[row], k),
            position<S>(A.shape, A.begin[row], k));
      }
    });
  });
}

template <class V>
Index column_at(const Long<V>& A, std::int64_t place) {
  if (A.shape.wide) return A.wide[place];
  return A.narrow[place] == no_long_column<std::uint16_t> ? -1 : A.narrow[place];
}

}  // namespace

template <class V>
Footprint Long<V>::footprint(const PatternView& A, const WeaveSettings& settings, int value_bytes) {
  const LongShape shape = LongShape::of(A, settings);
  const Buffer<Offset> begin = row_steps(A, shape);
  const std::int64_t stored = begin[A.rows] * shape.step_entries();
  return {.bytes = static_cast<std::int64_t>(begin.bytes()) + stored * (shape.wide ? 4 : 2) +
                   value_store_bytes(settings.codec(), stored, value_bytes),
          .stored = stored};
}

template <class V>
Long<V> Long<V>::build(const CsrView<V>& A, const WeaveSettings& settings) {
  Long to{.cols = A.cols, .shape = LongShape::of(A, settings)};
  to.begin = row_steps(A, to.shape);
  const std::int64_t stored = to.begin[A.rows] * to.shape.step_entries();
  if (to.shape.wide)
    to.wide = Buffer<Index>(stored);
  else
    to.narrow = Buffer<std::uint16_t>(stored);
  to.values = make_value_store(A.val, settings.codec(), stored);
  each_place(to, [&](std::int64_t row, std::int64_t k, std::int64_t column, std::int64_t value) {
    const bool present = k < A.length(row);
    const Index col = present ? A.col[A.ptr[row] + k] : -1;
    if (to.shape.wide)
      to.wide[column] = col;
    else
      to.narrow[column] = static_cast<std::uint16_t>(col);
    if (present)
      to.values.set(value, A.val[A.ptr[row] + k]);
    else
      to.values.clear(value, value + 1);
  });
  return to;
}

template <class V>
Csr<V> Long<V>::restore() const {
  Csr<V> A{shape.rows, cols, Buffer<Offset>(shape.rows + 1), {}, {}};
  std::fill(A.ptr.begin(), A.ptr.end(), Offset{0});
  each_place(*this, [&](std::int64_t row, std::int64_t, std::int64_t column, std::int64_t) {
    A.ptr[row + 1] += column_at(*this, column) >= 0;
  });
  for (std::int64_t row = 0; row < shape.rows; ++row) A.ptr[row + 1] += A.ptr[row];
  A.col = Buffer<Index>(A.ptr[shape.rows]);
  A.val = Buffer<V>(A.ptr[shape.rows]);
  each_place(*this, [&](std::int64_t row, std::int64_t k, std::int64_t column, std::int64_t value) {
    if (column_at(*this, column) < 0) return;
    A.col[A.ptr[row] + k] = column_at(*this, column);
    A.val[A.ptr[row] + k] = values.get(value);
  });
  return A;
}

template struct Long<float>;
template struct Long<double>;

}  // namespace heddle::weave
