#include "formats/dia/dia.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/system.hpp"
#include "formats/registered.hpp"

namespace heddle {

namespace {

constexpr std::int64_t word_rows = DiaView<double>::word_rows;
constexpr std::int64_t rows_at_once = 128 * word_rows;  // whole words: tasks never share one

std::int64_t leading_dimension(std::int64_t rows) { return (rows + word_rows - 1) / word_rows * word_rows; }

// Calls mirrored(d) for each entry below the main diagonal whose twin above it lies on stored diagonal d, and
// elsewhere(k) for the others.
template <class F, class G>
void split_below(const PatternView& A, std::span<const Index> offset, std::int64_t row, F mirrored, G elsewhere) {
  for (Offset k = A.ptr[row]; k < A.ptr[row + 1] && A.col[k] < row; ++k) {
    const Index distance = static_cast<Index>(row - A.col[k]);
    const auto d = std::lower_bound(offset.begin(), offset.end(), distance);
    if (d != offset.end() && *d == distance && entry_at(A, A.col[k], row) >= 0)
      mirrored(d - offset.begin());
    else
      elsewhere(k);
  }
}

// Calls on_diagonal(d, k) or elsewhere(k) for each entry k of a row from `first` on: both lists ascend, so they are
// merged.
template <class F, class G>
void split_row(const PatternView& A, std::span<const Index> offset, std::int64_t row, Offset first, F on_diagonal,
               G elsewhere) {
  const auto diagonals = static_cast<std::int64_t>(offset.size());
  std::int64_t d = 0;
  for (Offset k = first; k < A.ptr[row + 1]; ++k) {
    const std::int64_t distance = A.col[k] - row;
    while (d < diagonals && offset[d] < distance) ++d;
    if (d < diagonals && offset[d] == distance)
      on_diagonal(d, k);
    else
      elsewhere(k);
  }
}

// Entries per diagonal by counting: counts[distance + rows - 1]. Several tables at once, as long as filling them with
// zeros costs less than a quarter of the counting.
Vector<Index> count_diagonals(const PatternView& A) {
  const std::int64_t table = A.rows + A.cols - 1;
  const std::int64_t pieces = std::clamp<std::int64_t>(A.nnz() / (4 * table), 1, 8);
  const std::int64_t piece_rows = (A.rows + pieces - 1) / pieces;
  Vector<Index> counts(static_cast<std::size_t>(table * pieces));
  parallel_tasks(pieces, [&](std::int64_t piece) {
    Index* count = counts.data() + piece * table + A.rows - 1;
    const std::int64_t last = std::min(A.rows, (piece + 1) * piece_rows);
    for (std::int64_t row = piece * piece_rows; row < last; ++row)
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) ++count[A.col[k] - row];
  });
  parallel_ranges(table, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t piece = 1; piece < pieces; ++piece)
      for (std::int64_t i = begin; i < end; ++i) counts[i] += counts[piece * table + i];
  });
  counts.resize(static_cast<std::size_t>(table));
  return counts;
}

// The offsets of the diagonals that are stored whole, ascending.
Vector<Index> filled_diagonals(const PatternView& A, int min_occupancy) {
  Vector<Index> offset;
  const std::int64_t needed = std::max<std::int64_t>(1, (A.rows * min_occupancy + 99) / 100);
  if (A.nnz() < needed) return offset;
  // A few entries in a matrix of a billion columns: sort their distances instead of counting in a table of that size.
  if (A.rows + A.cols > 8 * A.nnz() + (1 << 20)) {
    Vector<Index> distance;
    for (std::int64_t row = 0; row < A.rows; ++row)
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) distance.push_back(static_cast<Index>(A.col[k] - row));
    std::sort(distance.begin(), distance.end());
    for (auto first = distance.begin(); first != distance.end();) {
      const auto last = std::upper_bound(first, distance.end(), *first);
      if (last - first >= needed) offset.push_back(*first);
      first = last;
    }
    return offset;
  }
  const Vector<Index> counts = count_diagonals(A);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] >= needed) offset.push_back(static_cast<Index>(static_cast<std::int64_t>(i) - (A.rows - 1)));
  return offset;
}

