// Entries are sorted by tile and keep their order inside; then units are filled, a warp each, and everything else
// follows from where runs end:
//
//   sort     (order=degree: columns by their counts, then) entries by tile, and with    -> host: where tiles begin
//            them their rows and values: fetched by who fills units, each would be a sector of its own
//   units    columns, values, ends, and the rows of the runs that end there
//   scan     of the ends of units: rank                                                 -> host: partials of tiles
//   count    partials by row: of_row, row_start, long_rows (weave_tiles_partials.hpp)     -> host: long rows
#include <algorithm>
#include <bit>

#include "core/dispatch.hpp"
#include "formats/weave/weave_tiles_cut.hpp"
#include "formats/weave/weave_tiles_partials.hpp"
#include "layout/device_entries.hpp"
#include "layout/device_radix.hpp"
#include "layout/device_reduce.hpp"

namespace heddle::weave {

namespace {

constexpr int threads = 256;

simt::Launch thread_per(std::int64_t items) { return {simt::blocks_for(items, threads), threads}; }
simt::Launch warp_per(std::int64_t items) { return {simt::blocks_for(items, threads / simt::warp_size), threads}; }

int bits_for(std::int64_t below) {
  return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(below, 1) - 1));
}

SIMT_KERNEL clear_thread_per_word(std::uint32_t* words, std::int64_t count) {
  if (simt::global_thread() < count) words[simt::global_thread()] = 0;
}
// Of a thread, all under way at once.
constexpr int counted_of_thread = 8;
struct ColumnCounts {
  std::uint32_t* degree;
  std::uint8_t* seen;  // columns of entries that do not count
  std::int64_t step;

  SIMT_DEVICE bool has_entries(std::int64_t c) const { return degree[c] > 0 || seen[c] != 0; }
};
SIMT_KERNEL count_block_per_entries(const Index* col, std::int64_t nnz, ColumnCounts to) {
  const std::int64_t first = simt::block() * counted_of_thread * threads + simt::thread();
  Index column[counted_of_thread];
  device::load_strided(col, nnz, first, threads, column);
#pragma unroll
  for (int u = 0; u < counted_of_thread; ++u) {
    const std::int64_t k = first + u * threads;
    if (k >= nnz) continue;
    if (k % to.step == 0)
      simt::atomic_add(to.degree + column[u], 1u);
    else if (simt::uncached_load(to.seen + column[u]) == 0)
      to.seen[column[u]] = 1;
  }
}

// Columns with entries.
struct FilledColumns {
  std::int64_t count = 0;
  SIMT_BOTH void add(const FilledColumns& other) { count += other.count; }
};
struct DegreeItems {
  using Result = FilledColumns;
  ColumnCounts counts;

  SIMT_DEVICE void add(std::int64_t c, FilledColumns& to) const { to.count += counts.has_entries(c) ? 1 : 0; }
};
struct FallingDegrees {
  ColumnCounts counts;

  SIMT_DEVICE std::uint32_t key(std::int64_t c) const {
    const int its_class = class_of_column(counts.degree[c], counts.step, counts.seen[c] != 0);
    return static_cast<std::uint32_t>(degree_classes - 1 - its_class);
  }
};
SIMT_KERNEL place_thread_per_column(const Index* sorted, std::int64_t count, Index* column_of, Index* place_of) {
  const std::int64_t i = simt::global_thread();
  if (i >= count) return;
  column_of[i] = sorted[i];
  place_of[sorted[i]] = static_cast<Index>(i);
}

// Columns in the order in which tiles are cut from them.
struct PlacesThere {
  std::int64_t size = 0;
  Buffer<Index> column_of;
  const Index* of_column = nullptr;  // null: every column is in its own place
};

