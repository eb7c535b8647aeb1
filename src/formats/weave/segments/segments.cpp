#include "formats/weave/segments/segments.hpp"

#include <algorithm>
#include <bit>

#include "core/parallel.hpp"
#include "core/system.hpp"
#include "formats/weave/segments/segments_cut.hpp"

namespace heddle::weave {

namespace {

// Chunk number i, written down from where the chunks before it end; gives where it ends itself.
CutSizes cut_chunk(const PatternView& A, const CutRule& rule, std::int64_t i, const CutTarget& to,
                   const CutSizes& before) {
  ChunkCutter<Halving> cutter(rule, to, before);
  const std::int64_t first = rule.first_row(i, A);
  cutter.cut(first, rule.first_row(i + 1, A) - first, A.ptr.data() + first);
  return cutter.at;
}

// How much comes out of all chunks before each, and of all of them at the end.
Vector<CutSizes> count_cut(const PatternView& A, const CutRule& rule) {
  Vector<CutSizes> before(static_cast<std::size_t>(rule.chunks(A)) + 1);
  parallel_tasks(rule.chunks(A),
                 [&](std::int64_t i) { before[static_cast<std::size_t>(i) + 1] = cut_chunk(A, rule, i, {}, {}); });
  for (std::size_t i = 1; i < before.size(); ++i) before[i].add(before[i - 1]);
  return before;
}

bool has_empty_rows(const PatternView& A) {
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (A.length(row) == 0) return true;
  return false;
}

// Type of the end bits' array aside, these are the bytes of everything but the values.
std::int64_t index_bytes(const PatternView& A, const CutSizes& cut, const CutRule& rule, int value_bytes) {
  return cut.tiles * (static_cast<std::int64_t>(sizeof(SegmentTile)) + rule.capacity / 8) + cut.stored(rule) * 4 +
         (has_empty_rows(A) ? cut.tiles * rule.row_words() * 4 : 0) +
         cut.teams * static_cast<std::int64_t>(sizeof(Team)) +
         cut.long_rows * static_cast<std::int64_t>(sizeof(LongRow)) + cut.pieces * 2 * value_bytes;
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
void store_tile(const CsrView<V>& A, const TileEntries& entries, std::int64_t t, Segments<V>& to) {
  const std::int64_t base = t * to.tile_entries();
  store_entries(A, entries.first, entries.count, base, to.tile_entries(), to);
  const SegmentTile& tile = to.tiles[t];
  for (std::int64_t i = 0; i < to.tile_entries(); i += 8) {
    const auto count = static_cast<int>(std::clamp<std::int64_t>(entries.count - i, 0, 8));
    to.row_end[(base + i) / 8] =
        static_cast<std::uint8_t>(end_bits(A.ptr.data() + tile.row, tile.rows, entries.first + i, count));
  }
  if (to.filled.empty()) return;
  std::uint32_t* filled = to.filled.data() + t * to.row_words;
  std::fill_n(filled, to.row_words, 0u);
  for (Index i = 0; i < tile.rows; ++i)
    if (A.length(tile.row + i) > 0) filled[i / 32] |= 1u << i % 32;
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

}  // namespace

template <class V>
Footprint Segments<V>::footprint(const PatternView& A, const SegmentsSettings& settings, int value_bytes) {
  const CutRule rule(A, simt::warp_size * settings.per_lane);
  const CutSizes cut = count_cut(A, rule).back();
  return {.bytes =
              index_bytes(A, cut, rule, value_bytes) + value_store_bytes(settings.codec, cut.stored(rule), value_bytes),
          .stored = cut.stored(rule)};
}

template <class V>
Segments<V> Segments<V>::build(const CsrView<V>& A, const SegmentsSettings& settings) {
  Segments to{.rows = A.rows,
              .cols = A.cols,
              .per_lane = settings.per_lane,
              .keep = settings.keep == Keep::matrix,
              .short_rows = has_short_rows(A)};
  const CutRule rule(A, to.tile_entries());
  const Vector<CutSizes> before = count_cut(A, rule);
  const CutSizes& all = before.back();
  to.tiles = Buffer<SegmentTile>(all.tiles);
  to.long_rows = Buffer<LongRow>(all.long_rows);
  to.teams = Buffer<Team>(all.teams);
  to.col = Buffer<Index>(all.stored(rule));
  to.row_end = Buffer<std::uint8_t>(all.tiles * rule.capacity / 8);
  to.values = make_value_store(A.val, settings.codec, all.stored(rule));
  to.pieces = Segments::no_pieces(all.pieces, Device::cpu());
  to.row_words = rule.row_words();
  if (has_empty_rows(A)) to.filled = Buffer<std::uint32_t>(all.tiles * to.row_words);
  Buffer<TileEntries> entries(all.tiles);
  const CutTarget target{to.tiles.data(), entries.data(), to.long_rows.data(), to.teams.data(), all.tiles};
  parallel_tasks(rule.chunks(A),
                 [&](std::int64_t i) { cut_chunk(A, rule, i, target, before[static_cast<std::size_t>(i)]); });
  parallel_ranges(to.tiles.size(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) store_tile(A, entries[t], t, to);
  });
  parallel_ranges(to.teams.size(), 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) store_team(A, i, to);
  });
  return to;
}

namespace {

// The rows with entries that no team has.
template <class V>
Vector<bool> rows_in_tiles(const Segments<V>& A) {
  Vector<bool> found(static_cast<std::size_t>(A.rows), false);
  for (std::int64_t t = 0; t < A.tiles.size(); ++t) {
    const SegmentTile& tile = A.tiles[t];
    for (Index i = 0; i < tile.rows; ++i)
      if (A.is_filled(t, i)) found[static_cast<std::size_t>(tile.row + i)] = true;
  }
  return found;
}

// f(row, place) for every entry, those of a row in the order of their columns.
template <class V, class F>
void each_entry(const Segments<V>& A, F f) {
  for (const Team& team : A.teams)
    for (std::int64_t i = 0; i < team.entries; ++i) f(team.row, std::int64_t{team.tile} * A.tile_entries() + i);
  const Vector<bool> in_tiles = rows_in_tiles(A);
  std::int64_t row = 0;
  for (std::int64_t at = 0; at < A.tiles.size() * A.tile_entries(); ++at) {
    if (A.col[at] < 0) continue;
    while (!in_tiles[static_cast<std::size_t>(row)]) ++row;
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
