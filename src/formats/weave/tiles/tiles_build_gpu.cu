// Entries are sorted by tile and keep their order inside; then units are filled, a warp each, and everything else
// follows from where runs end:
//
//   sort     (order=degree: columns by their counts, then) entries by tile, and with    -> host: where tiles begin
//            them their rows and values: fetched by who fills units, each would be a sector of its own
//   units    columns, values, ends, and the rows of the runs that end there
//   scan     of the ends of units: rank
//   count    partials by row (tiles_partials.hpp)                   -> host: partials of tiles, long rows
//   list     of_row, row_start, long_rows
#include <algorithm>
#include <bit>

#include "core/dispatch.hpp"
#include "formats/weave/tiles/tiles_cut.hpp"
#include "formats/weave/tiles/tiles_partials.hpp"
#include "simt/csr/device_entries.hpp"
#include "simt/primitives/parcel.hpp"
#include "simt/primitives/radix.hpp"

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
  std::uint8_t* seen;  // columns without an entry that counts, but with others
  std::int64_t step;
};
SIMT_KERNEL count_block_per_entries(const Index* col, std::int64_t nnz, ColumnCounts to) {
  simt::let_next_start();
  const std::int64_t counted = (nnz + to.step - 1) / to.step;
  const std::int64_t first = simt::block() * counted_of_thread * threads + simt::thread();
  Index column[counted_of_thread];
#pragma unroll
  for (int u = 0; u < counted_of_thread; ++u) {
    const std::int64_t i = first + u * threads;
    column[u] = simt::stream_load(col + (i < counted ? i : counted - 1) * to.step);
  }
#pragma unroll
  for (int u = 0; u < counted_of_thread; ++u)
    if (first + u * threads < counted) simt::atomic_add(to.degree + column[u], 1u);
}
// Counts are read through the L1, as nobody changes them any more: those of the columns that most entries are in would
// be asked for in a few lines of the L2, one after the other (marked while others were counted the entries of an R-MAT
// of 3.9 M took 82 us; H200).
SIMT_KERNEL mark_block_per_entries(const Index* col, std::int64_t nnz, ColumnCounts to) {
  const std::int64_t first = simt::block() * counted_of_thread * threads + simt::thread();
  Index column[counted_of_thread];
  device::load_strided(col, nnz, first, threads, column);
  std::uint32_t counted[counted_of_thread];
#pragma unroll
  for (int u = 0; u < counted_of_thread; ++u) counted[u] = simt::cached_load(to.degree + column[u]);
#pragma unroll
  for (int u = 0; u < counted_of_thread; ++u)
    if (counted[u] == 0) to.seen[column[u]] = 1;
}

// Columns without entries come last.
struct FallingDegrees {
  ColumnCounts counts;

  SIMT_DEVICE std::uint32_t key(std::int64_t c) const {
    const int its_class = class_of_column(counts.degree[c], counts.step, counts.seen[c] != 0);
    return static_cast<std::uint32_t>(degree_classes - 1 - its_class);
  }
};
SIMT_KERNEL clear_counts_and_copy_columns(std::uint32_t* count, std::int64_t rows, const Index* sorted,
                                          std::int64_t columns, Index* column_of) {
  const std::int64_t i = simt::global_thread();
  if (i < rows) count[i] = 0;
  if (i < columns) column_of[i] = sorted[i];
}

// Columns in the order in which tiles are cut from them. How many have entries, and are, the device knows.
struct PlacesThere {
  const Index* of_column = nullptr;  // null: every column is in its own place
  const Index* column_of = nullptr;
  const std::uint32_t* filled = nullptr;
};

simt::Launch block_per(std::int64_t entries) {
  return {simt::blocks_for(entries, counted_of_thread * threads), threads};
}

// Lets the next kernel start.
ColumnCounts queue_counts(simt::Here here, const PatternView& A, device::Workspace& memory) {
  const std::int64_t words = A.cols + (A.cols + 3) / 4;
  auto* degree = memory.take<std::uint32_t>(words);
  const ColumnCounts counts{degree, reinterpret_cast<std::uint8_t*>(degree + A.cols), degree_step(A.nnz())};
  simt::launch(here, thread_per(words), clear_thread_per_word, degree, words);
  simt::launch(here, block_per((A.nnz() + counts.step - 1) / counts.step), count_block_per_entries, A.col.data(),
               A.nnz(), counts);
  return counts;
}

