#include "formats/weave/weave_segments.hpp"

#include <algorithm>
#include <bit>

#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle::weave {

namespace {

// Rows of a tile. A warp writes 32 at a time, so many empty rows keep it busy when all others are done; and a lane of
// it knows 32 rows, the first perhaps in part, so there may be no more than 31 * 32.
Index most_rows(bool small) { return (small ? 4 : 8) * simt::warp_size; }

// Tiles of a row's teams: four are one step of a block, and a row with no more than 16 has no pieces.
Offset team_tiles_of(Offset tiles) { return tiles <= 16 ? tiles : tiles <= 256 ? 4 : 16; }

// Cuts the rows into tiles.
class TileCutter {
 public:
  Vector<SegmentTile> tiles;
  Vector<Offset> first;   // entry of each tile
  Vector<Index> entries;  // and how many it has
  Vector<LongRow> long_rows;
  Vector<Team> teams;
  Index pieces = 0;
  std::int64_t team_tiles = 0;  // they come behind `tiles`

  // In a small matrix every row that fits a tile stays whole: its time is that of the longest chain of loads, and a row
  // in pieces has one more link.
  TileCutter(const PatternView& A, int capacity)
      : capacity_(capacity), small_(A.nnz() < 1 << 21), whole_(small_ ? capacity : capacity / 4) {
    for (std::int64_t row = 0; row < A.rows; ++row) add(static_cast<Index>(row), A.length(row));
    close(static_cast<Index>(A.rows));
    for (Team& team : teams) team.tile += static_cast<Index>(tiles.size());
  }
  std::int64_t stored() const { return (static_cast<std::int64_t>(tiles.size()) + team_tiles) * capacity_; }

 private:
  void add(Index row, Offset length) {
    if (length > (small_ ? capacity_ : 16 * capacity_)) return add_teams(row, length);
    if (open_.rows == most_rows(small_)) close(row);
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
    LongRow made{{row, static_cast<Index>(tiles.size()), 1, pieces}, 0};
    open_.tail = number;
    length -= take(std::min(length, capacity_ - fill_));
    while (length > 0) {
      close(row + 1);
      open_.head = number;
      length -= take(std::min<Offset>(length, capacity_));
      ++made.count;
    }
    pieces += made.count;
    long_rows.push_back(made);
  }
  void add_teams(Index row, Offset length) {
    close(row + 1);
    const Offset share = team_tiles_of(tiles_for(length)) * capacity_;
    const Offset count = (length + share - 1) / share;
    const Index number = count > 1 ? static_cast<Index>(long_rows.size()) : -1;
    if (count > 1) {
      long_rows.push_back({{row, static_cast<Index>(teams.size()), static_cast<Index>(count), pieces}, 0});
      pieces += static_cast<Index>(count);
    }
    for (Offset at = 0; at < length; at += share) {
      const Offset part = std::min(share, length - at);
      teams.push_back({row, static_cast<Index>(team_tiles), static_cast<Index>(part), number});
      team_tiles += tiles_for(part);
    }
    entry_ += length;
  }
  Offset tiles_for(Offset length) const { return (length + capacity_ - 1) / capacity_; }
  Offset take(Offset count) {
    fill_ += count;
    entry_ += count;
    return count;
  }
  // `next`: the first row of the tile after this one.
  void close(Index next) {
    if (open_.rows > 0 || fill_ > 0) {
      tiles.push_back(open_);
      first.push_back(entry_ - fill_);
      entries.push_back(static_cast<Index>(fill_));
    }
    open_ = {next, 0, -1, -1};
    fill_ = 0;
  }

