#include "formats/weave/padded/padded.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/dispatch.hpp"
#include "core/parallel.hpp"

namespace heddle::weave {

namespace {

PaddedColumns columns_of(const PatternView& A) {
  if (A.cols <= PaddedShape::most_narrow) return PaddedColumns::narrow;
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (reach_of_row(A, row) > PaddedShape::reach) return PaddedColumns::wide;
  return PaddedColumns::relative;
}

PaddedShape shape_of(const PatternView& A, const PaddedSettings& settings) {
  Offset longest = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) longest = std::max(longest, A.length(row));
  return PaddedShape::of(A.rows, longest, columns_of(A), settings);
}

// Where entry k of row i is, in an array of T.
template <class T, int W>
std::int64_t position(const PaddedShape& shape, std::int64_t i, std::int64_t k) {
  const auto lane = static_cast<int>(i % shape.teams() * shape.lanes + k % shape.lanes);
  return shape.step_begin(k / shape.lanes / W, i / shape.teams()) +
         place_in_pieces<T, W>(lane, static_cast<int>(k / shape.lanes % W));
}

}  // namespace

template <class V>
Footprint Padded<V>::footprint(const PatternView& A, const PaddedSettings& settings, int value_bytes) {
  const PaddedShape shape = shape_of(A, settings);
  const std::int64_t stored = shape.stored();
  return {.bytes = shape.code_bytes() * stored + value_store_bytes(settings.codec, stored, value_bytes),
          .stored = stored};
}

template <class V>
Padded<V> Padded<V>::build(const CsrView<V>& A, const PaddedSettings& settings) {
  Padded to{A.cols, shape_of(A, settings), {}, {}, {}};
  const std::int64_t stored = to.shape.stored();
  to.values = make_value_store(A.val, settings.codec, stored);
  to.values.clear(0, stored);
  if (to.shape.columns == PaddedColumns::wide)
    to.wide = Buffer<Index>(stored);
  else
    to.col = Buffer<std::uint16_t>(stored);
  with_codes(to, [&]<class C>(C* codes) {
    std::fill_n(codes, stored, no_padded_column<C>);
    dispatch_int<1, 4>(to.shape.per_lane, [&](auto W) {
      to.values.visit_all([&]<class S>(const CodedValues<V, S>&) {
        parallel_ranges(A.rows, 512, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            for (Offset k = 0; k < A.length(i); ++k) {
              codes[position<C, W>(to.shape, i, k)] = static_cast<C>(A.col[A.ptr[i] + k] - to.shape.base(i));
              to.values.set(position<S, W>(to.shape, i, k), A.val[A.ptr[i] + k]);
            }
        });
      });
    });
  });
  return to;
}

namespace {

// f(row, entry of the row, column) for every entry.
template <int W, class C, class F>
void each_entry(const PaddedShape& shape, const C* codes, F f) {
  const std::int64_t width = std::int64_t{shape.steps} * shape.lanes * shape.per_lane;
  for (std::int64_t i = 0; i < shape.rows; ++i)
    for (std::int64_t k = 0; k < width; ++k) {
      const C code = codes[position<C, W>(shape, i, k)];
      if (code == no_padded_column<C>) break;
      f(i, k, static_cast<Index>(code + shape.base(i)));
    }
}

}  // namespace

template <class V>
Csr<V> Padded<V>::restore() const {
  Csr<V> A{shape.rows, cols, Buffer<Offset>(shape.rows + 1), {}, {}};
  std::fill(A.ptr.begin(), A.ptr.end(), Offset{0});
  dispatch_int<1, 4>(shape.per_lane, [&](auto W) {
    with_codes(*this, [&](const auto* codes) {
      each_entry<W>(shape, codes, [&](std::int64_t row, std::int64_t, Index) { ++A.ptr[row + 1]; });
      for (std::int64_t row = 0; row < shape.rows; ++row) A.ptr[row + 1] += A.ptr[row];
      A.col = Buffer<Index>(A.ptr[shape.rows]);
      A.val = Buffer<V>(A.ptr[shape.rows]);
      values.visit_all([&]<class S>(const CodedValues<V, S>&) {
        each_entry<W>(shape, codes, [&](std::int64_t row, std::int64_t k, Index column) {
          A.col[A.ptr[row] + k] = column;
          A.val[A.ptr[row] + k] = values.get(position<S, W>(shape, row, k));
        });
      });
    });
  });
  return A;
}

template struct Padded<float>;
template struct Padded<double>;

}  // namespace heddle::weave
