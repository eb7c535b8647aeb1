// The entries of each warp's rows are sorted by column, then one warp of the builder cuts them into steps as the host
// does, from front to back; what it leaves are the entries of each step, so storing is one pass over the places. (With
// the place of each entry instead, places were emptied first and filled in no order, a few bytes of a sector at a
// time, and did not stay in the L2 between the one and the other.)
#include <algorithm>
#include <bit>

#include "core/dispatch.hpp"
#include "formats/weave/sums/sums_cut.hpp"
#include "simt/csr/device_entries.hpp"
#include "simt/primitives/local_sort.hpp"
#include "simt/primitives/reduce.hpp"

namespace heddle::weave {

namespace {

// Steps that the rows need at least, the most entries of a group, and whether any row is empty.
struct GroupsFound {
  std::int64_t steps = 0, most_entries = 0;
  std::int32_t empty_rows = 0;

  SIMT_BOTH void add(const GroupsFound& other) {
    steps += other.steps;
    most_entries = most_entries < other.most_entries ? other.most_entries : most_entries;
    empty_rows |= other.empty_rows;
  }
};

// The rows of a warp of the product, 32 threads each.
struct GroupItems {
  using Result = GroupsFound;
  PatternArrays A;
  std::int64_t group_rows;

  SIMT_DEVICE void add(std::int64_t thread, GroupsFound& to) const {
    const std::int64_t first = thread / simt::warp_size * group_rows,
                       last = first + group_rows < A.rows ? first + group_rows : A.rows;
    std::int32_t longest = 0;
    for (std::int64_t row = first + simt::lane(); row < last; row += simt::warp_size) {
      const auto length = static_cast<std::int32_t>(A.length(row));
      longest = length > longest ? length : longest;
      if (length == 0) to.empty_rows = 1;
    }
    longest = simt::max_lanes(longest);
    if (simt::lane() != 0) return;
    const Offset entries = A.ptr[last] - A.ptr[first], full = (entries + simt::warp_size - 1) / simt::warp_size;
    to.steps += longest > full ? longest : full;
    to.most_entries = entries > to.most_entries ? entries : to.most_entries;
  }
};

// What entries are called while they are sorted: row << bits | entry, both within their group. 32 bits: the number of
// the entry alone, where both have no room, and its row has to be looked up.
struct EntryNames {
  int bits;

  EntryNames(std::int64_t most_entries, int group_rows)
      : bits(std::bit_width(static_cast<std::uint64_t>(most_entries))) {
    if (bits + std::bit_width(static_cast<unsigned>(group_rows)) > 32) bits = 32;
  }
  SIMT_DEVICE bool have_rows() const { return bits < 32; }
  SIMT_DEVICE Index of(std::int64_t entry, Index row) const {
    return static_cast<Index>(static_cast<std::uint32_t>(row) << bits | static_cast<std::uint32_t>(entry));
  }
  SIMT_DEVICE Index row(Index name) const { return static_cast<Index>(static_cast<std::uint32_t>(name) >> bits); }
  SIMT_DEVICE std::int64_t entry(Index name, std::int64_t group_begin) const {
    return have_rows() ? group_begin + (static_cast<std::uint32_t>(name) & ((1u << bits) - 1)) : name;
  }
};

struct ColumnKeys {
  const Index* col;
  const Index* row_of_entry;
  device::Segments groups;
  EntryNames names;

