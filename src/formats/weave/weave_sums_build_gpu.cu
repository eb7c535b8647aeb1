// The entries of each warp's rows are sorted by column, then one warp of the builder cuts them into steps as the host
// does, from front to back; what it leaves are the entries of each step, so storing is one pass over the places. (With
// the place of each entry instead, places were emptied first and filled in no order, a few bytes of a sector at a
// time, and did not stay in the L2 between the one and the other.)
#include <algorithm>
#include <bit>

#include "core/dispatch.hpp"
#include "formats/weave/weave_sums.hpp"
#include "layout/device_entries.hpp"
#include "layout/device_radix.hpp"
#include "layout/device_reduce.hpp"

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
#pragma unroll
  for (int u = 0; u < sorted_of_thread; ++u)
    found[u] = simt::stream_load(sorted + (first + u * threads < count ? first + u * threads : count - 1));
#pragma unroll
  for (int u = 0; u < sorted_of_thread; ++u)
    found[u] = names.have_rows() ? names.row(found[u]) : simt::cached_load(row_of_entry + found[u]) % group_rows;
#pragma unroll
  for (int u = 0; u < sorted_of_thread; ++u)
    if (first + u * threads < count) row[first + u * threads] = static_cast<std::uint16_t>(found[u]);
}

constexpr int fetched_rows = 1024, pack_rows = 8;

struct WaitingEntry {
  std::uint32_t entry, row;
};

// Shared memory of the warp that cuts. Behind it lies, for each row, the last step that has it.
struct CutBoard {
  WaitingEntry waiting[most_waiting];
  simt::Pack<std::uint16_t, pack_rows> fetched[fetched_rows / pack_rows];
};

std::size_t board_bytes(int group_rows) {
  return sizeof(CutBoard) + static_cast<std::size_t>(group_rows) * sizeof(std::uint32_t);
}

// Where the cut of a group is written down: of each lane of its steps the entry, by its number among the sorted ones of
// the group. Nobody knows yet how many steps there will be: there is room for twice as many places as entries, and
// more for a few groups. Where that is not enough the host cuts.
struct CutSteps {
  static constexpr std::uint32_t no_entry = 0xffffffffu, no_room = 0xffffffffu;
  std::int64_t slack;  // steps
  std::uint32_t* entry = nullptr;
  std::uint32_t* steps = nullptr;  // of each group, or no_room

  CutSteps(const device::Segments& groups, device::Workspace& memory)
      : slack(std::max<std::int64_t>(128, (1 << 18) / std::max<std::int64_t>(1, groups.count))),
        entry(memory.take<std::uint32_t>(2 * groups.items + groups.count * slack * simt::warp_size)),
        steps(memory.take<std::uint32_t>(groups.count)) {}
  SIMT_DEVICE std::int64_t first(const device::Segments& groups, std::int64_t g) const {
    return (groups.begin(g) / (simt::warp_size / 2) + g * slack) * simt::warp_size;
  }
};

// StepCutter of the host, 32 candidates at a time: a lane may take its entry when no earlier candidate of the step has
// its row, and as long as the step has room.
class WarpCutter {
 public:
  SIMT_DEVICE WarpCutter(const std::uint16_t* rows, std::uint32_t count, int group_rows, std::uint32_t* to,
                         std::uint32_t most_steps)
      : board_(*simt::shared<CutBoard>()),
        last_step_(reinterpret_cast<std::uint32_t*>(&board_ + 1)),
        rows_(rows),
        count_(count),
        row_bits_(simt::warp_size - simt::leading_zeros(static_cast<unsigned>(group_rows - 1))),
        to_(to),
        most_steps_(most_steps) {
    for (int r = simt::lane(); r < group_rows; r += simt::warp_size) last_step_[r] = never;
    simt::sync_warp();
  }