Offset first_above(const PatternView& A, std::int64_t row) {
  const auto begin = A.col.begin();
  return std::lower_bound(begin + A.ptr[row], begin + A.ptr[row + 1], row) - begin;
}

// All entries of a row, with symmetric values or without; the lower ones first.
template <class F, class M, class G>
void split_whole_row(const PatternView& A, std::span<const Index> offset, bool symmetric, std::int64_t row,
                     F on_diagonal, M mirrored, G elsewhere) {
  if (symmetric) split_below(A, offset, row, mirrored, elsewhere);
  split_row(A, offset, row, symmetric ? first_above(A, row) : A.ptr[row], on_diagonal, elsewhere);
}

// The remainder's row starts: each row without its entries on stored diagonals.
Buffer<Offset> remainder_starts(const PatternView& A, const Vector<Index>& offset, bool symmetric) {
  Buffer<Offset> ptr(A.rows + 1);
  ptr[0] = 0;
  parallel_ranges(A.rows, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      Offset count = 0;
      split_whole_row(
          A, offset, symmetric, row, [](std::int64_t, Offset) {}, [](std::int64_t) {}, [&](Offset) { ++count; });
      ptr[row + 1] = count;
    }
  });
  for (std::int64_t row = 0; row < A.rows; ++row) ptr[row + 1] += ptr[row];
  return ptr;
}

DiagonalsAndRest split(const PatternView& A, const DiaSettings& settings) {
  Vector<Index> offset = filled_diagonals(A, settings.min_occupancy);
  if (settings.symmetric()) std::erase_if(offset, [](Index o) { return o < 0; });
  Buffer<Offset> ptr = remainder_starts(A, offset, settings.symmetric());
  return {std::move(offset), std::move(ptr)};
}

}  // namespace

template <class V>
FormatInfo DiaFormat<V>::about() {
  return {.name = "dia",
          .summary = "well-filled diagonals without column numbers, coordinates for the rest",
          .origin = "DIA of Bell and Garland, with a remainder",
          .drawing =
              "  a b . .     offset   0  1\n"
              "  . c d .     val      a c 0 e | b d f 0     ld = rows rounded up to 32\n"
              "  g . . f     mask     1 1 0 1 | 1 1 1 0     bit: this place is an entry\n"
              "  . . . e     remainder  g at (2, 0)\n"
              "  entry (row, row + offset[d]) is at val[d*ld + row]\n",
          .settings = {}};
}

// No product here can overflow: a stored diagonal has at least rows/100 entries, so places <= 100 * entries + 32 each.
template <class V>
Footprint DiaFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  Found parts;
  return at_most(A, settings, value_bytes, parts);
}

// Exactly so much.
template <class V>
Footprint DiaFormat<V>::at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& parts) {
  if (parts.ptr.empty()) parts = split(A, settings);
  const auto diagonals = static_cast<std::int64_t>(parts.offset.size());
  const std::int64_t places = diagonals * leading_dimension(A.rows);
  const std::int64_t masks = settings.symmetric() ? 2 : 1;
  return {.bytes = diagonals * static_cast<std::int64_t>(sizeof(Index)) + masks * places / 8 + places * value_bytes +
                   coordinate_bytes(parts.ptr, value_bytes),
          .stored = places + parts.ptr[A.rows]};
}

namespace {

// Rows [begin, end) of all diagonals, and their part of the remainder, which starts at ptr[row].
template <class V>
void fill_rows(const CsrView<V>& A, DiaFormat<V>& to, std::span<const Offset> ptr, std::int64_t begin,
               std::int64_t end) {
  const std::int64_t end_of_words = leading_dimension(end), words = to.ld / word_rows;
  for (std::int64_t d = 0; d < to.offset.size(); ++d) {
    std::fill(to.val.data() + d * to.ld + begin, to.val.data() + d * to.ld + end_of_words, V(0));
    for (auto* bits : {&to.mask, &to.mirror})
      if (!bits->empty())
        std::fill(bits->data() + d * words + begin / word_rows, bits->data() + d * words + end_of_words / word_rows,
                  0u);
  }
  for (std::int64_t row = begin; row < end; ++row) {
    Offset rest = ptr[row];
    const auto set_bit = [&](Buffer<std::uint32_t>& bits, std::int64_t d) {
      bits[d * words + row / word_rows] |= 1u << (row % word_rows);
    };
    split_whole_row(
        A, to.offset, to.symmetric, row,
        [&](std::int64_t d, Offset k) {
          to.val[d * to.ld + row] = A.val[k];
          set_bit(to.mask, d);
        },
        [&](std::int64_t d) { set_bit(to.mirror, d); },
        [&](Offset k) {
          to.remainder.col[rest] = A.col[k];
          to.remainder.val[rest] = A.val[k];
          ++rest;
        });
  }
}

}  // namespace