  SIMT_DEVICE std::uint32_t key(std::int64_t k) const { return static_cast<std::uint32_t>(col[k]); }
  SIMT_DEVICE Index name(std::int64_t k) const {
    if (!names.have_rows()) return static_cast<Index>(k);
    const Index row = row_of_entry[k], g = row / static_cast<Index>(groups.rows);
    return names.of(k - groups.begin(g), row - g * static_cast<Index>(groups.rows));
  }
};

constexpr int threads = 256, sorted_of_thread = 4;

// The row of each sorted entry, within the rows of its warp. A thread has several under way.
SIMT_KERNEL sort_rows_block_per_entries(const Index* sorted, const Index* row_of_entry, std::int64_t count,
                                        int group_rows, EntryNames names, std::uint16_t* row) {
  const std::int64_t first = simt::block() * sorted_of_thread * threads + simt::thread();
  Index found[sorted_of_thread];
  device::load_strided(sorted, count, first, threads, found);
#pragma unroll
  for (int u = 0; u < sorted_of_thread; ++u)
    found[u] = names.have_rows() ? names.row(found[u]) : simt::cached_load(row_of_entry + found[u]) % group_rows;
#pragma unroll
  for (int u = 0; u < sorted_of_thread; ++u)
    if (first + u * threads < count) row[first + u * threads] = static_cast<std::uint16_t>(found[u]);
}

SIMT_KERNEL cut_warp_per_part(int group_rows, const std::uint16_t* rows, CutSteps to) {
  const std::int64_t number = simt::block(), g = number / to.most_parts;
  const CutSteps::Part part = to.part(g, number % to.most_parts);
  const std::int64_t first = to.first(part.begin, number),
                     room = (to.first(part.end, number + 1) - first) / simt::warp_size;
  std::uint32_t found = 0;
  if (part.begin < part.end)
    found = WarpCutter(rows + part.begin, static_cast<std::uint32_t>(part.end - part.begin), group_rows,
                       static_cast<std::uint32_t>(part.begin - to.groups.begin(g)), to.entry + first,
                       static_cast<std::uint32_t>(room))
                .cut();
  if (simt::lane() == 0) to.steps[number] = found;
}

struct BatchCount {
  Offset batches = 0;
  SIMT_BOTH void add(const BatchCount& other) { batches += other.batches; }
};
struct BatchStarts {
  using Sum = BatchCount;
  CutSteps cut;
  int batch;
  Offset* start;

  SIMT_DEVICE BatchCount item(std::int64_t g) const {
    std::int64_t steps = 0;
    for (std::int64_t p = 0; g < cut.groups.count && p < cut.most_parts; ++p)
      steps += cut.steps[g * cut.most_parts + p];
    return {(steps + batch - 1) / batch};
  }
  SIMT_DEVICE void place(std::int64_t g, const BatchCount& before) const { start[g] = before.batches; }
};

struct SortedEntries {
  const std::uint32_t* col;
  const Index* name;
  EntryNames names;
  const std::uint16_t* row;
  CutSteps cut;
};

template <class V, class S>
struct SumsTarget {
  const Offset* start;
  Index* col;
  std::uint16_t* row;
  ValueWriter<V, S> values;
};

constexpr int store_threads = 512, store_blocks = 4;

// The steps of a group as one row of them. A block notes for each part where its steps begin, and where a first step
// would be written down.
struct GroupSteps {
  struct Part {
    std::int64_t place;
    std::int64_t start;
  };
  const std::uint32_t* entry;
  std::int64_t parts;
  Part* part;  // in shared memory

