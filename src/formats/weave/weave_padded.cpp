#include "formats/weave/weave_padded.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/dispatch.hpp"
#include "core/parallel.hpp"

namespace heddle::weave {

namespace {

PaddedShape shape_of(const PatternView& A, const WeaveSettings& settings) {
  Offset longest = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) longest = std::max(longest, A.length(row));
  return PaddedShape::of(A.rows, longest, settings);
}

// Where entry k of row i is, in an array of T.
template <class T, int W>
std::int64_t position(const PaddedShape& shape, std::int64_t i, std::int64_t k) {
  const auto lane = static_cast<int>(i % shape.teams() * shape.lanes + k / W % shape.lanes);
  return shape.step_begin(k / W / shape.lanes, i / shape.teams()) +
         place_in_pieces<T, W>(lane, static_cast<int>(k % W));
}

}  // namespace

template <class V>
Footprint Padded<V>::footprint(const PatternView& A, const WeaveSettings& settings, int value_bytes) {
  if (A.cols > PaddedShape::none)
    return {.fits = false, .reason = fmt::format("{} columns do not fit 16 bits", A.cols)};
  const std::int64_t stored = shape_of(A, settings).stored();
  return {.bytes = 2 * stored + value_store_bytes(settings.codec(), stored, value_bytes), .stored = stored};
}

template <class V>
Padded<V> Padded<V>::build(const CsrView<V>& A, const WeaveSettings& settings) {
  Padded to{A.cols, shape_of(A, settings), {}, {}};
  to.col = Buffer<std::uint16_t>(to.shape.stored());
  to.values = make_value_store(A.val, settings.codec(), to.shape.stored());
  std::fill(to.col.begin(), to.col.end(), PaddedShape::none);
  to.values.clear(0, to.shape.stored());
  dispatch_int<1, 4>(to.shape.per_lane, [&](auto W) {
    to.values.visit_all([&]<class S>(const CodedValues<V, S>&) {
      parallel_ranges(A.rows, 512, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          for (Offset k = 0; k < A.length(i); ++k) {
            to.col[position<std::uint16_t, W>(to.shape, i, k)] = static_cast<std::uint16_t>(A.col[A.ptr[i] + k]);
            to.values.set(position<S, W>(to.shape, i, k), A.val[A.ptr[i] + k]);
          }
      });
    });
  });
  return to;
}

template <class V>
Csr<V> Padded<V>::restore() const {
  const std::int64_t nnz = col.size() - std::count(col.begin(), col.end(), PaddedShape::none);
  Csr<V> A{shape.rows, cols, Buffer<Offset>(shape.rows + 1), Buffer<Index>(nnz), Buffer<V>(nnz)};
  A.ptr[0] = 0;
  const std::int64_t width = std::int64_t{shape.steps} * shape.lanes * shape.per_lane;
  dispatch_int<1, 4>(shape.per_lane, [&](auto W) {
    values.visit_all([&]<class S>(const CodedValues<V, S>&) {
      Offset at = 0;
      for (std::int64_t i = 0; i < shape.rows; ++i) {
        for (std::int64_t k = 0; k < width; ++k) {
          const std::uint16_t column = col[position<std::uint16_t, W>(shape, i, k)];
          if (column == PaddedShape::none) break;
          A.col[at] = column;
          A.val[at++] = values.get(position<S, W>(shape, i, k));
        }
        A.ptr[i + 1] = at;
      }
    });
  });
  return A;
}

template struct Padded<float>;
template struct Padded<double>;

}  // namespace heddle::weave
