// From CSR to a regular part and the rest, and back. Host code only. A run is given by piece(row), see RowPiece in
// layout/sliced_build.hpp.
#pragma once

#include "layout/ell_and_rest.hpp"
#include "layout/sliced_build.hpp"

namespace heddle {

// Where the rest of each row starts among the rests of all, and their number at the end.
template <class P>
Buffer<Offset> rest_starts(const PatternView& A, const P& piece) {
  Buffer<Offset> ptr(A.rows + 1);
  ptr[0] = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) ptr[row + 1] = ptr[row] + A.length(row) - piece(row).length;
  return ptr;
}

// Runs of these lengths, rests of these starts.
template <class Codec>
Footprint ell_and_rest_footprint(std::int64_t rows, std::span<const Index> length, std::span<const Offset> rest,
                                 SlicedArrays kept, int value_bytes) {
  constexpr int index_bytes = sizeof(typename Codec::Stored);
  Footprint need = sliced_footprint(one_slice(rows), length, kept, index_bytes + value_bytes);
  if (!need.fits) return need;
  need.stored += rest[rows];
  if (__builtin_add_overflow(need.bytes, coordinate_bytes(rest, value_bytes), &need.bytes))
    return {.bytes = INT64_MAX, .stored = need.stored, .fits = false, .reason = "its bytes exceed 63 bits"};
  return need;
}
template <class Codec, class P>
Footprint ell_and_rest_footprint(const PatternView& A, SlicedArrays kept, int value_bytes, const P& piece) {
  return ell_and_rest_footprint<Codec>(A.rows, stored_lengths(A.rows, {}, piece), rest_starts(A, piece), kept,
                                       value_bytes);
}

template <class Codec, class V, class P>
EllAndRest<V, Codec> build_ell_and_rest(const CsrView<V>& A, SlicedArrays kept, const P& piece) {
  const Buffer<Offset> rest = rest_starts(A, piece);
  EllAndRest<V, Codec> made{build_sliced<V, Codec>(A, one_slice(A.rows), {}, kept, piece), coordinates_of<V>(rest)};
  made.rest.col = Buffer<Index>(rest[A.rows]);
  made.rest.val = Buffer<V>(rest[A.rows]);
  parallel_ranges(A.rows, 1 << 12, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const RowPiece run = piece(row);
      const Offset before = run.first - A.ptr[row], after = run.first + run.length, to = rest[row];
      std::copy_n(A.col.data() + A.ptr[row], before, made.rest.col.data() + to);
      std::copy_n(A.val.data() + A.ptr[row], before, made.rest.val.data() + to);
      std::copy(A.col.data() + after, A.col.data() + A.ptr[row + 1], made.rest.col.data() + to + before);
      std::copy(A.val.data() + after, A.val.data() + A.ptr[row + 1], made.rest.val.data() + to + before);
    }
  });
  return made;
}

// Two ascending lists become one: col[0 .. length-1] holds the first, with room behind it for the other.
template <class V>
void merge_behind(Index* col, V* val, Offset length, const Index* more_col, const V* more_val, Offset more) {
  for (Offset at = length + more - 1; more > 0; --at) {
    const bool from_first = length > 0 && col[length - 1] > more_col[more - 1];
    const Offset source = from_first ? --length : --more;
    col[at] = from_first ? col[source] : more_col[source];
    val[at] = from_first ? val[source] : more_val[source];
  }
}

template <class V, class Codec>
Csr<V> restore_ell_and_rest(const EllAndRest<V, Codec>& parts, std::int64_t cols) {
  const SlicedView<V, Codec> ell = parts.ell.view();
  const std::int64_t rows = ell.shape.rows;
  const Buffer<Offset> rest = row_starts(parts.rest, rows);
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), {}, {}};
  A.ptr[0] = 0;
  stored_row_lengths(ell, A.ptr.data() + 1);
  for (std::int64_t row = 0; row < rows; ++row) A.ptr[row + 1] += A.ptr[row] + rest[row + 1] - rest[row];
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<V>(A.ptr[rows]);
  gather_rows(ell, A.ptr.data(), A.col.data(), A.val.data());
  parallel_ranges(rows, 1 << 12, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const Offset first = A.ptr[row], more = rest[row + 1] - rest[row], length = A.ptr[row + 1] - first - more;
      merge_behind(A.col.data() + first, A.val.data() + first, length, parts.rest.col.data() + rest[row],
                   parts.rest.val.data() + rest[row], more);
    }
  });
  return A;
}

}  // namespace heddle