  static std::size_t shared_bytes(const CutSteps& cut) {
    return static_cast<std::size_t>(cut.most_parts + 1) * sizeof(Part);
  }
  SIMT_DEVICE GroupSteps(const CutSteps& cut, std::int64_t g)
      : entry(cut.entry), parts(cut.most_parts), part(simt::shared<Part>()) {
    const std::int64_t first_part = g * parts;
    for (std::int64_t p = simt::thread(); p <= parts; p += store_threads) {
      std::int64_t before = 0;
      for (std::int64_t i = 0; i < p; ++i) before += cut.steps[first_part + i];
      part[p] = {cut.first(cut.part(g, p).begin, first_part + p) - before * simt::warp_size, before};
    }
    simt::sync_block();
  }
  SIMT_DEVICE std::uint32_t entry_of(std::int64_t step) const {
    if (step >= part[parts].start) return CutSteps::no_entry;
    std::int64_t low = 0, high = parts;  // the part with the step
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      if (part[middle].start <= step)
        low = middle;
      else
        high = middle;
    }
    return entry[part[low].place + step * simt::warp_size + simt::lane()];
  }
};

// Several blocks store the batches of a group, a thread those of a lane.
template <int K, class V, class S>
SIMT_KERNEL store_blocks_per_group(const V* val, SortedEntries from, SumsTarget<V, S> to) {
  const std::int64_t g = simt::block() / store_blocks, begin = from.cut.groups.begin(g);
  const Offset first = to.start[g], lanes = (to.start[g + 1] - first) * simt::warp_size;
  const GroupSteps steps(from.cut, g);
  const Offset first_lane = simt::block() % store_blocks * store_threads + simt::thread();
  for (Offset i = first_lane; i < lanes; i += store_blocks * store_threads) {
    const Offset batch = i / simt::warp_size;
    std::uint32_t entry[K];
#pragma unroll
    for (int j = 0; j < K; ++j) entry[j] = steps.entry_of(batch * K + j);
    Index col[K], name[K];
    std::uint16_t row[K];
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const bool there = entry[j] != CutSteps::no_entry;
      const std::int64_t at = begin + (there ? entry[j] : 0);
      const auto column = static_cast<Index>(from.col[at]);
      const std::uint16_t its_row = from.row[at];
      name[j] = from.name[at];
      col[j] = there ? column : -1;
      row[j] = there ? its_row : std::uint16_t{0};
    }
    S stored[K];
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const S value = to.values.encode(simt::cached_load(val + from.names.entry(name[j], begin)));
      stored[j] = entry[j] != CutSteps::no_entry ? value : S(0);
    }
    const Offset places = (first + batch) * K * simt::warp_size;
    store_pieces(to.col + places, col);
    store_pieces(to.row + places, row);
    store_pieces(to.values.data + places, stored);
  }
}

SIMT_KERNEL mark_filled_thread_per_word(PatternArrays A, std::int64_t words, std::uint32_t* filled) {
  const std::int64_t w = simt::global_thread();
  if (w >= words) return;
  std::uint32_t found = 0;
  for (int i = 0; i < 32; ++i)
    if (w * 32 + i < A.rows && A.length(w * 32 + i) > 0) found |= 1u << i;
  filled[w] = found;
}

// Entries by column within their groups, what they are called, and their rows.
struct EntriesByColumn {
  device::SortedItems sorted;
  EntryNames names;
  std::uint16_t* rows;

  EntriesByColumn(std::int64_t nnz, const EntryNames& names_, device::Workspace& memory)
      : sorted{memory.take<std::uint32_t>(nnz), memory.take<Index>(nnz)},
        names(names_),
        rows(memory.take<std::uint16_t>(nnz + pack_rows)) {}  // the last pack may be half empty
  SIMT_DEVICE void operator()(std::int64_t place, std::uint32_t key, Index name) const {
    sorted.key[place] = key;
    sorted.item[place] = name;
    rows[place] = static_cast<std::uint16_t>(names.row(name));
  }
};

// Groups that fit into shared memory, from the matrix itself. A warp tells the entries of a row which row they are in.
struct WholeGroups {
  PatternArrays A;
  device::Segments groups;
  EntryNames names;

