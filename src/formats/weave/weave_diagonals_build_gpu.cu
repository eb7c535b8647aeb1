// Which slices share a pattern is found out by their hashes, in a table that every slice enters; the first slice of
// each pattern gives it, and patterns are numbered in the order of those slices, as the host does.
//
//   kernel   number of diagonals and hash of each slice; the table
//   scan     where the diagonals of each slice, and of each pattern, begin
//   kernel   (offset, rows) of the diagonals of the patterns     -> host, in one copy with how much there is of all:
//            numbers for masks, of which there are few
//   kernel   values; and every slice compares what it has with its pattern: a hash that lied is found out
#include <bit>
#include <memory>

#include "formats/weave/weave_diagonal_near.hpp"
#include "formats/weave/weave_lists.hpp"
#include "layout/device_scan.hpp"

namespace heddle::weave {

namespace {

struct SliceFound {
  std::uint64_t hash;  // not 0
  std::int64_t count;
  std::int64_t first;  // slice with this pattern
};

// Open addressing: hashes, and with each the first slice that has it, as ~slice.
struct HashTable {
  std::uint64_t *hash, *first;
  std::uint64_t mask;  // a power of two of places, less one

  SIMT_DEVICE void enter(std::uint64_t wanted, std::int64_t slice) const {
    std::uint64_t at = wanted & mask;
    for (;; at = (at + 1) & mask) {
      std::uint64_t there = simt::uncached_load(hash + at);
      if (there == 0) there = simt::atomic_claim(hash + at, wanted);
      if (there == 0 || there == wanted) break;
    }
    // Thousands of slices share a pattern: only those before the first so far have something to say.
    const std::uint64_t mine = ~static_cast<std::uint64_t>(slice);
    if (simt::uncached_load(first + at) < mine) simt::atomic_max(first + at, mine);
  }
  SIMT_DEVICE std::int64_t first_with(std::uint64_t wanted) const {
    std::uint64_t at = wanted & mask;
    while (hash[at] != wanted) at = (at + 1) & mask;
    return static_cast<std::int64_t>(~first[at]);
  }
};

SIMT_KERNEL clear_thread_per_word(std::uint64_t* words, std::int64_t count) {
  if (simt::global_thread() < count) words[simt::global_thread()] = 0;
}

SIMT_KERNEL clear_flag(std::int32_t* flag) {
  if (simt::thread() == 0) *flag = 0;
}

SIMT_DEVICE std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

SIMT_KERNEL find_diagonals_block_per_slice(PatternArrays A, SliceRoom room, SliceFound* to, HashTable table) {
  const std::int64_t s = simt::block();
  const SliceRows rows(A, s);
  DiagonalWalk walk(A, rows.first, rows.last);
  walk.begin(columns_near(A, rows, room));
  if (simt::warp() != 0) return;
  SliceFound found{0, 0, 0};
  for (; walk.advance(); ++found.count) {
    const RowMask mask = walk.mask();
    found.hash = mixed(found.hash, static_cast<std::uint32_t>(walk.offset));
    found.hash = mixed(found.hash, std::uint64_t{mask.word[0]} << 32 | mask.word[1]);
    found.hash = mixed(found.hash, std::uint64_t{mask.word[2]} << 32 | mask.word[3]);
  }
  if (simt::lane() != 0) return;
  found.hash = mixed(found.hash, static_cast<std::uint64_t>(found.count)) | 1;
  to[s] = found;
  table.enter(found.hash, s);
}

struct SliceSums {
  Offset diagonals = 0, patterns = 0, pattern_size = 0;

  SIMT_BOTH void add(const SliceSums& other) {
    diagonals += other.diagonals;
    patterns += other.patterns;
    pattern_size += other.pattern_size;
  }
};

// One slice of each pattern, and where its diagonals come to lie.
struct PatternSlice {
  std::int64_t slice;
  Offset begin;
};

// (In a kernel of its own, where every slice has a thread: a scan has fewer, and each would wait for eight answers.)
SIMT_KERNEL ask_thread_per_slice(SliceFound* found, HashTable table, std::int64_t slices) {
  const std::int64_t s = simt::global_thread();
  if (s < slices) found[s].first = table.first_with(found[s].hash);
}

struct SliceItems {
  using Sum = SliceSums;
  const SliceFound* found;
  DiagonalSlice* slices;
  PatternSlice* patterns;