PlacesThere places_of(simt::Here here, const PatternView& A, ColumnOrder order, device::Workspace& memory) {
  if (order == ColumnOrder::natural) return {A.cols, {}, nullptr};
  const std::int64_t words = A.cols + (A.cols + 3) / 4;
  auto* degree = memory.take<std::uint32_t>(words);
  const ColumnCounts counts{degree, reinterpret_cast<std::uint8_t*>(degree + A.cols), degree_step(A.nnz())};
  auto* place_of = memory.take<Index>(A.cols);
  const simt::Launch block_per_entries{simt::blocks_for(A.nnz(), counted_of_thread * threads), threads};
  simt::launch(here, thread_per(words), clear_thread_per_word, degree, words);
  simt::launch(here, block_per_entries, count_block_per_entries, A.col.data(), A.nnz(), counts);
  const auto sorted =
      device::queue_sort(here, FallingDegrees{counts}, {bits_for(degree_classes)}, {.items = A.cols}, memory);
  const std::int64_t filled = device::reduce(here, DegreeItems{counts}, A.cols, memory.device()).count;
  PlacesThere made{filled, Buffer<Index>(filled, memory.device()), place_of};
  simt::launch(here, thread_per(made.size), place_thread_per_column, sorted.item, made.size, made.column_of.data(),
               place_of);
  return made;
}

// Keys of entries: tile << bits | column within the tile. Places of columns in another order are looked up once and
// noted down: each would be a sector fetched for an entry.
struct TileColumns {
  const Index* col;
  const Index* place_of;  // of a column; null: its own
  std::uint32_t* noted;   // keys of entries, where there is `place_of`
  std::uint32_t width;
  int bits;

  SIMT_DEVICE std::uint32_t of(Index of_column) const {
    const auto place = static_cast<std::uint32_t>(of_column);
    return (place / width) << bits | place % width;
  }
  SIMT_DEVICE std::uint32_t key(std::int64_t k) const { return place_of ? noted[k] : of(col[k]); }
  SIMT_DEVICE std::uint32_t first_key(std::int64_t k) const {
    if (place_of == nullptr) return of(col[k]);
    return noted[k] = of(simt::cached_load(place_of + simt::stream_load(col + k)));
  }
};

template <class T>
SIMT_KERNEL find_starts_thread_per_key(const std::uint32_t* sorted, std::int64_t count, std::int64_t keys, int shift,
                                       T* start) {
  const std::int64_t key = simt::global_thread();
  if (key < keys) start[key] = static_cast<T>(first_from(sorted, count, static_cast<std::uint64_t>(key) << shift));
}

struct TileStart {
  Offset entry, unit;
};

// Rows and values go with the entries that are sorted by tile.
template <class V>
struct RowsAndValues {
  const Index* row_of_entry;
  const V* val;
  Index* row;
  V* value;

  SIMT_DEVICE void operator()(std::uint32_t place, Index entry) const {
    row[place] = simt::cached_load(row_of_entry + entry);
    value[place] = simt::cached_load(val + entry);
  }
};

// Everything that the units of a matrix are filled from, by tile.
template <class V>
struct UnitSource {
  const std::uint32_t* key;
  const Index* row;
  const V* value;
  std::uint32_t column_mask;  // of a key
  const TileStart* tile;
  std::int64_t tiles, units;
};
template <class V, class S>
struct UnitTarget {
  std::uint16_t* col;
  ValueWriter<V, S> values;
  std::uint8_t* ends;
  std::uint8_t* ended_before;
  std::uint32_t* ended;  // of a unit
  Index* row;            // of the runs of a unit, from its first place on
};