PlacesThere queue_places(simt::Here here, const PatternView& A, const ColumnCounts& counts, device::Workspace& memory) {
  auto* place_of = memory.take<Index>(A.cols);
  if (counts.step > 1) simt::launch(here, block_per(A.nnz()), mark_block_per_entries, A.col.data(), A.nnz(), counts);
  constexpr int digit_bits = std::bit_width(static_cast<unsigned>(degree_classes - 1));
  static_assert(digit_bits <= device::radix_bits);
  const auto sorted = device::queue_sort(here, FallingDegrees{counts}, {digit_bits}, {.items = A.cols}, memory,
                                         device::PlacesOfItems{place_of});
  return {place_of, sorted.item, sorted.begins.of_first_piece + (degree_classes - 1) * sorted.begins.pieces};
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

SIMT_KERNEL find_begins_thread_per_tile(const std::uint32_t* sorted, std::int64_t count, std::int64_t tiles, int shift,
                                        std::uint32_t* begin) {
  const std::int64_t t = simt::global_thread();
  if (t < tiles)
    begin[t] = static_cast<std::uint32_t>(first_from(sorted, count, static_cast<std::uint64_t>(t) << shift));
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

// Where the partials of each tile begin, the number of all, and that of long rows.
SIMT_KERNEL tell_thread_per_tile(const TileStart* tile, std::int64_t tiles, std::int64_t units, const Index* rank,
                                 const RowPartials* all, Offset* there, Offset* here) {
  const std::int64_t t = simt::global_thread();
  if (t <= tiles) there[t] = here[t] = tile[t].unit < units ? rank[tile[t].unit] : all->partials;
  if (t == tiles) here[tiles + 1] = all->long_rows;
}

// Beginnings of tiles among entries and units.
struct UnitCount {
  Offset units = 0;
  SIMT_BOTH void add(const UnitCount& other) { units += other.units; }
};
struct TileItems {
  using Sum = UnitCount;
  device::DigitBegins begins;
  std::int64_t tiles;
  Offset entries;
  int capacity;
  const std::uint32_t* filled;  // null: all columns
  TileStart* to;
  Offset* entry_here;

  SIMT_DEVICE Offset entry(std::int64_t t) const { return t < tiles ? Offset{begins[t]} : entries; }
  SIMT_DEVICE UnitCount item(std::int64_t t) const {
    return {t < tiles ? (entry(t + 1) - entry(t) + capacity - 1) / capacity : 0};
  }
  SIMT_DEVICE void place(std::int64_t t, const UnitCount& before) const {
    to[t] = {entry(t), before.units};
    entry_here[t] = entry(t);
    if (t == tiles && filled != nullptr) entry_here[tiles + 1] = *filled;
  }
};

// How many columns are cut into tiles, and where these begin. Waits.
struct TilesFound {
  std::int64_t columns;
  TileStarts starts;
};
TilesFound find_tiles(simt::Here here, const PatternView& A, const device::SortedByDigit& sorted, std::int64_t width,
                      int bits, const PlacesThere& places, int capacity, TileStart* there, device::Workspace& memory) {
  const std::int64_t most = simt::blocks_for(A.cols, width);  // tiles
  device::DigitBegins begins = sorted.begins;
  if (begins.of_first_piece == nullptr) {
    auto* begin = memory.take<std::uint32_t>(most);
    simt::launch(here, thread_per(most), find_begins_thread_per_tile, sorted.key, A.nnz(), most, bits, begin);
    begins = {begin, 1};
  }
  device::Answers<Offset> answers(most + 2, memory.device());
  device::queue_scan(here, TileItems{begins, most, A.nnz(), capacity, places.filled, there, answers.there()}, most + 1,
                     memory);
  const std::span<const Offset> entry = answers.here();
  TilesFound found{places.filled ? entry[most + 1] : A.cols, {}};
  const std::int64_t tiles = simt::blocks_for(found.columns, width);
  found.starts = {{entry.begin(), entry.begin() + tiles + 1}, {0}, {}};
  for (std::int64_t t = 0; t < tiles; ++t)
    found.starts.unit.push_back(found.starts.unit.back() + (entry[t + 1] - entry[t] + capacity - 1) / capacity);
  return found;
}

// Room for a partial an entry.
struct PartialsRoom {
  std::uint32_t *row, *seat;
  Index* seated;
};

// rank, row_start, of_row and long_rows, from the rows of the runs of units. `count` is empty: of each row, and one
// more. Tells where the partials of tiles begin, and the number of all.
template <class V>
Vector<Offset> list_partials(simt::Here here, const RunsOfUnits& runs, const TileStart* tile, std::int64_t tiles,
                             std::uint32_t* count, const PartialsRoom& room, Tiles<V>& to, device::Workspace& memory) {
  const std::int64_t units = runs.units, rows = to.rows;
  auto* long_rows = memory.take<Index>(rows + 1);
  auto* of_tile = memory.take<Offset>(tiles + 1);
  auto* all = memory.take<RowPartials>(1);
  device::Answers<Offset> answers(tiles + 2, memory.device());
  device::queue_scan(here, UnitRanks{runs.ended, to.rank.data()}, units, memory);
  simt::launch(here, warp_per(units), count_warp_per_unit, runs, to.rank.data(), room.row, room.seat, count);
  device::queue_scan(here, RowPartialItems{count, to.row_start.data(), long_rows}, rows + 1, memory, all);
  simt::launch(here, thread_per(tiles + 1), tell_thread_per_tile, tile, tiles, units, to.rank.data(), all, of_tile,
               answers.there());
  const std::span<const Offset> found = answers.here();
  const Offset partials = found[static_cast<std::size_t>(tiles)];
  to.partials = Buffer<V>(partials, memory.device());
  to.of_row = Buffer<Index>(partials, memory.device());
  to.long_rows = Buffer<Index>(found[static_cast<std::size_t>(tiles) + 1], memory.device());
  simt::launch(here, thread_per(partials), place_thread_per_partial, room.row, room.seat, partials, to.row_start.data(),
               room.seated);
  simt::launch(here, thread_per(partials), order_thread_per_partial, room.row, partials, to.row_start.data(),
               room.seated, to.of_row.data());
  simt::Launch beside = warp_per(to.long_rows.size());
  beside.overlaps = true;
  simt::launch(here, beside, list_warp_per_long_row, long_rows, to.long_rows.size(),
               ListedPartials{room.row, partials, of_tile, tiles}, to.row_start.data(), to.long_rows.data(),
               to.of_row.data());
  return {found.begin(), found.begin() + tiles + 1};
}

// Memory for units, columns and rows; what depends on the number of partials comes later.
template <class V>
void make_room(Tiles<V>& to, std::int64_t units, std::int64_t places, Device device) {
  const std::int64_t stored = units * to.unit_entries();
  to.rank = Buffer<Index>(units, device);
  to.col = Buffer<std::uint16_t>(stored, device);
  to.ends = Buffer<std::uint32_t>(stored / 32, device);
  to.ended_before = Buffer<std::uint8_t>(stored / 32, device);
  to.column_of = Buffer<Index>(places, device);
  to.packed_x = Buffer<V>(places, device);
  to.row_start = Buffer<Index>(to.rows + 1, device);
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

}  // namespace

template <class V>
std::optional<Tiles<V>> Tiles<V>::build_there(simt::Here here, const MatrixThere<V>& A, const TilesSettings& settings,
                                              Device device) {
  if (A.nnz() > INT32_MAX) return {};  // entries have 32-bit numbers here
  device::Workspace memory(device);
  const bool by_degree = settings.order == ColumnOrder::degree;
  ColumnCounts counts{};
  if (by_degree) counts = queue_counts(here, A, memory);
  const Index* row_of_entry =
      device::queue_rows_of_entries(here, A, memory, by_degree);  // while others wait for counts
  const PlacesThere places = by_degree ? queue_places(here, A, counts, memory) : PlacesThere{};
  const std::int64_t width = tile_width(settings, sizeof(V)), most_tiles = simt::blocks_for(A.cols, width);
  const TileColumns columns{A.col.data(), places.of_column,
                            places.of_column ? memory.take<std::uint32_t>(A.nnz()) : nullptr,
                            static_cast<std::uint32_t>(width), bits_for(width)};
  if (columns.bits + bits_for(most_tiles) > 32) return {};
  const RowsAndValues<V> by_entry{row_of_entry, A.val.data(), memory.take<Index>(A.nnz()), memory.take<V>(A.nnz())};
  const auto by_tile =
      device::queue_sort(here, columns, {bits_for(most_tiles), columns.bits}, {.items = A.nnz()}, memory, by_entry);
  Tiles to{.rows = A.rows, .cols = A.cols, .per_lane = settings.per_lane};
  auto* tile = memory.take<TileStart>(most_tiles + 1);
  auto [filled, starts] = find_tiles(here, A, by_tile, width, columns.bits, places, to.unit_entries(), tile, memory);
  const std::int64_t units = starts.unit.back(), stored = units * to.unit_entries();
  if (too_much_padding(stored, A.nnz())) return {};
  auto values = make_value_store(here, A.values(), settings.codec, stored, device);
  if (!values) return {};
  to.values = std::move(*values);
  make_room(to, units, places.column_of ? filled : 0, device);
  auto* ended = memory.take<std::uint32_t>(units);
  auto* row_of_run = memory.take<Index>(stored);
  fill_units<V>(here,
                {by_tile.key, by_entry.row, by_entry.value, (1u << columns.bits) - 1, tile, starts.tiles(), units},
                ended, row_of_run, to);
  auto* count = memory.take<std::uint32_t>(A.rows + 1);
  simt::launch(here, thread_per(std::max(A.rows + 1, to.column_of.size())), clear_counts_and_copy_columns, count,
               A.rows + 1, places.column_of, to.column_of.size(), to.column_of.data());
  // Sorted keys and entries have served, and there is room for partials.
  starts.partial = list_partials(here, {ended, row_of_run, units, to.unit_entries()}, tile, starts.tiles(), count,
                                 {by_tile.key, reinterpret_cast<std::uint32_t*>(by_tile.item), row_of_run}, to, memory);
  const TileBlocks blocks(starts, width, filled);
  to.blocks = device::send<TileBlock>(here, blocks.list, device, false);
  to.warps = blocks.warps();
  to.width = blocks.widest();
  return to;
}

template std::optional<Tiles<float>> Tiles<float>::build_there(simt::Here, const MatrixThere<float>&,
                                                               const TilesSettings&, Device);
template std::optional<Tiles<double>> Tiles<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                                 const TilesSettings&, Device);

}  // namespace heddle::weave