  // Gives the number of steps.
  SIMT_DEVICE std::uint32_t cut() {
    for (; next_ < count_ || waiting_ > 0; ++step_) {
      if (step_ == most_steps_) return CutSteps::no_room;
      taken_ = 0;
      if (waiting_ < simt::warp_size)
        take_waiting_and_next();
      else
        take_waiting();
      while (next_ < count_ && taken_ < simt::warp_size && waiting_ < most_waiting) take_next();
      if (simt::lane() >= taken_) to_[step_ * simt::warp_size + simt::lane()] = CutSteps::no_entry;
    }
    return step_;
  }

 private:
  static constexpr std::uint32_t never = 0xffffffffu;

  SIMT_DEVICE static unsigned lower_lanes() { return (1u << simt::lane()) - 1; }
  // The first of the candidates with its row, and the step has not got it yet.
  SIMT_DEVICE bool fits(bool there, std::uint32_t row) const {
    const bool is_free = last_step_[row] != step_;
    const unsigned alike = simt::same_lanes_below(row_bits_, row) & simt::ballot(there);
    return there && is_free && (alike & lower_lanes()) == 0;
  }
  SIMT_DEVICE void take(std::uint32_t entry, std::uint32_t row, int lane) {
    last_step_[row] = step_;
    to_[step_ * simt::warp_size + static_cast<std::uint32_t>(lane)] = entry;
  }

  SIMT_DEVICE void take_waiting() {
    int kept = 0;
    for (int first = 0; first < waiting_; first += simt::warp_size) {
      const int i = first + simt::lane();
      const bool there = i < waiting_;
      const WaitingEntry mine = there ? board_.waiting[i] : WaitingEntry{0, 0};
      const bool fitting = fits(there, mine.row);
      const unsigned all_fitting = simt::ballot(fitting);
      const int lane = taken_ + simt::count_bits(all_fitting & lower_lanes());
      const bool takes = fitting && lane < simt::warp_size;
      const unsigned keeping = simt::ballot(there && !takes);
      simt::sync_warp();  // everybody has read what is overwritten now
      if (takes) take(mine.entry, mine.row, lane);
      if (there && !takes) board_.waiting[kept + simt::count_bits(keeping & lower_lanes())] = mine;
      simt::sync_warp();
      kept += simt::count_bits(keeping);
      taken_ += simt::count_bits(all_fitting);
    }
    waiting_ = kept;
  }

  // Those that wait and the next ones, 32 together: the step has room for all of them.
  SIMT_DEVICE void take_waiting_and_next() {
    fetch();
    const bool waits = simt::lane() < waiting_;
    const std::uint32_t entry = next_ + static_cast<std::uint32_t>(simt::lane() - waiting_);
    const bool there = waits || entry < count_;
    WaitingEntry mine{0, 0};
    if (waits)
      mine = board_.waiting[simt::lane()];
    else if (there)
      mine = {entry, fetched_row(entry)};
    const bool takes = fits(there, mine.row);
    const unsigned coming = simt::ballot(there), taking = simt::ballot(takes), keeping = coming & ~taking;
    simt::sync_warp();  // everybody has read what is overwritten now
    if (takes) take(mine.entry, mine.row, simt::count_bits(taking & lower_lanes()));
    if (there && !takes) board_.waiting[simt::count_bits(keeping & lower_lanes())] = mine;
    simt::sync_warp();
    next_ += static_cast<std::uint32_t>(simt::count_bits(coming) - waiting_);
    taken_ = simt::count_bits(taking);
    waiting_ = simt::count_bits(keeping);
  }

  SIMT_DEVICE void take_next() {
    fetch();
    const std::uint32_t entry = next_ + simt::lane();
    const bool there = entry < count_;
    const std::uint32_t row = there ? fetched_row(entry) : 0;
    const bool fitting = fits(there, row);
    const int fitting_before = simt::count_bits(simt::ballot(fitting) & lower_lanes());
    const int lane = taken_ + fitting_before, seat = waiting_ + simt::lane() - fitting_before;
    const bool comes = there && lane < simt::warp_size && seat < most_waiting;  // of all lanes the first ones
    const unsigned coming = simt::ballot(comes), taking = simt::ballot(comes && fitting);
    if (comes && fitting) take(entry, row, lane);
    if (comes && !fitting) board_.waiting[seat] = {entry, row};
    simt::sync_warp();
    next_ += simt::count_bits(coming);
    taken_ += simt::count_bits(taking);
    waiting_ += simt::count_bits(coming) - simt::count_bits(taking);
  }