  SIMT_DEVICE std::int64_t begin(std::int64_t g) const { return groups.begin(g); }
  SIMT_DEVICE std::int64_t end(std::int64_t g) const { return groups.begin(g + 1); }
  SIMT_DEVICE void prepare(std::int64_t g, std::uint32_t* row_of) const {
    const std::int64_t first = g * groups.rows, last = first + groups.rows < A.rows ? first + groups.rows : A.rows;
    const Offset base = A.ptr[first];
    constexpr int rows_at_once = device::LocalSort::threads;  // 32 of them a warp
    for (std::int64_t warp_first = first + simt::warp() * simt::warp_size; warp_first < last;
         warp_first += rows_at_once) {
      const std::int64_t mine = warp_first + simt::lane() < last ? warp_first + simt::lane() : last - 1;
      const auto begin = static_cast<int>(A.ptr[mine] - base), end = static_cast<int>(A.ptr[mine + 1] - base);
      for (int i = 0; i < simt::warp_size && warp_first + i < last; ++i) {
        const int row_begin = simt::shuffle(begin, i), row_end = simt::shuffle(end, i);
        for (int k = row_begin + simt::lane(); k < row_end; k += simt::warp_size)
          row_of[k] = static_cast<std::uint32_t>(warp_first + i - first);
      }
    }
  }
  SIMT_DEVICE std::uint32_t key(std::int64_t k) const {
    return static_cast<std::uint32_t>(simt::stream_load(A.col + k));
  }
  SIMT_DEVICE Index item(std::int64_t k, std::int64_t group_begin, const std::uint32_t* row_of) const {
    return names.of(k - group_begin, static_cast<Index>(row_of[k - group_begin]));
  }
};

// Parts of larger groups, by the upper bits of their columns.
struct PartsOfGroups {
  device::SortedItems from;
  device::RadixPieces pieces;
  const std::uint32_t* counters;  // where the items of each part and piece begin

  SIMT_DEVICE std::int64_t count() const { return pieces.segments.count * pieces.digits; }
  SIMT_DEVICE std::int64_t begin(std::int64_t part) const {
    return part < count() ? counters[part * pieces.pieces] : pieces.segments.items;
  }
  SIMT_DEVICE std::int64_t end(std::int64_t part) const { return begin(part + 1); }
  SIMT_DEVICE void prepare(std::int64_t, std::uint32_t*) const {}
  SIMT_DEVICE std::uint32_t key(std::int64_t k) const { return from.key[k]; }
  SIMT_DEVICE Index item(std::int64_t k, std::int64_t, const std::uint32_t*) const { return from.item[k]; }
};

struct MostItems {
  std::int64_t items = 0;
  SIMT_BOTH void add(const MostItems& other) { items = items < other.items ? other.items : items; }
};
struct PartSizes {
  using Result = MostItems;
  PartsOfGroups parts;
  SIMT_DEVICE void add(std::int64_t part, MostItems& to) const { to.add({parts.end(part) - parts.begin(part)}); }
};

EntriesByColumn sort_entries(simt::Here here, const PatternView& A, const SumsShape& shape,
                             const device::Segments& groups, std::int64_t most_entries, device::Workspace& memory) {
  using device::LocalSort;
  const auto last_column = static_cast<std::uint64_t>(std::max<std::int64_t>(A.cols, 2) - 1);
  const int bits = std::bit_width(last_column);
  EntriesByColumn by_column(A.nnz(), EntryNames(most_entries, shape.warp_rows), memory);
  const EntryNames& names = by_column.names;
  if (most_entries <= LocalSort::most_items && names.bits < 32) {
    device::queue_local_sort(here, WholeGroups{PatternArrays(A), groups, names}, groups.count, {bits}, by_column);
    return by_column;
  }
  const Index* row_of_entry = device::queue_rows_of_entries(here, A, memory);
  const ColumnKeys keys{A.col.data(), row_of_entry, groups, names};
  const int upper = std::bit_width(static_cast<std::uint64_t>(most_entries / (LocalSort::most_items / 2)));
  if (upper < bits && upper <= device::radix_bits && names.bits < 32) {
    const device::RadixDigit digit{bits - upper, 1 << upper};
    const device::SortedItems to{memory.take<std::uint32_t>(A.nnz()), memory.take<Index>(A.nnz())};
    const std::uint32_t* counters = device::queue_sort_by_digit(here, device::UnsortedItems<ColumnKeys>{keys}, groups,
                                                                digit, to, memory, device::ItemsAlone{});
    const PartsOfGroups parts{to, device::RadixPieces(groups, digit.digits), counters};
    const std::int64_t count = groups.count * digit.digits;
    if (device::reduce(here, PartSizes{parts}, count, memory.device()).items <= LocalSort::most_items) {
      device::queue_local_sort(here, parts, count, {bits - upper}, by_column);
      return by_column;
    }
  }
  by_column.sorted = device::queue_sort(here, keys, {bits}, groups, memory);
  simt::launch(here, {simt::blocks_for(A.nnz(), sorted_of_thread * threads), threads}, sort_rows_block_per_entries,
               by_column.sorted.item, row_of_entry, A.nnz(), shape.warp_rows, names, by_column.rows);
  return by_column;
}