// The tile of a unit: the last one that begins with it or before.
SIMT_DEVICE std::int64_t tile_of_unit(const TileStart* tile, std::int64_t tiles, std::int64_t unit) {
  std::int64_t low = 0, high = tiles;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (tile[middle].unit <= unit)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// K bits of each lane, as they lie in memory.
template <int K>
SIMT_DEVICE void store_lane_bits(std::uint8_t* unit_bits, unsigned bits) {
  if (K == 8) {
    unit_bits[simt::lane()] = static_cast<std::uint8_t>(bits);
    return;
  }
  const unsigned next = simt::shuffle_down(bits, 1);
  if (simt::lane() % 2 == 0) unit_bits[simt::lane() / 2] = static_cast<std::uint8_t>(bits | next << 4);
}

template <int K, class V, class S>
SIMT_KERNEL fill_warp_per_unit(UnitSource<V> from, UnitTarget<V, S> to) {
  const std::int64_t unit = simt::global_thread() / simt::warp_size;
  if (unit >= from.units) return;
  const std::int64_t t = tile_of_unit(from.tile, from.tiles, unit);
  constexpr int capacity = simt::warp_size * K;
  const Offset first = from.tile[t].entry + (unit - from.tile[t].unit) * capacity + simt::lane() * K,
               end = from.tile[t + 1].entry;
  std::uint16_t col[K];
  S stored[K];
  Index row[K + 1];
#pragma unroll
  for (int i = 0; i < K; ++i) {
    const bool there = first + i < end;
    const Offset at = there ? first + i : end - 1;  // a tile with a unit has an entry
    const std::uint32_t key = from.key[at];
    const Index its_row = from.row[at];
    const S value = to.values.encode(from.value[at]);
    col[i] = there ? static_cast<std::uint16_t>(key & from.column_mask) : std::uint16_t{0};
    stored[i] = there ? value : S(0);
    row[i] = there ? its_row : -1;
  }
  row[K] = simt::shuffle_down(row[0], 1);
  if (simt::lane() == simt::warp_size - 1) row[K] = -1;  // runs end where the unit ends
  unsigned ends = 0;
#pragma unroll
  for (int i = 0; i < K; ++i) ends |= (row[i] >= 0 && row[i + 1] != row[i] ? 1u : 0u) << i;
  store_pieces(to.col + unit * capacity, col);
  store_pieces(to.values.data + unit * capacity, stored);
  store_lane_bits<K>(to.ends + unit * capacity / 8, ends);
  const int before = sum_of_lower_lanes(simt::count_bits(ends));
  Index* run_row = to.row + unit * capacity + before;
#pragma unroll
  for (int i = 0; i < K; ++i)
    if ((ends >> i & 1) != 0) *run_row++ = row[i];
  constexpr int lanes_of_word = 32 / K;
  if (simt::lane() % lanes_of_word == 0)
    to.ended_before[unit * K + simt::lane() / lanes_of_word] = static_cast<std::uint8_t>(before);
  if (simt::lane() == simt::warp_size - 1) to.ended[unit] = static_cast<std::uint32_t>(before + simt::count_bits(ends));
}

struct PartialCount {
  Index partials = 0;
  SIMT_BOTH void add(const PartialCount& other) { partials += other.partials; }
};
struct UnitRanks {
  using Sum = PartialCount;
  const std::uint32_t* ended;
  Index* rank;

  SIMT_DEVICE PartialCount item(std::int64_t unit) const { return {static_cast<Index>(ended[unit])}; }
  SIMT_DEVICE void place(std::int64_t unit, const PartialCount& before) const { rank[unit] = before.partials; }
};

// Where the partials of each tile begin, and the number of all.
SIMT_KERNEL find_partials_thread_per_tile(const TileStart* tile, std::int64_t tiles, std::int64_t units,
                                          const Index* rank, const PartialCount* all, Offset* there, Offset* here) {
  const std::int64_t t = simt::global_thread();
  if (t <= tiles) there[t] = here[t] = tile[t].unit < units ? rank[tile[t].unit] : all->partials;
}

// The rows of runs, without the gaps between units.
SIMT_KERNEL list_partials_warp_per_unit(const std::uint32_t* ended, const Index* rank, std::int64_t units,
                                        const Index* row, int capacity, std::uint32_t* partial_row) {
  const std::int64_t unit = simt::global_thread() / simt::warp_size;
  if (unit >= units) return;
  const auto runs = static_cast<int>(ended[unit]);
  for (int i = simt::lane(); i < runs; i += simt::warp_size)
    partial_row[rank[unit] + i] = static_cast<std::uint32_t>(row[unit * capacity + i]);
}

// Beginnings of tiles among entries and units.
struct UnitCount {
  Offset units = 0;
  SIMT_BOTH void add(const UnitCount& other) { units += other.units; }
};
struct TileItems {
  using Sum = UnitCount;
  const Offset* entry;
  std::int64_t tiles;
  int capacity;
  TileStart* to;
  Offset* entry_here;

  SIMT_DEVICE UnitCount item(std::int64_t t) const {
    return {t < tiles ? (entry[t + 1] - entry[t] + capacity - 1) / capacity : 0};
  }
  SIMT_DEVICE void place(std::int64_t t, const UnitCount& before) const {
    to[t] = {entry[t], before.units};
    entry_here[t] = entry[t];
  }
};

template <class T>
Vector<T> kept_here(device::Answers<T>& answers) {
  const std::span<const T> all = answers.here();
  return {all.begin(), all.end()};
}

TileStarts tile_starts(simt::Here here, const std::uint32_t* sorted_keys, const TileColumns& columns, std::int64_t nnz,
                       std::int64_t tiles, int capacity, TileStart* there, device::Workspace& memory) {
  auto* entry = memory.take<Offset>(tiles + 1);
  simt::launch(here, thread_per(tiles + 1), find_starts_thread_per_key<Offset>, sorted_keys, nnz, tiles + 1,
               columns.bits, entry);
  device::Answers<Offset> entries(tiles + 1, memory.device());
  device::queue_scan(here, TileItems{entry, tiles, capacity, there, entries.there()}, tiles + 1, memory);
  TileStarts starts{kept_here(entries), {0}, {}};
  for (std::int64_t t = 0; t < tiles; ++t)
    starts.unit.push_back(starts.unit.back() + (starts.entry[t + 1] - starts.entry[t] + capacity - 1) / capacity);
  return starts;
}

// of_row, row_start and long_rows, from the rows of the runs of units. Tells `meanwhile` when it has to wait.
template <class V, class F>
void list_partials(simt::Here here, const std::uint32_t* ended, const Index* row_of_run, const Offset* of_tile,
                   std::int64_t tiles, Tiles<V>& to, device::Workspace& memory, F meanwhile) {
  const std::int64_t partials = to.partials.size(), units = to.rank.size(), rows = to.rows;
  auto* partial_row = memory.take<std::uint32_t>(partials);
  auto* seat = memory.take<std::uint32_t>(partials);
  auto* count = memory.take<std::uint32_t>(rows + 1);
  auto* long_rows = memory.take<Index>(rows + 1);
  to.of_row = Buffer<Index>(partials, memory.device());
  to.row_start = Buffer<Index>(rows + 1, memory.device());
  simt::launch(here, warp_per(units), list_partials_warp_per_unit, ended, to.rank.data(), units, row_of_run,
               to.unit_entries(), partial_row);
  simt::launch(here, thread_per(rows + 1), clear_counts, count, rows + 1);
  simt::launch(here, thread_per(partials), count_thread_per_partial, partial_row, partials, count, seat);
  device::Answers<RowPartials> all(1, memory.device());
  device::queue_scan(here, RowPartialItems{count, to.row_start.data(), long_rows}, rows + 1, memory, all.there());
  simt::launch(here, thread_per(partials), place_thread_per_partial, partial_row, seat, partials, to.row_start.data(),
               to.of_row.data());
  simt::launch(here, thread_per(rows), order_thread_per_row, to.row_start.data(), rows, to.of_row.data());
  meanwhile();
  to.long_rows = Buffer<Index>(all.here()[0].long_rows, memory.device());
  simt::launch(here, warp_per(to.long_rows.size()), list_warp_per_long_row, long_rows, to.long_rows.size(),
               ListedPartials{partial_row, partials, of_tile, tiles}, to.row_start.data(), to.long_rows.data(),
               to.of_row.data());
}

// Arrays of the units, but for `rank`.
template <class V>
void fill_units(simt::Here here, const UnitSource<V>& source, std::uint32_t* ended, Index* row_of_run, Tiles<V>& to) {
  dispatch_int<4, 8>(to.per_lane, [&](auto K) {
    with_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      const UnitTarget<V, S> target{to.col.data(),          writer, reinterpret_cast<std::uint8_t*>(to.ends.data()),
                                    to.ended_before.data(), ended,  row_of_run};
      simt::launch(here, warp_per(source.units), fill_warp_per_unit<K.value, V, S>, source, target);
    });
  });
}

