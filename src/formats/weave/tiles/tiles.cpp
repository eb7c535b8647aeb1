#include "formats/weave/tiles/tiles.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/tiles/tiles_cut.hpp"

namespace heddle::weave {

namespace {

// Everything but the values.
std::int64_t index_bytes(const PatternView& A, const TileCut& cut, int value_bytes) {
  const auto columns = static_cast<std::int64_t>(cut.places.column_of.size());
  const auto listed = A.rows + 1 + cut.partials() + static_cast<std::int64_t>(cut.long_rows.size()) + columns;
  const auto index = static_cast<std::int64_t>(sizeof(Index));
  return static_cast<std::int64_t>(cut.blocks.list.size() * sizeof(TileBlock)) +
         cut.units() * (index + cut.capacity * 2 + cut.capacity / 8 + cut.capacity / 32) + listed * index +
         (columns + cut.partials()) * value_bytes;
}

// The places that no entry fills are behind the last one of each tile.
template <class V>
void clear_behind_tiles(const TileCut& cut, Tiles<V>& to) {
  std::fill(to.ends.begin(), to.ends.end(), 0u);
  for (std::int64_t t = 0; t < cut.tiles; ++t) {
    if (cut.tile_entries[t] % cut.capacity == 0) continue;
    const std::int64_t end = cut.unit_start[t + 1] * cut.capacity;
    std::fill(to.col.begin() + end - cut.capacity, to.col.begin() + end, std::uint16_t{0});
    to.values.clear(end - cut.capacity, end);
  }
}

template <int K, class S, class V>
void fill_chunk(const CsrView<V>& A, const TileCut& cut, std::int64_t chunk, Tiles<V>& to) {
  Vector<Offset> next_partial = cut.first_partials(chunk);
  Offset listed = cut.row_start[cut.chunk_row[chunk]];
  const auto place = [&](std::uint32_t tile, Offset e) { return cut.unit_start[tile] * cut.capacity + e; };
  cut.walk(
      A, chunk,
      [&](std::uint32_t tile, Offset e, std::uint32_t local, Offset k) {
        const Offset at = place(tile, e), unit = at / cut.capacity, base = unit * cut.capacity;
        const int slot = static_cast<int>(at - base);
        if (slot == 0) to.rank[unit] = static_cast<Index>(next_partial[tile]);
        to.col[base + place_in_pieces<std::uint16_t, K>(slot / K, slot % K)] = static_cast<std::uint16_t>(local);
        to.values.set(base + place_in_pieces<S, K>(slot / K, slot % K), A.val[k]);
      },
      [&](std::uint32_t tile, Offset e, std::int64_t) {
        const Offset at = place(tile, e);  // another chunk may have entries in the same word
        std::atomic_ref(to.ends[at / 32]).fetch_or(1u << at % 32, std::memory_order_relaxed);
        to.of_row[listed++] = static_cast<Index>(next_partial[tile]++);
      });
}

// Partials of a row in the order of tiles: neighbouring rows then read neighbouring ones.
template <class V>
void sort_lists(const TileCut& cut, std::int64_t chunk, Tiles<V>& to) {
  for (std::int64_t row = cut.chunk_row[chunk]; row < cut.chunk_row[chunk + 1]; ++row)
    std::sort(to.of_row.begin() + to.row_start[row], to.of_row.begin() + to.row_start[row + 1]);
}

template <class V>
void count_ends(Tiles<V>& to) {
  parallel_ranges(to.rank.size(), 1 << 12, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit)
      for (int word = 0, before = 0; word < to.per_lane; ++word) {
        const std::int64_t at = unit * to.per_lane + word;
        to.ended_before[at] = static_cast<std::uint8_t>(before);
        before += std::popcount(to.ends[at]);
      }
  });
}

bool is_end(const Buffer<std::uint32_t>& ends, std::int64_t at) { return (ends[at / 32] >> at % 32 & 1) != 0; }

// Entries of a unit: up to its last end.
std::int64_t unit_length(const Buffer<std::uint32_t>& ends, std::int64_t unit, std::int64_t capacity) {
  std::int64_t length = capacity;
  while (length > 0 && !is_end(ends, unit * capacity + length - 1)) --length;
  return length;
}

template <class V>
Vector<Index> row_of_partials(const Tiles<V>& A) {
  Vector<Index> row_of(static_cast<std::size_t>(A.partials.size()));
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Index i = A.row_start[row]; i < A.row_start[row + 1]; ++i)
      row_of[static_cast<std::size_t>(A.of_row[i])] = static_cast<Index>(row);
  return row_of;
}

}  // namespace