  // The next 32 rows are in shared memory. They come in packs, from the last one that begins at or before the next.
  SIMT_DEVICE void fetch() {
    const bool enough = next_ + simt::warp_size <= fetched_end_ || fetched_end_ == count_;
    if (enough) return;
    constexpr int packs_of_lane = fetched_rows / pack_rows / simt::warp_size;
    const auto before =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(rows_ + next_) / sizeof *rows_ % pack_rows);
    const std::uint16_t* from = rows_ + next_ - before;
    const auto last_pack = static_cast<int>((count_ - next_ + before - 1) / pack_rows);
    simt::Pack<std::uint16_t, pack_rows> pack[packs_of_lane];
#pragma unroll
    for (int u = 0; u < packs_of_lane; ++u) {
      const int i = u * simt::warp_size + simt::lane();
      pack[u] = simt::stream_pack<pack_rows>(from + (i < last_pack ? i : last_pack) * pack_rows);
    }
#pragma unroll
    for (int u = 0; u < packs_of_lane; ++u) board_.fetched[u * simt::warp_size + simt::lane()] = pack[u];
    fetched_ = next_ - before;
    fetched_end_ = count_ - next_ < fetched_rows - before ? count_ : next_ + (fetched_rows - before);
    simt::sync_warp();
  }
  SIMT_DEVICE std::uint32_t fetched_row(std::uint32_t entry) const {
    const std::uint32_t i = entry - fetched_;
    return board_.fetched[i / pack_rows].at[i % pack_rows];
  }

  CutBoard& board_;
  std::uint32_t* last_step_;
  const std::uint16_t* rows_;
  std::uint32_t count_;
  int row_bits_;
  std::uint32_t* to_;
  std::uint32_t most_steps_;
  std::uint32_t next_ = 0, step_ = 0, fetched_ = 0, fetched_end_ = 0;
  int taken_ = 0;  // 32 and more: the step is full
  int waiting_ = 0;
};

SIMT_KERNEL cut_warp_per_group(device::Segments groups, int group_rows, const std::uint16_t* rows, CutSteps to) {
  const std::int64_t g = simt::block(), begin = groups.begin(g), end = groups.begin(g + 1);
  const std::int64_t first = to.first(groups, g), room = (to.first(groups, g + 1) - first) / simt::warp_size;
  const std::uint32_t found = WarpCutter(rows + begin, static_cast<std::uint32_t>(end - begin), group_rows,
                                         to.entry + first, static_cast<std::uint32_t>(room))
                                  .cut();
  if (simt::lane() == 0) to.steps[g] = found;
}

struct BatchCount {
  Offset batches = 0;
  SIMT_BOTH void add(const BatchCount& other) { batches += other.batches; }
};
struct BatchStarts {
  using Sum = BatchCount;
  const std::uint32_t* steps;
  std::int64_t groups;
  int batch;
  Offset* start;