// rank; where the partials of tiles begin, and the number of all, here and there.
Vector<Offset> rank_units(simt::Here here, const std::uint32_t* ended, const TileStart* tile, std::int64_t tiles,
                          Buffer<Index>& rank, Offset* of_tile, device::Workspace& memory) {
  const PartialCount* all = device::queue_scan(here, UnitRanks{ended, rank.data()}, rank.size(), memory);
  device::Answers<Offset> partial(tiles + 1, memory.device());
  simt::launch(here, thread_per(tiles + 1), find_partials_thread_per_tile, tile, tiles, rank.size(), rank.data(), all,
               of_tile, partial.there());
  return kept_here(partial);
}

}  // namespace

template <class V>
std::optional<Tiles<V>> Tiles<V>::build_there(simt::Here here, const MatrixThere<V>& A, const WeaveSettings& settings,
                                              Device device) {
  if (A.nnz() > INT32_MAX) return {};  // entries have 32-bit numbers here
  device::Workspace memory(device);
  PlacesThere places = places_of(here, A, static_cast<ColumnOrder>(settings.order), memory);
  const std::int64_t width = tile_width(settings, sizeof(V)), tiles = simt::blocks_for(places.size, width);
  const TileColumns columns{A.col.data(), places.of_column,
                            places.of_column ? memory.take<std::uint32_t>(A.nnz()) : nullptr,
                            static_cast<std::uint32_t>(width), bits_for(width)};
  if (columns.bits + bits_for(tiles) > 32) return {};
  const RowsAndValues<V> by_entry{device::queue_rows_of_entries(here, A, memory), A.val.data(),
                                  memory.take<Index>(A.nnz()), memory.take<V>(A.nnz())};
  const auto by_tile =
      device::queue_sort(here, columns, {bits_for(tiles), columns.bits}, {.items = A.nnz()}, memory, by_entry);
  Tiles to{.rows = A.rows, .cols = A.cols, .per_lane = settings.per_lane, .column_of = std::move(places.column_of)};
  auto* tile = memory.take<TileStart>(tiles + 1);
  TileStarts starts = tile_starts(here, by_tile.key, columns, A.nnz(), tiles, to.unit_entries(), tile, memory);
  const std::int64_t units = starts.unit.back(), stored = units * to.unit_entries();
  if (too_much_padding(stored, A.nnz())) return {};
  auto values = make_value_store(here, A.values(), settings.codec(), stored, device);
  if (!values) return {};
  to.values = std::move(*values);
  to.rank = Buffer<Index>(units, device);
  to.col = Buffer<std::uint16_t>(stored, device);
  to.ends = Buffer<std::uint32_t>(stored / 32, device);
  to.ended_before = Buffer<std::uint8_t>(stored / 32, device);
  to.packed_x = Buffer<V>(to.column_of.size(), device);
  auto* ended = memory.take<std::uint32_t>(units);
  auto* row_of_run = memory.take<Index>(stored);
  fill_units<V>(here, {by_tile.key, by_entry.row, by_entry.value, (1u << columns.bits) - 1, tile, tiles, units}, ended,
                row_of_run, to);
  auto* of_tile = memory.take<Offset>(tiles + 1);
  starts.partial = rank_units(here, ended, tile, tiles, to.rank, of_tile, memory);
  to.partials = Buffer<V>(starts.partial.back(), device);
  TileBlocks blocks;
  list_partials(here, ended, row_of_run, of_tile, tiles, to, memory,
                [&] { blocks = TileBlocks(starts, width, places.size); });
  to.blocks = Buffer<TileBlock>::copy_of(blocks.list, device);
  to.warps = blocks.warps();
  to.width = blocks.widest();
  return to;
}

template std::optional<Tiles<float>> Tiles<float>::build_there(simt::Here, const MatrixThere<float>&,
                                                               const WeaveSettings&, Device);
template std::optional<Tiles<double>> Tiles<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                                 const WeaveSettings&, Device);

}  // namespace heddle::weave
