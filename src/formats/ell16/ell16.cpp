#include "formats/ell16/ell16.hpp"

#include <algorithm>

#include <heddle/reorder.hpp>

#include "formats/ell16/ell16_rules.hpp"
#include "formats/registered.hpp"
#include "layout/ell_and_rest_build.hpp"

namespace heddle {

namespace {

constexpr SlicedArrays kept{.start = false, .length = true};

// The run of entries that 16 bits can name, and of it at most `limit`.
struct NearDiagonal {
  const PatternView& A;
  Offset limit;

  RowPiece operator()(std::int64_t row) const {
    const Index* const begin = A.col.data() + A.ptr[row];
    const Index* const end = A.col.data() + A.ptr[row + 1];
    if (begin == end) return {A.ptr[row], 0};
    const bool whole = Column16::holds(row, *begin) && Column16::holds(row, end[-1]);
    const auto holds = [&](Index col) { return Column16::holds(row, col); };
    const auto too_far_left = [&](Index col) { return col < row && !holds(col); };
    const Index* const first = whole ? begin : std::partition_point(begin, end, too_far_left);
    const Index* const last = whole ? end : std::partition_point(first, end, holds);
    return {A.ptr[row] + (first - begin), static_cast<Index>(std::min<Offset>(last - first, limit))};
  }
};

// How many entries each row of P A P^T has in its run, without making that matrix.
struct NearDiagonalReordered {
  const PatternView& A;
  Offset limit;
  Permutation order, new_place;

  NearDiagonalReordered(const PatternView& pattern, Offset most)
      : A(pattern), limit(most), order(rcm_order(pattern)), new_place(order.inverse()) {}

  RowPiece operator()(std::int64_t row) const {
    const Index old = order.new_to_old[row];
    Offset near = 0;
    for (Offset k = A.ptr[old]; k < A.ptr[old + 1]; ++k) near += Column16::holds(row, new_place.new_to_old[A.col[k]]);
    return {0, static_cast<Index>(std::min(near, limit))};
  }
};

constexpr std::int64_t reordering_bytes(std::int64_t rows, int value_bytes) {
  return rows * (static_cast<std::int64_t>(sizeof(Index)) + value_bytes);
}

Footprint reordered_footprint(const PatternView& A, const Ell16Settings& settings, int value_bytes) {
  if (A.rows != A.cols) return {.fits = false, .reason = "reorder=rcm needs a square matrix"};
  const NearDiagonalReordered run(A, settings.K);
  const Buffer<Index> length = stored_lengths(A.rows, {}, run);
  Buffer<Offset> rest(A.rows + 1);
  rest[0] = 0;
  for (std::int64_t row = 0; row < A.rows; ++row)
    rest[row + 1] = rest[row] + A.length(run.order.new_to_old[row]) - length[row];
  Footprint need = ell_and_rest_footprint<Column16>(A.rows, length, rest, kept, value_bytes);
  if (need.fits) need.bytes += reordering_bytes(A.rows, value_bytes);
  return need;
}

}  // namespace

template <class V>
FormatInfo Ell16Format<V>::about() {
  return {
      .name = "ell16",
      .summary = "ELLPACK-R with 16-bit columns relative to the row, coordinates for the rest",
      .origin = "paper 5: RCM and 16-bit column indices",
      .drawing =
          "  A = [ a b c ]    length  3 1 1      entry k of row r is at  k * ld + r,  ld = rows rounded up to 32\n"
          "      [ . . d ]    col  0  1 -1 | 1  .  . | 2  .  .      its column is  r + col[k * ld + r]\n"
          "      [ . e . ]    val  a  d  e | b  .  . | c  .  .      rest: row, col, val of what 16 bits cannot name\n",
      .settings = {}};
}

// K comes from whole rows, not from their runs: then it does not depend on the order.
template <class V>
void Ell16Format<V>::settle(Settings& settings, const PatternView& A) {
  if (settings.K != automatic) return;
  const Buffer<Index> length = stored_lengths(A.rows, {}, RowPieces{A.ptr});
  const std::int64_t longest = A.rows == 0 ? 0 : *std::max_element(length.begin(), length.end());
  const bool padded = ell16_pads(A.rows, longest, A.nnz());
  settings.K = static_cast<int>(padded ? longest : ell_width(length, two_thirds));
}

template <class V>
Footprint Ell16Format<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  return settings.reorder == Settings::none
             ? ell_and_rest_footprint<Column16>(A, kept, value_bytes, NearDiagonal{A, settings.K})
             : reordered_footprint(A, settings, value_bytes);
}

// As if every entry were stored twice, in the run of its row and in the rest: reordering for the exact number would
// take as long as all of building.
template <class V>
Footprint Ell16Format<V>::at_most(const PatternView& A, const Settings& settings, int value_bytes) {
  if (settings.reorder == Settings::none || A.rows != A.cols) return footprint(A, settings, value_bytes);
  const Buffer<Index> length = stored_lengths(A.rows, {}, RowPieces{A.ptr, settings.K});
  Footprint need = ell_and_rest_footprint<Column16>(A.rows, length, A.ptr, kept, value_bytes);
  if (!judged(need, A.nnz()).fits) return footprint(A, settings, value_bytes);
  need.bytes += reordering_bytes(A.rows, value_bytes);
  return need;
}

template <class V>
Ell16Format<V> Ell16Format<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V>& A = source.view;
  if (settings.reorder == Settings::none)
    return {A.cols, build_ell_and_rest<Column16>(A, kept, NearDiagonal{A, settings.K}), {}, {}};
  Permutation order = rcm_order(A);
  const Csr<V> B = permute(A, order, order);
  const CsrView<V> permuted = B.view();
  return {A.cols, build_ell_and_rest<Column16>(permuted, kept, NearDiagonal{permuted, settings.K}),
          std::move(order.new_to_old), Buffer<V>(A.rows)};
}

template <class V>
Csr<V> Ell16Format<V>::restore() const {
  Csr<V> stored = restore_ell_and_rest(parts, cols);
  if (row_of.empty()) return stored;
  const Permutation back = Permutation{row_of}.inverse();
  return permute(stored.view(), back, back);
}

template struct Ell16Format<float>;
template struct Ell16Format<double>;

const Format& ell16_format() { return registered<Ell16Format>(); }

}  // namespace heddle