  SIMT_DEVICE BatchCount item(std::int64_t g) const {
    return {g < groups ? (std::int64_t{steps[g]} + batch - 1) / batch : 0};
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

constexpr int store_threads = 512;

// A block stores the batches of a group, a thread those of a lane.
template <int K, class V, class S>
SIMT_KERNEL store_block_per_group(const V* val, device::Segments groups, SortedEntries from, SumsTarget<V, S> to) {
  const std::int64_t g = simt::block(), begin = groups.begin(g);
  const Offset first = to.start[g], lanes = (to.start[g + 1] - first) * simt::warp_size;
  const std::uint32_t* cut = from.cut.entry + from.cut.first(groups, g);
  const std::uint32_t steps = from.cut.steps[g];
  for (Offset i = simt::thread(); i < lanes; i += store_threads) {
    const Offset batch = i / simt::warp_size;
    std::uint32_t entry[K];
#pragma unroll
    for (int j = 0; j < K; ++j)
      entry[j] = batch * K + j < steps ? cut[(batch * K + j) * simt::warp_size + simt::lane()] : CutSteps::no_entry;
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

SortedEntries sort_and_cut(simt::Here here, const PatternView& A, const SumsShape& shape,
                           const device::Segments& groups, const EntryNames& names, device::Workspace& memory) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(A.cols, 1) - 1));
  const Index* row_of_entry = device::queue_rows_of_entries(here, A, memory);
  const auto sorted =
      device::queue_sort(here, ColumnKeys{A.col.data(), row_of_entry, groups, names}, bits, groups, memory);
  auto* rows = memory.take<std::uint16_t>(A.nnz() + pack_rows);  // the last pack may be half empty
  simt::launch(here, {simt::blocks_for(A.nnz(), sorted_of_thread * threads), threads}, sort_rows_block_per_entries,
               sorted.item, row_of_entry, A.nnz(), shape.warp_rows, names, rows);
  const CutSteps cut(groups, memory);
  simt::launch(here, {groups.count, simt::warp_size, board_bytes(shape.warp_rows)}, cut_warp_per_group, groups,
               shape.warp_rows, rows, cut);
  return {sorted.key, sorted.item, names, rows, cut};
}

template <class V>
void store(simt::Here here, const CsrView<V>& A, const device::Segments& groups, const SortedEntries& from,
           Sums<V>& to) {
  dispatch_int<4, 8>(to.shape.batch, [&](auto K) {
    with_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      const SumsTarget<V, S> target{to.start.data(), to.col.data(), to.row.data(), writer};
      simt::launch(here, {groups.count, store_threads}, store_block_per_group<K.value, V, S>, A.val.data(), groups,
                   from, target);
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
std::optional<Sums<V>> Sums<V>::build_there(simt::Here here, const CsrView<V>& A, const WeaveSettings& settings,
                                            Device device) {
  const auto shape = SumsShape::of(A.rows, sizeof(V), settings.kb, settings.threads);
  const std::int64_t most = most_sums_places(A.nnz());
  if (A.nnz() > INT32_MAX) return {};  // entries have 32-bit numbers here
  const GroupItems items{PatternArrays(A), shape.warp_rows};
  const GroupsFound found = device::reduce(here, items, shape.warps() * simt::warp_size, device, 1);
  if (found.steps * simt::warp_size > most) return {};
  device::Workspace memory(device);
  const device::Segments groups{A.nnz(), shape.warps(), A.ptr.data(), shape.warp_rows};
  const EntryNames names(found.most_entries, shape.warp_rows);
  const SortedEntries sorted = sort_and_cut(here, A, shape, groups, names, memory);
  Sums to{.shape = shape, .cols = A.cols, .groups = settings.groups};
  to.start = Buffer<Offset>(groups.count + 1, device);
  const BatchStarts starts{sorted.cut.steps, groups.count, shape.batch, to.start.data()};
  const std::int64_t stored = device::scan(here, starts, groups.count + 1, memory).batches * shape.batch_slots();
  if (stored > most) return {};
  auto values = make_value_store(here, A.val, settings.codec(), stored, device);
  if (!values) return {};
  to.values = std::move(*values);
  to.col = Buffer<Index>(stored, device);
  to.row = Buffer<std::uint16_t>(stored, device);
  to.partial = Buffer<V>(partial_sums(A.rows, settings.groups), device);
  store(here, A, groups, sorted, to);
  if (found.empty_rows != 0) to.filled = filled_rows(here, A, device);
  return to;
}

template std::optional<Sums<float>> Sums<float>::build_there(simt::Here, const CsrView<float>&, const WeaveSettings&,
                                                             Device);
template std::optional<Sums<double>> Sums<double>::build_there(simt::Here, const CsrView<double>&, const WeaveSettings&,
                                                               Device);

}  // namespace heddle::weave