  SIMT_DEVICE SliceSums item(std::int64_t s) const {
    const bool is_first = found[s].first == s;
    return {found[s].count, is_first ? 1 : 0, is_first ? found[s].count : 0};
  }
  // The first slice of a pattern knows already where the pattern begins.
  SIMT_DEVICE void place(std::int64_t s, const SliceSums& before) const {
    slices[s] = {before.diagonals, static_cast<Index>(before.pattern_size), static_cast<Index>(found[s].count)};
    if (found[s].first == s) patterns[before.patterns] = {s, before.pattern_size};
  }
};

// All others ask it.
SIMT_KERNEL number_patterns_thread_per_slice(const SliceFound* found, std::int64_t slices, DiagonalSlice* to,
                                             std::int32_t* wrong) {
  const std::int64_t s = simt::global_thread();
  if (s >= slices) return;
  const std::int64_t first = found[s].first;
  if (first != s) to[s].pattern = to[first].pattern;
  if (found[first].count != found[s].count) {
    to[s].count = 0;  // nobody reads behind the end of a shorter pattern
    *wrong = 1;
  }
}

struct FoundDiagonal {
  RowMask rows;
  Index offset;
};

// What the host needs to know of all slices, and the first diagonals of their patterns: mostly all of them.
struct PatternHead {
  static constexpr Offset room = 512;
  SliceSums total;
  FoundDiagonal diagonal[room];
};

// `patterns`: blocks behind the last one have nothing to do. Diagonals behind `room` are left out.
SIMT_KERNEL list_diagonals_block_per_pattern(PatternArrays A, SliceRoom near, const PatternSlice* patterns,
                                             const SliceSums* total, FoundDiagonal* to, Offset room) {
  if (simt::block() >= total->patterns) return;
  const PatternSlice pattern = patterns[simt::block()];
  const SliceRows rows(A, pattern.slice);
  DiagonalWalk walk(A, rows.first, rows.last);
  walk.begin(columns_near(A, rows, near));
  if (simt::warp() != 0) return;
  for (Offset at = pattern.begin; at < room && walk.advance(); ++at) {
    const RowMask mask = walk.mask();
    if (simt::lane() == 0) to[at] = {mask, walk.offset};
  }
}
SIMT_KERNEL keep_total(const SliceSums* total, PatternHead* head) {
  if (simt::thread() == 0) head->total = *total;
}

struct DiagonalsTarget {
  const DiagonalSlice* slices;
  std::int64_t count;
  const Diagonal* pattern;
  const RowMask* masks;
  std::int32_t* wrong;  // set where something is not as it was thought to be
};

// Whether diagonal d of the slice is the one of its pattern.
SIMT_DEVICE bool as_in_pattern(const DiagonalsTarget& to, const DiagonalSlice& slice, Index d,
                               const DiagonalWalk& walk) {
  const RowMask mask = walk.mask();
  if (d >= slice.count) return false;
  const Diagonal known = to.pattern[slice.pattern + d];
  const RowMask rows = to.masks[known.mask];
  bool same = known.offset == walk.offset;
  for (int j = 0; j < rows_per_lane; ++j) same &= mask.word[j] == rows.word[j];
  return same;
}

template <class V>
inline constexpr std::size_t entry_bytes = sizeof(V) + sizeof(Index);

template <class V, class S>
struct StoreAll {
  ValueWriter<V, S> values;

  // False: the codec does not hold the values of the diagonal.
  SIMT_DEVICE bool store(const DiagonalWalk& walk, const V* val, Offset diagonal) const {
    S stored[rows_per_lane];
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j)
      stored[j] = (walk.has >> j & 1) != 0 ? values.encode(val[walk.entry(j)]) : S(0);
    store_pieces(values.data + diagonal * slice_rows, stored);
    return true;
  }
};

// One value a diagonal.
template <class V>
struct StoreConstant {
  V* values;  // null: only look whether there is one value

  SIMT_DEVICE bool store(const DiagonalWalk& walk, const V* val, Offset diagonal) const {
    V mine{};
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j)
      if ((walk.has >> j & 1) != 0) mine = val[walk.entry(j)];
    const int somebody = simt::warp_size - 1 - simt::leading_zeros(simt::ballot(walk.has != 0));
    const V value = simt::shuffle(mine, somebody);
    bool same = true;
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j)
      if ((walk.has >> j & 1) != 0) same &= value_bits(val[walk.entry(j)]) == value_bits(value);
    if (values && simt::lane() == 0) values[diagonal] = value;
    return same;
  }
};

template <class V, class Store>
SIMT_KERNEL store_diagonals_block_per_slice(CsrArrays<V> A, SliceRoom room, DiagonalsTarget to, Store store) {
  const std::int64_t s = simt::block();
  const SliceRows rows(A, s);
  const DiagonalSlice slice = to.slices[s];
  DiagonalWalk walk(A, rows.first, rows.last);
  const SliceNear<V> near(A, rows, room);
  if (simt::warp() != 0) return;
  walk.begin(near.col);
  Index d = 0;
  bool right = true;
  for (; right && walk.advance(); ++d) {
    right = as_in_pattern(to, slice, d, walk);
    if (right) right = !simt::any(!store.store(walk, near.val, slice.first + d));
  }
  if (!right || d != slice.count) *to.wrong = 1;
}

