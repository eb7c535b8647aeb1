#include "formats/weave/weave_segments.hpp"

#include <algorithm>
#include <bit>

#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle::weave {

namespace {

constexpr Index most_rows =
    31 * simt::warp_size;  // of a tile: a lane of its warp knows 32 rows, the first perhaps in part

// Cuts the rows into tiles.
class TileCutter {
 public:
  Vector<SegmentTile> tiles;
  Vector<Offset> first;  // entry of each tile, and the number of entries at the end
  Vector<LongRow> long_rows;
  Index pieces = 0;

  // In a small matrix every row that fits a tile stays whole: its time is that of the longest chain of loads, and a row
  // in pieces has one more link.
  TileCutter(const PatternView& A, int capacity)
      : capacity_(capacity), whole_(A.nnz() < 1 << 21 ? capacity : capacity / 4) {
    for (std::int64_t row = 0; row < A.rows; ++row) add(static_cast<Index>(row), A.length(row));
    close(static_cast<Index>(A.rows));
    first.push_back(entry_);
  }

 private:
  void add(Index row, Offset length) {
    if (open_.rows == most_rows) close(row);
    const Offset left = capacity_ - fill_;
    if (length > left && (length <= whole_ || left == 0)) close(row);
    if (length <= capacity_ - fill_) {
      take(length);
      ++open_.rows;
    } else {
      add_long(row, length);
    }
  }
  void add_long(Index row, Offset length) {
    const auto number = static_cast<Index>(long_rows.size());
    LongRow made{row, static_cast<Index>(tiles.size()), 1, pieces};
    open_.tail = number;
    length -= take(std::min(length, capacity_ - fill_));
    while (length > 0) {
      close(row + 1);
      open_.head = number;
      length -= take(std::min<Offset>(length, capacity_));
      ++made.pieces;
    }
    pieces += made.pieces;
    long_rows.push_back(made);
  }
  Offset take(Offset entries) {
    fill_ += entries;
    entry_ += entries;
    return entries;
  }
  // `next`: the first row of the tile after this one.
  void close(Index next) {
    if (open_.rows > 0 || fill_ > 0) {
      tiles.push_back(open_);
      first.push_back(entry_ - fill_);
    }
    open_ = {next, 0, -1, -1};
    fill_ = 0;
  }

  Offset capacity_, whole_;  // rows up to `whole_` do not cross tiles
  Offset fill_ = 0, entry_ = 0;
  SegmentTile open_{0, 0, -1, -1};
};

bool has_empty_rows(const PatternView& A) {
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (A.length(row) == 0) return true;
  return false;
}

std::int64_t row_words(std::int64_t rows) { return (rows + 31) / 32; }

// Type of the end bits' array aside, these are the bytes of everything but the values.
std::int64_t index_bytes(const PatternView& A, const TileCutter& cut, int capacity, int value_bytes) {
  const auto tiles = static_cast<std::int64_t>(cut.tiles.size());
  const std::int64_t long_rows = static_cast<std::int64_t>(cut.long_rows.size());
  return tiles * (static_cast<std::int64_t>(sizeof(SegmentTile)) + capacity * 4 + capacity / 8) +
         (has_empty_rows(A) ? row_words(A.rows) * 8 : 0) +
         long_rows * (static_cast<std::int64_t>(sizeof(LongRow)) + 4) + std::int64_t{cut.pieces} * value_bytes;
}

// Ends of rows in the whole matrix, one bit an entry.
Vector<bool> row_ends(const PatternView& A) {
  Vector<bool> ends(static_cast<std::size_t>(A.nnz()), false);
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (A.length(row) > 0) ends[static_cast<std::size_t>(A.ptr[row + 1] - 1)] = true;
  return ends;
}

template <class V>
void store_tile(const CsrView<V>& A, const TileCutter& cut, const Vector<bool>& ends, std::int64_t t, Segments<V>& to) {
  const auto tile = static_cast<std::size_t>(t);
  const std::int64_t base = t * to.tile_entries(), count = cut.first[tile + 1] - cut.first[tile];
  std::fill_n(to.row_end.begin() + base / 8, to.tile_entries() / 8, std::uint8_t{0});
  std::fill_n(to.col.begin() + base + count, to.tile_entries() - count, Index{-1});
  to.values.clear(base + count, base + to.tile_entries());
  for (std::int64_t i = 0; i < count; ++i) {
    const Offset entry = cut.first[tile] + i;
    const std::int64_t at = base + i;
    to.col[at] = A.col[entry];
    to.values.set(at, A.val[entry]);
    if (ends[static_cast<std::size_t>(entry)])
      to.row_end[at / 8] = static_cast<std::uint8_t>(to.row_end[at / 8] | 1u << at % 8);
  }
}

template <class V>
void mark_filled(const PatternView& A, Segments<V>& to) {
  to.filled = Buffer<std::uint32_t>(row_words(A.rows));
  to.rank = Buffer<Index>(row_words(A.rows));
  Index before = 0;
  for (std::int64_t w = 0; w < to.filled.size(); ++w) {
    std::uint32_t bits = 0;
    for (std::int64_t row = w * 32; row < std::min(A.rows, w * 32 + 32); ++row)
      if (A.length(row) > 0) bits |= 1u << row % 32;
    to.filled[w] = bits;
    to.rank[w] = before;
    before += std::popcount(bits);
  }
}

template <class T>
Buffer<T> buffer_of(const Vector<T>& list) {
  return Buffer<T>::copy_of(list);
}

}  // namespace