template <class V>
Footprint Tiles<V>::footprint(const PatternView& A, const TilesSettings& settings, int value_bytes) {
  const TileCut cut(A, settings, value_bytes);
  const std::int64_t stored = cut.units() * cut.capacity;
  const bool fits = cut.partials() <= std::numeric_limits<Index>::max();
  return {.bytes = index_bytes(A, cut, value_bytes) + value_store_bytes(settings.codec, stored, value_bytes),
          .stored = stored,
          .fits = fits,
          .reason = fits ? "" : "more than 2^31 partial sums"};
}

// Without a look at the entries, as long as nothing can go wrong: every entry a partial, every tile a unit begun.
template <class V>
Footprint Tiles<V>::at_most(const PatternView& A, const TilesSettings& settings, int value_bytes) {
  const std::int64_t width = tile_width(settings, value_bytes);
  const std::int64_t tiles = A.cols / width + 1, capacity = simt::warp_size * settings.per_lane, nnz = A.nnz();
  const std::int64_t stored = nnz + tiles * capacity, units = stored / capacity;
  if (nnz > std::numeric_limits<Index>::max() || tiles * capacity > nnz) return footprint(A, settings, value_bytes);
  const auto index = static_cast<std::int64_t>(sizeof(Index));
  return {.bytes = units * (static_cast<std::int64_t>(sizeof(TileBlock)) + index) + stored * 3 +
                   (2 * A.rows + 1 + nnz + A.cols) * index + (A.cols + nnz) * value_bytes +
                   value_store_bytes(settings.codec, stored, value_bytes),
          .stored = stored};
}

template <class V>
Tiles<V> Tiles<V>::build(const CsrView<V>& A, const TilesSettings& settings) {
  const TileCut cut(A, settings, sizeof(V));
  Tiles to{.rows = A.rows,
           .cols = A.cols,
           .per_lane = settings.per_lane,
           .warps = cut.blocks.warps(),
           .width = cut.blocks.widest()};
  const std::int64_t stored = cut.units() * cut.capacity;
  to.blocks = Buffer<TileBlock>::copy_of(cut.blocks.list);
  to.rank = Buffer<Index>(cut.units());
  to.col = Buffer<std::uint16_t>(stored);
  to.ends = Buffer<std::uint32_t>(stored / 32);
  to.ended_before = Buffer<std::uint8_t>(stored / 32);
  to.values = make_value_store(A.val, settings.codec, stored);
  to.row_start = Buffer<Index>(A.rows + 1);
  std::transform(cut.row_start.begin(), cut.row_start.end(), to.row_start.begin(),
                 [](Offset start) { return static_cast<Index>(start); });
  to.of_row = Buffer<Index>(cut.partials());
  to.long_rows = Buffer<Index>::copy_of(cut.long_rows);
  to.column_of = Buffer<Index>::copy_of(cut.places.column_of);
  to.packed_x = Buffer<V>(to.column_of.size());
  to.partials = Buffer<V>(cut.partials());
  clear_behind_tiles(cut, to);
  dispatch_int<4, 8>(to.per_lane, [&](auto K) {
    to.values.visit([&]<class S>(const CodedValues<V, S>&) {
      parallel_tasks(cut.chunks(), [&](std::int64_t chunk) {
        fill_chunk<K, S>(A, cut, chunk, to);
        sort_lists(cut, chunk, to);
      });
    });
  });
  count_ends(to);
  return to;
}

template <class V>
Csr<V> Tiles<V>::restore() const {
  const std::int64_t capacity = unit_entries();
  const Vector<Index> row_of = row_of_partials(*this);
  std::int64_t nnz = 0;
  for (std::int64_t unit = 0; unit < rank.size(); ++unit) nnz += unit_length(ends, unit, capacity);
  Coo<V> entries{rows, cols, Buffer<Index>(nnz), Buffer<Index>(nnz), Buffer<V>(nnz)};
  Offset k = 0;
  const auto restore_unit = [&]<int K, class S>(std::int64_t unit, Index first_column) {
    auto partial = static_cast<std::size_t>(rank[unit]);
    const std::int64_t base = unit * capacity, length = unit_length(ends, unit, capacity);
    for (int slot = 0; slot < length; ++slot) {
      const Index place = first_column + col[base + place_in_pieces<std::uint16_t, K>(slot / K, slot % K)];
      entries.row[k] = row_of[partial];
      entries.col[k] = column_of.empty() ? place : column_of[place];
      entries.val[k++] = values.get(base + place_in_pieces<S, K>(slot / K, slot % K));
      if (is_end(ends, base + slot)) ++partial;
    }
  };
  dispatch_int<4, 8>(per_lane, [&](auto K) {
    values.visit([&]<class S>(const CodedValues<V, S>&) {
      for (const TileBlock& block : blocks)
        for (Index i = 0; i < block.units; ++i)
          restore_unit.template operator()<K.value, S>(block.unit + i, block.column);
    });
  });
  return to_csr(entries);
}

template struct Tiles<float>;
template struct Tiles<double>;

}  // namespace heddle::weave
