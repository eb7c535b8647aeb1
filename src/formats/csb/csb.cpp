#include "formats/csb/csb.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/parallel.hpp"
#include "formats/csb/csb_rules.hpp"
#include "formats/registered.hpp"

namespace heddle {

namespace {

Buffer<Index> cut_into_bands(const PatternView& A, std::int64_t most_rows) {
  const Offset share = csb_share(A.nnz());
  Vector<Index> first{0};
  for (std::int64_t row = 0; row < A.rows;) {
    const auto from = A.ptr.begin() + row;
    const auto last = from + std::min(most_rows, A.rows - row);
    const auto beyond = std::upper_bound(from + 1, last + 1, *from + share);
    row += std::max<std::int64_t>(1, beyond - from - 1);
    first.push_back(static_cast<Index>(row));
  }
  return Buffer<Index>::copy_of(first);
}

// f(band, tiles), which tiles have entries in the band, for bands [first, last).
template <class F>
void each_count_of_cells(const PatternView& A, const Buffer<Index>& first_row, std::int64_t tile_cols,
                         std::int64_t first, std::int64_t last, F f) {
  Vector<std::int64_t> seen(static_cast<std::size_t>((A.cols + tile_cols - 1) / tile_cols), -1);  // last in which band
  for (std::int64_t band = first; band < last; ++band) {
    std::int64_t count = 0, begin = 0, end = 0;  // columns of the tile before
    for (Offset k = A.ptr[first_row[band]]; k < A.ptr[first_row[band + 1]]; ++k) {
      const std::int64_t col = A.col[k];
      if (begin <= col && col < end) continue;
      const std::int64_t tile = col / tile_cols;
      begin = tile * tile_cols, end = begin + tile_cols;
      count += seen[tile] != band;
      seen[tile] = band;
    }
    f(band, count);
  }
}

CsbBands bands_of(const PatternView& A, const CsbSettings& settings) {
  CsbBands made{cut_into_bands(A, settings.rows), {}};
  const std::int64_t bands = made.first_row.size() - 1;
  made.first_cell = Buffer<Offset>(bands + 1);
  made.first_cell[0] = 0;
  parallel_work(bands, A.nnz(), [&](std::int64_t first, std::int64_t last) {
    each_count_of_cells(A, made.first_row, settings.cols, first, last,
                        [&](std::int64_t band, std::int64_t count) { made.first_cell[band + 1] = count; });
  });
  std::partial_sum(made.first_cell.begin(), made.first_cell.end(), made.first_cell.begin());
  return made;
}

Footprint footprint_of(const CsbBands& bands, std::int64_t nnz, int value_bytes) {
  constexpr std::int64_t place = 2 * sizeof(std::uint16_t), of_band = sizeof(Index) + sizeof(Offset), of_cell = of_band;
  const std::int64_t cells = bands.first_cell[bands.first_cell.size() - 1];
  return {.bytes = nnz * (place + value_bytes) + bands.first_row.size() * of_band + cells * of_cell +
                   static_cast<std::int64_t>(sizeof(Offset)),
          .stored = nnz};
}

template <class V>
struct Placed {
  Index col;
  std::uint16_t row;  // of the band
  V val;
};

// From the order by row to that by column, then by row: digits of columns from the last one on, each pass keeps the
// order of the one before.
template <class V>
void order_by_column(Vector<Placed<V>>& entries, Vector<Placed<V>>& room, std::int64_t cols) {
  constexpr int digit = 11;
  constexpr std::size_t few = 1 << 9;
  if (entries.size() < few) {
    std::sort(entries.begin(), entries.end(),
              [](const Placed<V>& a, const Placed<V>& b) { return std::tie(a.col, a.row) < std::tie(b.col, b.row); });
    return;
  }
  room.resize(entries.size());
  for (int shift = 0; cols >> shift > 0; shift += digit) {
    const auto digit_of = [&](const Placed<V>& e) {
      return (static_cast<std::uint32_t>(e.col) >> shift) % (1u << digit);
    };
    Offset place[(1 << digit) + 1] = {};
    for (const Placed<V>& e : entries) ++place[digit_of(e) + 1];
    std::partial_sum(std::begin(place), std::end(place), std::begin(place));
    for (const Placed<V>& e : entries) room[place[digit_of(e)]++] = e;
    std::swap(entries, room);
  }
}

template <class V>
void store_band(CsbFormat<V>& made, const CsrView<V>& A, std::int64_t band, Vector<Placed<V>>& entries,
                Vector<Placed<V>>& room) {
  const Index first = made.bands.first_row[band], last = made.bands.first_row[band + 1];
  Offset at = A.ptr[first];
  entries.resize(static_cast<std::size_t>(A.ptr[last] - at));
  for (Index row = first; row < last; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      entries[k - at] = {A.col[k], static_cast<std::uint16_t>(row - first), A.val[k]};
  order_by_column(entries, room, A.cols);
  Offset cell = made.bands.first_cell[band];
  std::int64_t begin = 0, end = 0;  // columns of the tile
  for (const Placed<V>& e : entries) {
    if (e.col >= end) {
      made.tile[cell] = e.col / made.tile_cols;
      made.start[cell++] = at;
      begin = static_cast<std::int64_t>(e.col) / made.tile_cols * made.tile_cols, end = begin + made.tile_cols;
    }
    made.row[at] = e.row;
    made.col[at] = static_cast<std::uint16_t>(e.col - begin);
    made.val[at++] = e.val;
  }
}

}  // namespace

template <class V>
FormatInfo CsbFormat<V>::about() {
  return {.name = "csb",
          .summary = "compressed sparse blocks: bands of rows, in each the entries by column",
          .origin = "Buluc, Fineman, Frigo, Gilbert, Leiserson 2009; bands instead of recursion",
          .drawing =
              "         tile 0    tile 1            bands of 2 rows, tiles of 4 columns\n"
              "  A = [ a . . . | b . . . ]  band 0      cell    tile 0   tile 1   tile 1\n"
              "      [ c . d . | . . . e ]              row     0 1 1    0 1      0\n"
              "      [ . . . . | . f . . ]  band 1      col     0 0 2    0 3      1\n"
              "                                         val     a c d    b e      f\n"
              "  entry k of a cell of band b is at  (first_row[b] + row[k], tile * tile_cols + col[k])\n",
          .settings = {}};
}

template <class V>
void CsbFormat<V>::settle(Settings& settings, const PatternView&) {
  if (settings.rows == automatic) settings.rows = csb_rows(sizeof(V));
}

template <class V>
Footprint CsbFormat<V>::footprint(const PatternView& A, const Settings& settings, int value_bytes) {
  return footprint_of(bands_of(A, settings), A.nnz(), value_bytes);
}

template <class V>
Footprint CsbFormat<V>::at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& found) {
  found = bands_of(A, settings);
  return footprint_of(found, A.nnz(), value_bytes);
}

template <class V>
CsbFormat<V> CsbFormat<V>::build(Source<V> source, const Settings& settings, Found&& found) {
  const CsrView<V>& A = source.view;
  CsbFormat made{A.rows, A.cols, settings.cols, std::move(found), {}, {}, {}, {}, {}};
  const std::int64_t cells = made.bands.first_cell[made.band_count()];
  made.tile = Buffer<Index>(cells);
  made.start = Buffer<Offset>(cells + 1);
  made.start[cells] = A.nnz();
  made.row = Buffer<std::uint16_t>(A.nnz());
  made.col = Buffer<std::uint16_t>(A.nnz());
  made.val = Buffer<V>(A.nnz());
  parallel_work(made.band_count(), A.nnz(), [&](std::int64_t first, std::int64_t last) {
    Vector<Placed<V>> entries, room;
    for (std::int64_t band = first; band < last; ++band) store_band(made, A, band, entries, room);
  });
  return made;
}

template <class V>
Csr<V> CsbFormat<V>::restore() const {
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), Buffer<Index>(val.size()), Buffer<V>(val.size())};
  A.ptr[0] = 0;
  // f(entry, its row, its column), of a band: those of a row come in the order of their columns.
  const auto each_entry = [&](std::int64_t band, auto f) {
    for (Offset cell = bands.first_cell[band]; cell < bands.first_cell[band + 1]; ++cell)
      for (Offset k = start[cell]; k < start[cell + 1]; ++k)
        f(k, bands.first_row[band] + row[k], tile[cell] * tile_cols + col[k]);
  };
  parallel_tasks(band_count(), [&](std::int64_t band) {
    std::fill(A.ptr.begin() + bands.first_row[band] + 1, A.ptr.begin() + bands.first_row[band + 1] + 1, 0);
    each_entry(band, [&](Offset, Index at, Index) { ++A.ptr[at + 1]; });
  });
  std::partial_sum(A.ptr.begin(), A.ptr.end(), A.ptr.begin());
  parallel_tasks(band_count(), [&](std::int64_t band) {
    const Index first = bands.first_row[band];
    Vector<Offset> next(A.ptr.begin() + first, A.ptr.begin() + bands.first_row[band + 1]);
    each_entry(band, [&](Offset k, Index at, Index column) {
      const Offset to = next[at - first]++;
      A.col[to] = column;
      A.val[to] = val[k];
    });
  });
  return A;
}

template struct CsbFormat<float>;
template struct CsbFormat<double>;

const Format& csb_format() { return registered<CsbFormat>(); }

}  // namespace heddle