  Offset capacity_;
  bool small_;
  Offset whole_;  // rows up to `whole_` do not cross tiles
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
  const auto long_rows = static_cast<std::int64_t>(cut.long_rows.size());
  const auto teams = static_cast<std::int64_t>(cut.teams.size());
  return tiles * (static_cast<std::int64_t>(sizeof(SegmentTile)) + capacity / 8) + cut.stored() * 4 +
         (has_empty_rows(A) ? row_words(A.rows) * 8 : 0) + teams * static_cast<std::int64_t>(sizeof(Team)) +
         long_rows * static_cast<std::int64_t>(sizeof(LongRow)) + std::int64_t{cut.pieces} * value_bytes;
}

// Ends of rows in the whole matrix, one bit an entry.
Vector<bool> row_ends(const PatternView& A) {
  Vector<bool> ends(static_cast<std::size_t>(A.nnz()), false);
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (A.length(row) > 0) ends[static_cast<std::size_t>(A.ptr[row + 1] - 1)] = true;
  return ends;
}

// Entries [first, first + count) of the matrix to the places from `base` on, as many as whole tiles hold.
template <class V>
void store_entries(const CsrView<V>& A, Offset first, std::int64_t count, std::int64_t base, std::int64_t places,
                   Segments<V>& to) {
  std::copy_n(A.col.begin() + first, count, to.col.begin() + base);
  std::fill_n(to.col.begin() + base + count, places - count, Index{-1});
  for (std::int64_t i = 0; i < count; ++i) to.values.set(base + i, A.val[first + i]);
  to.values.clear(base + count, base + places);
}

template <class V>
void store_tile(const CsrView<V>& A, const TileCutter& cut, const Vector<bool>& ends, std::int64_t t, Segments<V>& to) {
  const Offset first = cut.first[static_cast<std::size_t>(t)];
  const std::int64_t base = t * to.tile_entries(), count = cut.entries[static_cast<std::size_t>(t)];
  store_entries(A, first, count, base, to.tile_entries(), to);
  std::fill_n(to.row_end.begin() + base / 8, to.tile_entries() / 8, std::uint8_t{0});
  for (std::int64_t i = 0; i < count; ++i)
    if (ends[static_cast<std::size_t>(first + i)])
      to.row_end[(base + i) / 8] = static_cast<std::uint8_t>(to.row_end[(base + i) / 8] | 1u << (base + i) % 8);
}

// All teams of a row but the last have the same number of entries.
template <class V>
void store_team(const CsrView<V>& A, std::int64_t number, Segments<V>& to) {
  const Team& team = to.teams[number];
  const std::int64_t row_begins = team.long_row < 0 ? number : to.long_rows[team.long_row].first;
  const Offset first = A.ptr[team.row] + (number - row_begins) * to.teams[row_begins].entries;
  const std::int64_t capacity = to.tile_entries(), places = (team.entries + capacity - 1) / capacity * capacity;
  store_entries(A, first, team.entries, team.tile * capacity, places, to);
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
  return {.bytes = index_bytes(A, cut, capacity, value_bytes) +
                   value_store_bytes(settings.codec(), cut.stored(), value_bytes),
          .stored = cut.stored()};
}

template <class V>
Segments<V> Segments<V>::build(const CsrView<V>& A, const WeaveSettings& settings) {
  Segments to{.rows = A.rows, .cols = A.cols, .per_lane = settings.per_lane, .keep = settings.keep == 1};
  const int capacity = to.tile_entries();
  const TileCutter cut(A, capacity);
  const Vector<bool> ends = row_ends(A);
  to.tiles = buffer_of(cut.tiles);
  to.long_rows = buffer_of(cut.long_rows);
  to.teams = buffer_of(cut.teams);
  to.col = Buffer<Index>(cut.stored());
  to.row_end = Buffer<std::uint8_t>(to.tiles.size() * capacity / 8);
  to.values = make_value_store(A.val, settings.codec(), cut.stored());
  to.pieces = Buffer<V>(cut.pieces);
  if (has_empty_rows(A)) mark_filled(A, to);
  parallel_ranges(to.tiles.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) store_tile(A, cut, ends, t, to);
  });
  parallel_ranges(to.teams.size(), 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) store_team(A, i, to);
  });
  return to;
}

namespace {

// f(row, place) for every entry, those of a row in the order of their columns.
template <class V, class F>
void each_entry(const Segments<V>& A, F f) {
  Vector<bool> elsewhere(static_cast<std::size_t>(A.rows), false);  // rows without entries in `tiles`
  for (const Team& team : A.teams) {
    elsewhere[static_cast<std::size_t>(team.row)] = true;
    for (std::int64_t i = 0; i < team.entries; ++i) f(team.row, std::int64_t{team.tile} * A.tile_entries() + i);
  }
  const auto in_tiles = [&](std::int64_t row) {
    const bool filled = A.filled.empty() || (A.filled[row / 32] >> row % 32 & 1) != 0;
    return filled && !elsewhere[static_cast<std::size_t>(row)];
  };
  std::int64_t row = 0;
  for (std::int64_t at = 0; at < A.tiles.size() * A.tile_entries(); ++at) {
    if (A.col[at] < 0) continue;
    while (!in_tiles(row)) ++row;
    f(row, at);
    if (A.row_end[at / 8] >> at % 8 & 1) ++row;
  }
}

}  // namespace

template <class V>
Csr<V> Segments<V>::restore() const {
  Buffer<Offset> ptr(rows + 1);
  std::fill(ptr.begin(), ptr.end(), Offset{0});
  each_entry(*this, [&](std::int64_t row, std::int64_t) { ++ptr[row + 1]; });
  for (std::int64_t row = 0; row < rows; ++row) ptr[row + 1] += ptr[row];
  Csr<V> A{rows, cols, ptr, Buffer<Index>(ptr[rows]), Buffer<V>(ptr[rows])};
  each_entry(*this, [&](std::int64_t row, std::int64_t place) {
    const Offset k = ptr[row]++;
    A.col[k] = col[place];
    A.val[k] = values.get(place);
  });
  return A;
}

template struct Segments<float>;
template struct Segments<double>;

}  // namespace heddle::weave