SortedEntries sort_and_cut(simt::Here here, const PatternView& A, const SumsShape& shape,
                           const device::Segments& groups, std::int64_t most_entries, device::Workspace& memory) {
  const auto [sorted, names, rows] = sort_entries(here, A, shape, groups, most_entries, memory);
  const CutSteps cut(groups, most_entries, memory);
  simt::launch(here, {cut.parts(), simt::warp_size, board_bytes(shape.warp_rows)}, cut_warp_per_part, shape.warp_rows,
               rows, cut);
  return {sorted.key, sorted.item, names, rows, cut};
}

template <class V>
void store(simt::Here here, const CsrView<V>& A, const SortedEntries& from, Sums<V>& to) {
  dispatch_int<4, 8>(to.shape.batch, [&](auto K) {
    with_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      const SumsTarget<V, S> target{to.start.data(), to.col.data(), to.row.data(), writer};
      simt::launch(here, {from.cut.groups.count * store_blocks, store_threads, GroupSteps::shared_bytes(from.cut)},
                   store_blocks_per_group<K.value, V, S>, A.val.data(), from, target);
    });
  });
}

Buffer<std::uint32_t> filled_rows(simt::Here here, const PatternView& A, Device device) {
  Buffer<std::uint32_t> filled(simt::blocks_for(A.rows, 32), device);
  simt::launch(here, {simt::blocks_for(filled.size(), threads), threads}, mark_filled_thread_per_word, PatternArrays(A),
               filled.size(), filled.data());
  return filled;
}

}  // namespace

template <class V>
std::optional<Sums<V>> Sums<V>::build_there(simt::Here here, const MatrixThere<V>& A, const SumsSettings& settings,
                                            Device device) {
  const auto shape = SumsShape::of(A.rows, sizeof(V), settings.kb, settings.threads);
  const std::int64_t most = most_sums_places(A.nnz());
  if (A.nnz() > INT32_MAX) return {};  // entries have 32-bit numbers here
  const GroupItems items{PatternArrays(A), shape.warp_rows};
  const GroupsFound found = device::reduce(here, items, shape.warps() * simt::warp_size, device, 1);
  if (found.steps * simt::warp_size > most) return {};
  device::Workspace memory(device);
  const device::Segments groups{A.nnz(), shape.warps(), A.ptr.data(), shape.warp_rows};
  const SortedEntries sorted = sort_and_cut(here, A, shape, groups, found.most_entries, memory);
  Sums to{.shape = shape, .cols = A.cols, .groups = settings.groups};
  to.start = Buffer<Offset>(groups.count + 1, device);
  const BatchStarts starts{sorted.cut, shape.batch, to.start.data()};
  const std::int64_t stored = device::scan(here, starts, groups.count + 1, memory).batches * shape.batch_slots();
  if (stored > most) return {};
  auto values = make_value_store(here, A.values(), settings.codec, stored, device);
  if (!values) return {};
  to.values = std::move(*values);
  to.col = Buffer<Index>(stored, device);
  to.row = Buffer<std::uint16_t>(stored, device);
  to.partial = Buffer<V>(partial_sums(A.rows, settings.groups), device);
  store(here, A, sorted, to);
  if (found.empty_rows != 0) to.filled = filled_rows(here, A, device);
  return to;
}

template std::optional<Sums<float>> Sums<float>::build_there(simt::Here, const MatrixThere<float>&, const SumsSettings&,
                                                             Device);
template std::optional<Sums<double>> Sums<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                               const SumsSettings&, Device);

}  // namespace heddle::weave