template <class V>
DiaFormat<V> DiaFormat<V>::build(Source<V> source, const Settings& settings, Found parts) {
  const CsrView<V>& A = source.view;
  if (settings.symmetric()) check_symmetric(A, WithoutTwin::kept);
  if (parts.ptr.empty()) parts = split(A, settings);
  const auto& [offset, ptr] = parts;
  DiaFormat made{.rows = A.rows,
                 .cols = A.cols,
                 .ld = leading_dimension(A.rows),
                 .symmetric = settings.symmetric(),
                 .mirrored = settings.symmetric()
                                 ? static_cast<Index>(std::ranges::count_if(offset, [](Index o) { return o > 0; }))
                                 : 0,
                 .offset = Buffer<Index>::copy_of(offset),
                 .remainder = coordinates_of<V>(ptr)};
  std::copy_n(offset.begin(), std::min<std::size_t>(offset.size(), KnownOffsets::most), made.known.at);
  made.mask = Buffer<std::uint32_t>(made.offset.size() * (made.ld / word_rows));
  if (made.symmetric) made.mirror = Buffer<std::uint32_t>(made.mask.size());
  made.val = Buffer<V>(made.offset.size() * made.ld);
  made.remainder.col = Buffer<Index>(ptr[A.rows]);
  made.remainder.val = Buffer<V>(ptr[A.rows]);
  parallel_ranges(A.rows, rows_at_once,
                  [&, &ptr = ptr](std::int64_t begin, std::int64_t end) { fill_rows(A, made, ptr, begin, end); });
  return made;
}

namespace {

// f(column, value) for the entries of a row on stored diagonals, by ascending column.
template <class V, class F>
void each_on_diagonals(const DiaView<V>& A, std::int64_t row, F f) {
  for (Index d = A.diagonals; d-- > A.diagonals - A.mirrored;)
    if (A.mirrors_of(d)[row / word_rows] >> (row % word_rows) & 1)
      f(static_cast<Index>(row - A.offset[d]), A.values_of(d)[row - A.offset[d]]);
  for (Index d = 0; d < A.diagonals; ++d)
    if (A.masks_of(d)[row / word_rows] >> (row % word_rows) & 1)
      f(static_cast<Index>(row + A.offset[d]), A.values_of(d)[row]);
}

}  // namespace

template <class V>
Csr<V> DiaFormat<V>::restore() const {
  const Buffer<Offset> rest = row_starts(remainder, rows);
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), {}, {}};
  A.ptr[0] = 0;
  parallel_ranges(rows, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      A.ptr[row + 1] = rest[row + 1] - rest[row];
      each_on_diagonals(view(), row, [&](Index, V) { ++A.ptr[row + 1]; });
    }
  });
  for (std::int64_t row = 0; row < rows; ++row) A.ptr[row + 1] += A.ptr[row];
  A.col = Buffer<Index>(A.ptr[rows]);
  A.val = Buffer<V>(A.ptr[rows]);
  parallel_ranges(rows, rows_at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      Offset k = A.ptr[row], r = rest[row];
      const auto put = [&](Index column, V value) {
        A.col[k] = column;
        A.val[k++] = value;
      };
      const auto put_rest_before = [&](std::int64_t column) {
        for (; r < rest[row + 1] && remainder.col[r] < column; ++r) put(remainder.col[r], remainder.val[r]);
      };
      each_on_diagonals(view(), row, [&](Index column, V value) {
        put_rest_before(column);
        put(column, value);
      });
      put_rest_before(cols);
    }
  });
  return A;
}

template struct DiaFormat<float>;
template struct DiaFormat<double>;

const Format& dia_format() { return registered<DiaFormat>(); }

}  // namespace heddle