// What one thread of the block sees, for all of them.
SIMT_DEVICE bool already_set(const std::int32_t* flag) {
  auto* seen = simt::shared<std::int32_t>();
  if (simt::thread() == 0) *seen = simt::uncached_load(flag);
  simt::sync_block();
  const bool set = *seen != 0;
  simt::sync_block();
  return set;
}

template <class V>
SIMT_KERNEL look_for_constants_block_per_slice(CsrArrays<V> A, SliceRoom room, std::int32_t* several) {
  if (already_set(several)) return;
  const SliceRows rows(A, simt::block());
  DiagonalWalk walk(A, rows.first, rows.last);
  const SliceNear<V> near(A, rows, room);
  if (simt::warp() != 0) return;
  walk.begin(near.col);
  bool same = true;
  while (same && walk.advance()) same = !simt::any(!StoreConstant<V>{nullptr}.store(walk, near.val, 0));
  if (!same) *several = 1;
}

// A flag on the device that any thread may set.
class Flag {
 public:
  Flag(simt::Here here, device::Workspace& memory) : there_(memory.take<std::int32_t>(1)), device_(memory.device()) {
    simt::launch(here, {1, simt::warp_size}, clear_flag, there_);
  }
  std::int32_t* data() { return there_; }
  bool is_set() const {
    std::int32_t set = 0;
    memory::copy(&set, Device::cpu(), there_, device_, sizeof set);
    return set != 0;
  }

 private:
  std::int32_t* there_;
  Device device_;
};

struct Patterns {
  Buffer<Diagonal> pattern;
  Buffer<RowMask> masks;

  // Both in one piece of memory, and in one copy.
  Patterns to(Device device) const {
    Buffer<unsigned char> both(static_cast<std::int64_t>(masks.bytes() + pattern.bytes()));
    if (!masks.empty()) memcpy(both.data(), masks.data(), masks.bytes());
    if (!pattern.empty()) memcpy(both.data() + masks.bytes(), pattern.data(), pattern.bytes());
    const auto there = std::make_shared<Buffer<unsigned char>>(both.to(device));
    Patterns made;
    made.masks = Buffer<RowMask>::adopt(there, reinterpret_cast<RowMask*>(there->data()), masks.size(), device);
    made.pattern = Buffer<Diagonal>::adopt(there, reinterpret_cast<Diagonal*>(there->data() + masks.bytes()),
                                           pattern.size(), device);
    return made;
  }

  Patterns() = default;
  explicit Patterns(std::span<const FoundDiagonal> found) : pattern(static_cast<std::int64_t>(found.size())) {
    Lists numbers;
    numbers.number_of(as_list(all_rows));
    for (std::size_t i = 0; i < found.size(); ++i)
      pattern[static_cast<std::int64_t>(i)] = {found[i].offset,
                                               static_cast<Index>(numbers.number_of(as_list(found[i].rows)) / 4)};
    masks = Buffer<RowMask>(static_cast<std::int64_t>(numbers.all.size() / 4));
    for (std::int64_t i = 0; i < masks.size(); ++i)
      for (int w = 0; w < 4; ++w)
        masks[i].word[w] = static_cast<std::uint32_t>(numbers.all[static_cast<std::size_t>(4 * i + w)]);
  }
};

// Slices with the numbers of their patterns, and a slice of each pattern. Only queued.
struct NumberedSlices {
  Buffer<DiagonalSlice> slices;
  const PatternSlice* patterns;  // the first `total->patterns` count
  const SliceSums* total;
};

NumberedSlices number_slices(simt::Here here, const PatternView& A, Flag& wrong, device::Workspace& memory) {
  constexpr int threads = 256;
  const std::int64_t count = simt::blocks_for(A.rows, slice_rows);
  const auto places = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * count + 1)));
  auto* words = memory.take<std::uint64_t>(2 * places);
  auto* found = memory.take<SliceFound>(count);
  auto* patterns = memory.take<PatternSlice>(count);
  const HashTable table{words, words + places, static_cast<std::uint64_t>(places - 1)};
  simt::launch(here, {simt::blocks_for(2 * places, threads), threads}, clear_thread_per_word, words, 2 * places);
  const SliceRoom room(A, sizeof(Index));
  simt::launch(here, room.block_per(count, sizeof(Index)), find_diagonals_block_per_slice, PatternArrays(A), room,
               found, table);
  NumberedSlices made{Buffer<DiagonalSlice>(count, memory.device()), patterns, nullptr};
  const simt::Launch per_slice{simt::blocks_for(count, threads), threads};
  simt::launch(here, per_slice, ask_thread_per_slice, found, table, count);
  made.total = device::queue_scan(here, SliceItems{found, made.slices.data(), patterns}, count, memory);
  simt::launch(here, per_slice, number_patterns_thread_per_slice, found, count, made.slices.data(), wrong.data());
  return made;
}