template <class V>
Footprint Segments<V>::footprint(const PatternView& A, const WeaveSettings& settings, int value_bytes) {
  const int capacity = simt::warp_size * settings.per_lane;
  const TileCutter cut(A, capacity);
  const std::int64_t stored = static_cast<std::int64_t>(cut.tiles.size()) * capacity;
  return {
      .bytes = index_bytes(A, cut, capacity, value_bytes) + value_store_bytes(settings.codec(), stored, value_bytes),
      .stored = stored};
}

template <class V>
Segments<V> Segments<V>::build(const CsrView<V>& A, const WeaveSettings& settings) {
  Segments to{.rows = A.rows, .cols = A.cols, .per_lane = settings.per_lane, .keep = settings.keep == 1};
  const int capacity = to.tile_entries();
  const TileCutter cut(A, capacity);
  const Vector<bool> ends = row_ends(A);
  to.tiles = buffer_of(cut.tiles);
  to.long_rows = buffer_of(cut.long_rows);
  const std::int64_t stored = to.tiles.size() * capacity;
  to.col = Buffer<Index>(stored);
  to.row_end = Buffer<std::uint8_t>(stored / 8);
  to.values = make_value_store(A.val, settings.codec(), stored);
  to.pieces = Buffer<V>(cut.pieces);
  to.arrivals = Buffer<std::int32_t>(to.long_rows.size());
  std::fill(to.arrivals.begin(), to.arrivals.end(), 0);
  if (has_empty_rows(A)) mark_filled(A, to);
  parallel_ranges(to.tiles.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) store_tile(A, cut, ends, t, to);
  });
  return to;
}

template <class V>
Csr<V> Segments<V>::restore() const {
  std::int64_t nnz = 0;
  for (const Index c : col) nnz += c >= 0;
  Csr<V> A{rows, cols, Buffer<Offset>(rows + 1), Buffer<Index>(nnz), Buffer<V>(nnz)};
  std::fill(A.ptr.begin(), A.ptr.end(), Offset{0});
  const auto is_filled = [&](std::int64_t row) { return filled.empty() || (filled[row / 32] >> row % 32 & 1) != 0; };
  std::int64_t row = 0;
  Offset k = 0;
  for (std::int64_t at = 0; at < col.size(); ++at) {
    if (col[at] < 0) continue;
    while (!is_filled(row)) ++row;
    A.col[k] = col[at];
    A.val[k++] = values.get(at);
    if (row_end[at / 8] >> at % 8 & 1) A.ptr[++row] = k;
  }
  for (std::int64_t r = 0; r < rows; ++r) A.ptr[r + 1] = std::max(A.ptr[r + 1], A.ptr[r]);
  return A;
}

template struct Segments<float>;
template struct Segments<double>;

}  // namespace heddle::weave
