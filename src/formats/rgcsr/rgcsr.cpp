#include "formats/rgcsr/rgcsr.hpp"

#include <algorithm>

#include "formats/registered.hpp"
#include "layout/sliced_build.hpp"
#include "reorder/rows_by_length.hpp"

namespace heddle {

namespace {

Sliced shape_of(const PatternView& A, const RgcsrSettings& settings) {
  return {.rows = A.rows, .slice = settings.group, .cut = true};
}

// Equal lengths as they were.
Buffer<Index> longest_last(const PatternView& A) {
  Buffer<Index> row_of = rows_by_length(A).new_to_old;
  std::reverse(row_of.begin(), row_of.end());
  for (Index* run = row_of.begin(); run != row_of.end();) {
    Index* end = std::find_if(run, row_of.end(), [&](Index row) { return A.length(row) != A.length(*run); });
    std::reverse(run, end);
    run = end;
  }
  return row_of;
}

Buffer<Index> order_of(const PatternView& A, const RgcsrSettings& settings) {
  switch (settings.order) {
    case RgcsrSettings::ascending: return longest_last(A);
    case RgcsrSettings::descending: return rows_by_length(A).new_to_old;
    case RgcsrSettings::amd: return (A.rows == A.cols ? amd_order(A) : Permutation::identity(A.rows)).new_to_old;
    default: return {};
  }
}

SlicedArrays kept(const RgcsrSettings& settings) {
  return {.start = true, .length = true, .row_of = settings.order != RgcsrSettings::none};
}

}  // namespace

std::vector<Field> RgcsrSettings::fields() {
  using Words = decltype(Field::words);
  const Words orders =
      amd_available() ? Words{"none", "ascending", "descending", "amd"} : Words{"none", "ascending", "descending"};
  return {{.name = "group", .value = &group, .meaning = "rows of a group", .numbers = {4, 8, 16, 32, 64, 128, 256}},
          {.name = "order",
           .value = &order,
           .meaning =
               "order in which rows are stored: as they come; shortest first (the longest in the last group, which may "
               "be short: paper 3's \"descending\"); longest first; or (square matrices) minimum degree",
           .words = orders}};
}

template <class V>
FormatInfo RgcsrFormat<V>::about() {
  return {.name = "rgcsr",
          .summary = "row-grouped CSR: groups of rows stored by columns, row lengths, a block per group",
          .origin = "paper 3",
          .drawing =
              "  rows a..f, group = 4\n"
              "  group 0  a0 b0 c0 d0 | a1 b1 c1 .. | a2 .. .. ..     length  3 2 2 1 2 1\n"
              "  group 1  e0 f0 | e1 ..                               start   0 12 16\n"
              "  entry k of row r is at  start[j] + k * height(j) + r % group,  j = r / group\n"
              "  height(j) = group, in the last group rows % group; with an order stored row i is row row_of[i]\n",
          .settings = {}};
}

template <class V>
Footprint RgcsrFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  return sliced_footprint(shape_of(A, settings), stored_lengths(A.rows, order_of(A, settings), RowPieces{A.ptr}),
                          kept(settings), static_cast<int>(sizeof(Index)) + value_bytes);
}

template <class V>
RgcsrFormat<V> RgcsrFormat<V>::build(Source<V> source, const Settings& settings) {
  const CsrView<V>& A = source.view;
  return {A.cols, settings.group,
          build_sliced(A, shape_of(A, settings), order_of(A, settings), kept(settings), RowPieces{A.ptr})};
}

template <class V>
Csr<V> RgcsrFormat<V>::restore() const {
  return restore_sliced(part.view(), cols);
}

template struct RgcsrFormat<float>;
template struct RgcsrFormat<double>;

const Format& rgcsr_format() { return registered<RgcsrFormat>(); }

}  // namespace heddle