void queue_listing(simt::Here here, const PatternView& A, const NumberedSlices& numbered, std::int64_t most_patterns,
                   FoundDiagonal* to, Offset room) {
  const SliceRoom near(A, sizeof(Index));
  simt::launch(here, near.block_per(std::min(numbered.slices.size(), most_patterns), sizeof(Index)),
               list_diagonals_block_per_pattern, PatternArrays(A), near, numbered.patterns, numbered.total, to, room);
}

// One copy brings all that there is of most matrices. A pattern has a diagonal at least, but for that of empty slices.
Buffer<PatternHead> head_of(simt::Here here, const PatternView& A, const NumberedSlices& numbered,
                            device::Workspace& memory) {
  auto* there = memory.take<PatternHead>(1);
  simt::launch(here, {1, simt::warp_size}, keep_total, numbered.total, there);
  queue_listing(here, A, numbered, PatternHead::room + 1, there->diagonal, PatternHead::room);
  return device::brought_here(there, 1, memory);
}

Patterns list_patterns(simt::Here here, const PatternView& A, const NumberedSlices& numbered, const PatternHead& head,
                       device::Workspace& memory) {
  const Offset size = head.total.pattern_size;
  if (size <= PatternHead::room) return Patterns({head.diagonal, static_cast<std::size_t>(size)});
  auto* there = memory.take<FoundDiagonal>(size);
  queue_listing(here, A, numbered, head.total.patterns, there, size);
  return Patterns(device::brought_here(there, size, memory));
}

}  // namespace

template <class V>
bool constant_diagonals(simt::Here here, const CsrView<V>& A, Device device) {
  device::Workspace memory(device);
  Flag several(here, memory);
  const std::int64_t slices = simt::blocks_for(A.rows, slice_rows);
  const SliceRoom room(A, entry_bytes<V>);
  simt::launch(here, room.block_per(slices, entry_bytes<V>), look_for_constants_block_per_slice<V>, CsrArrays<V>(A),
               room, several.data());
  return !several.is_set();
}

template <class V>
std::optional<Diagonals<V>> Diagonals<V>::build_there(simt::Here here, const CsrView<V>& A,
                                                      const WeaveSettings& settings, Device device) {
  device::Workspace memory(device);
  Flag wrong(here, memory);
  NumberedSlices numbered = number_slices(here, A, wrong, memory);
  const Buffer<PatternHead> head = head_of(here, A, numbered, memory);
  const std::int64_t diagonals = head[0].total.diagonals, stored = diagonals * slice_rows;
  if (too_much_padding(stored, A.nnz())) return {};
  const bool constant = settings.codec() == ValueCodec::constant;
  Patterns patterns = list_patterns(here, A, numbered, head[0], memory).to(device);
  auto values = make_value_store(here, A.val, settings.codec(), constant ? diagonals : stored, device);
  if (!values) return {};
  Diagonals to{A.rows,
               A.cols,
               settings.keep == 1,
               settings.per_lane,
               std::move(numbered.slices),
               std::move(patterns.pattern),
               std::move(patterns.masks),
               std::move(*values)};
  const DiagonalsTarget target{to.slices.data(), to.slices.size(), to.pattern.data(), to.masks.data(), wrong.data()};
  const auto launch = [&](auto store) {
    const SliceRoom room(A, entry_bytes<V>);
    simt::launch(here, room.block_per(target.count, entry_bytes<V>),
                 store_diagonals_block_per_slice<V, decltype(store)>, CsrArrays<V>(A), room, target, store);
  };
  if (constant)
    launch(StoreConstant<V>{to.values.raw.data()});
  else
    with_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) { launch(StoreAll<V, S>{writer}); });
  if (wrong.is_set()) return {};
  return to;
}

template bool constant_diagonals(simt::Here, const CsrView<float>&, Device);
template bool constant_diagonals(simt::Here, const CsrView<double>&, Device);
template std::optional<Diagonals<float>> Diagonals<float>::build_there(simt::Here, const CsrView<float>&,
                                                                       const WeaveSettings&, Device);
template std::optional<Diagonals<double>> Diagonals<double>::build_there(simt::Here, const CsrView<double>&,
                                                                         const WeaveSettings&, Device);

}  // namespace heddle::weave
