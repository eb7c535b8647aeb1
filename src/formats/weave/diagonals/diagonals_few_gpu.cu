// Diagonals of a matrix of few slices: as diagonals_find_gpu.cu finds them, but in two launches and without an
// empty table to begin with, as launches take longer than kernels here.
//
//   kernel   diagonals of each slice, a hash of them, and whether each has one value
//   kernel   64 slices a block, which enters the hashes of all slices up to its last one into a table in shared memory
//            and adds up what comes before its own: then it knows where the diagonals and the pattern of each begin.
//            It compares its slices with the first ones of their patterns, and copies those to where patterns lie,
//            eight threads a slice. (512 slices a block and a thread each: its multiprocessor was busy with lines of
//            which each load took a part.)
//
// Where a slice has more diagonals than there is room for, or patterns are many, all was in vain: find_diagonals does
// without these limits. (Every block looks at all slices for one that has too many, before it enters any.)
#include <utility>

#include "formats/weave/diagonals/diagonal_list.hpp"
#include "formats/weave/weave_facts.hpp"
#include "simt/primitives/answers.hpp"

namespace heddle::weave {

namespace {

struct FewFound {
  std::uint64_t hash;
  std::int32_t count;    // more than there is room for: not all are listed
  std::int32_t several;  // values of a diagonal
};

template <class V>
struct FewLists {
  std::int64_t slices, nnz;
  Offset of_slice;  // diagonals it has room for
  FewFound* found;
  FoundDiagonal<V>* listed;
};

// Entries inside the arrays, whatever `ptr` says.
SIMT_DEVICE SliceRows rows_within(const PatternArrays& A, std::int64_t s, Offset nnz) {
  SliceRows rows(A, s);
  const Offset end = A.ptr[rows.last] < nnz ? A.ptr[rows.last] : nnz;
  rows.begin = rows.begin < 0 ? 0 : rows.begin;
  rows.count = end > rows.begin ? end - rows.begin : 0;
  return rows;
}

// The most entries of a row of the slice: it has at least as many diagonals. By a warp.
SIMT_DEVICE std::int32_t longest_of_slice(const PatternArrays& A, const SliceRows& rows) {
  std::int32_t longest = 0;
#pragma unroll
  for (int j = 0; j < rows_per_lane; ++j) {
    const std::int64_t row = rows.first + simt::lane() + j * simt::warp_size;
    const auto length = row < rows.last ? static_cast<std::int32_t>(apart(A.ptr[row + 1], A.ptr[row])) : 0;
    longest = length > longest ? length : longest;
  }
  return simt::max_lanes(longest);
}

// Diagonals are counted as far as diagonal_fill() asks. A slice with a long row is not walked: it has too many, and
// lies where every step waits for memory (75 us of a circuit of 1.2 M entries; H200).
template <class V>
SIMT_KERNEL find_few_block_per_slice(CsrArrays<V> A, SliceRoom room, FewLists<V> to, Offset* list, bool looks) {
  const std::int64_t s = simt::block();
  const SliceRows rows = rows_within(A, s, to.nnz);
  const std::int32_t at_least = longest_of_slice(A, rows);  // before anybody waits for entries
  const SliceEntries<V> entries(A, rows, room, looks);
  if (simt::warp() != 0) return;
  Offset most = hopeless_diagonal_fill * rows.count / slice_rows;
  most = most < most_slice_diagonals ? most : most_slice_diagonals;
  most = most > to.of_slice ? most : to.of_slice;
  bool same = true;
  SliceFound found{1, at_least, 0};
  if (at_least <= most) found = entries.list(A, rows, {to.listed + s * to.of_slice, to.of_slice, most}, same);
  const bool several = simt::any(!same);
  if (simt::lane() != 0) return;
  to.found[s] = {found.hash, static_cast<std::int32_t>(found.count), several ? 1 : 0};
  list[s] = s * to.of_slice;
}

constexpr int few_threads = 512, few_warps = few_threads / simt::warp_size;
constexpr int slices_of_block = 64, threads_of_slice = few_threads / slices_of_block;

// Diagonals of slices and those of patterns, in one word: it is added up across a block for every slice before its own.
struct FewSums {
  static constexpr int bits = 32;
  static constexpr std::int64_t most_diagonals = (std::int64_t{1} << bits) - 1;
  std::uint64_t word = 0;

  static SIMT_BOTH FewSums of(std::uint64_t diagonals, bool is_pattern) {
    return {is_pattern ? diagonals << bits | diagonals : diagonals};
  }
  SIMT_BOTH void add(FewSums other) { word += other.word; }
  SIMT_BOTH Offset diagonals() const { return static_cast<Offset>(word & most_diagonals); }
  SIMT_BOTH Offset pattern_size() const { return static_cast<Offset>(word >> bits); }
};

// What the host needs to know, of the slices of a block.
struct FewPart {
  std::int64_t places = 0, entries = 0;  // of slices that are looked at for diagonal_fill()
  FewSums upto;                          // of all slices up to the last one of the block
  std::int32_t wrong = 0, several = 0;
};

template <class V>
struct FewHead {
  static constexpr Offset room = 512;
  FewPart part[few_slices / slices_of_block];
  FoundDiagonal<V> diagonal[room];
};

// A slice, and what comes before it.
struct FewSlice {
  FewFound found;
  FewSums before;
  std::uint32_t slot;
  bool is_first;

  SIMT_DEVICE FewSums own() const { return FewSums::of(static_cast<std::uint64_t>(found.count), is_first); }
};

struct FewBoard {
  static constexpr std::uint32_t slots = 2048, most_probes = 64;
  std::uint64_t hash[slots];   // 0: free
  std::uint32_t first[slots];  // ~slice: that of the first one is the highest
  std::uint32_t begin[slots];  // of the pattern
  FewSums of_warps[few_warps];
  FewPart part_of_warps[few_warps];
  FewSlice own[slices_of_block];
  std::uint32_t misfit;    // a slice has more diagonals than there is room for
  std::uint32_t overfull;  // of hashes

  SIMT_DEVICE void clear() {
    for (int i = simt::thread(); i < static_cast<int>(slots); i += few_threads) hash[i] = 0, first[i] = 0;
    if (simt::thread() == 0) misfit = 0, overfull = 0;
  }
  SIMT_DEVICE void enter(std::uint64_t wanted, std::int64_t slice) {
    std::uint32_t at = home(wanted);
    for (std::uint32_t i = 0; i < most_probes; ++i, at = (at + 1) % slots) {
      const std::uint64_t there = simt::atomic_claim(hash + at, wanted);
      if (there != 0 && there != wanted) continue;
      simt::atomic_max(first + at, ~static_cast<std::uint32_t>(slice));
      return;
    }
    simt::atomic_or(&overfull, 1u);
  }
  // Where it was entered.
  SIMT_DEVICE std::uint32_t slot_of(std::uint64_t wanted) const {
    std::uint32_t at = home(wanted);
    while (hash[at] != wanted) at = (at + 1) % slots;
    return at;
  }
  SIMT_DEVICE std::int64_t first_of(std::uint32_t slot) const { return ~first[slot]; }
  SIMT_DEVICE FewSlice slice(const FewFound& found, std::int64_t s) const {
    const std::uint32_t slot = slot_of(found.hash);
    return {found, {}, slot, first_of(slot) == s};
  }

 private:
  SIMT_DEVICE static std::uint32_t home(std::uint64_t wanted) {
    return static_cast<std::uint32_t>(wanted >> 32) % slots;
  }
};

// What a thread has of the slices: every 512th. All of it is on its way at once.
struct FewNear {
  static constexpr int most = few_slices / few_threads;
  FewFound found[most];
  bool fit = true;  // all of them

  SIMT_DEVICE FewNear(const FewFound* all, std::int64_t slices, Offset of_slice) {
#pragma unroll
    for (int i = 0; i < most; ++i) {
      const std::int64_t s = i * few_threads + simt::thread();
      found[i] = s < slices ? all[s] : FewFound{};
    }
#pragma unroll
    for (int i = 0; i < most; ++i) fit &= found[i].count <= of_slice;
  }
};

// The hashes of all slices up to `end`. Mostly neighbours have the same one: the first of a warp enters it.
SIMT_DEVICE void enter_slices(const FewNear& near, std::int64_t end, FewBoard& board) {
#pragma unroll
  for (int i = 0; i < FewNear::most; ++i) {
    if (i * few_threads >= end) break;
    const std::int64_t s = i * few_threads + simt::thread();
    const std::uint64_t hash = s < end ? near.found[i].hash : 0;
    const unsigned alike = simt::same_lanes(static_cast<unsigned>(hash >> 32));
    const int lowest = simt::count_bits((alike & (0 - alike)) - 1);
    const bool entered = simt::shuffle(hash, lowest) == hash && lowest != simt::lane();
    if (hash != 0 && !entered) board.enter(hash, s);
  }
}

// Of the threads before this one; `total`: of all. The block calls it together.
SIMT_DEVICE FewSums sums_before(FewSums mine, FewSums* of_warps, FewSums& total) {
  FewSums upto = mine;
  for (int distance = 1; distance < simt::warp_size; distance *= 2) {
    const FewSums below{simt::shuffle_up(upto.word, distance)};
    if (simt::lane() >= distance) upto.add(below);
  }
  simt::sync_block();
  if (simt::lane() == simt::warp_size - 1) of_warps[simt::warp()] = upto;
  simt::sync_block();
  FewSums before{upto.word - mine.word};
  total = {};
#pragma unroll
  for (int w = 0; w < few_warps; ++w) {
    if (w == simt::warp()) before.add(total);
    total.add(of_warps[w]);
  }
  return before;
}

template <class V>
struct FewTarget {
  DiagonalSlice* slices;
  FoundDiagonal<V>* patterns;
  Offset pattern_room;
  FewHead<V>* head;
};

// Whether the slice has the diagonals of the first one of its pattern: every eighth from `d` on. There is room to read
// as many.
template <class V>
SIMT_DEVICE bool is_like(const FewLists<V>& from, std::int64_t s, std::int32_t count, std::int64_t first,
                         std::int32_t d) {
  bool same = from.found[first].count == count;
  for (; d < count; d += threads_of_slice) {
    const FoundDiagonal<V>&mine = from.listed[s * from.of_slice + d], &theirs = from.listed[first * from.of_slice + d];
    same &= mine.offset == theirs.offset;
    for (int j = 0; j < rows_per_lane; ++j) same &= mine.rows.word[j] == theirs.rows.word[j];
  }
  return same;
}

template <class V>
SIMT_DEVICE void copy_pattern(const FewLists<V>& from, std::int64_t s, std::int32_t count, Offset begin, std::int32_t d,
                              const FewTarget<V>& to) {
  for (; d < count; d += threads_of_slice) {
    const FoundDiagonal<V> diagonal = from.listed[s * from.of_slice + d];
    to.patterns[begin + d] = diagonal;
    if (begin + d < FewHead<V>::room) to.head->diagonal[begin + d] = diagonal;
  }
}

// Of the warp, in all lanes.
SIMT_DEVICE FewPart sum_of_warp(const FewPart& mine) {
  return {simt::warp_sum(mine.places), simt::warp_sum(mine.entries), mine.upto, simt::any(mine.wrong != 0) ? 1 : 0,
          simt::any(mine.several != 0) ? 1 : 0};
}

// Of a slice, by the threads it has. False: patterns are more than there is room for, or two have one hash.
template <class V>
SIMT_DEVICE bool settle_slice(const FewLists<V>& from, std::int64_t s, const FewBoard& board, const FewTarget<V>& to) {
  const FewSlice& slice = board.own[simt::thread() / threads_of_slice];
  const std::int32_t number = simt::thread() % threads_of_slice, count = slice.found.count;
  const Offset begin = board.begin[slice.slot];
  if (begin + count > to.pattern_room) return false;
  if (number == 0) to.slices[s] = {slice.before.diagonals(), static_cast<Index>(begin), count};
  if (!slice.is_first) return is_like(from, s, count, board.first_of(slice.slot), number);
  copy_pattern(from, s, count, begin, number, to);
  return true;
}

// What one thread of a slice says for all of them.
template <class V>
SIMT_DEVICE FewPart count_slice(const CsrArrays<V>& A, const FewLists<V>& from, std::int64_t s,
                                const SampledRows& sampled) {
  FewPart part;
  const FewFound found = from.found[s];
  part.several = found.several;
  constexpr std::int64_t slices_of_part = SampledRows::part_rows / slice_rows;
  if (s / slices_of_part % sampled.step != 0) return part;
  part.entries = rows_within(A, s, from.nnz).count;
  part.places = counted_places(std::int64_t{found.count} * slice_rows, part.entries, slice_rows);
  return part;
}

// Numbers all slices up to `end`, of which the last ones are its own.
SIMT_DEVICE FewSums number_slices(const FewNear& near, std::int64_t end, FewBoard& board) {
  const std::int64_t own_begin = simt::block() * slices_of_block;
  FewSums upto;
#pragma unroll
  for (int i = 0; i < FewNear::most; ++i) {
    if (i * few_threads >= end) break;
    const std::int64_t s = i * few_threads + simt::thread();
    FewSlice slice{};
    if (s < end) slice = board.slice(near.found[i], s);
    FewSums total;
    slice.before = sums_before(slice.own(), board.of_warps, total);
    slice.before.add(upto);
    upto.add(total);
    if (slice.is_first) board.begin[slice.slot] = static_cast<std::uint32_t>(slice.before.pattern_size());
    if (s >= own_begin && s < own_begin + slices_of_block) board.own[s - own_begin] = slice;
  }
  return upto;
}

template <class V>
SIMT_BOUNDED_KERNEL(few_threads, 1)
number_few_block_per_slices(CsrArrays<V> A, FewLists<V> from, SampledRows sampled, FewTarget<V> to) {
  simt::let_next_start();  // what is asked next
  FewBoard& board = *simt::shared<FewBoard>();
  const std::int64_t last = (simt::block() + 1) * slices_of_block, end = last < from.slices ? last : from.slices;
  const FewNear near(from.found, from.slices, from.of_slice);
  const std::int64_t mine = simt::global_thread() / threads_of_slice;
  FewPart part;
  if (mine < from.slices && simt::thread() % threads_of_slice == 0) part = count_slice(A, from, mine, sampled);
  board.clear();
  simt::sync_block();
  if (!near.fit) simt::atomic_or(&board.misfit, 1u);
  simt::sync_block();
  if (board.misfit == 0) enter_slices(near, end, board);
  simt::sync_block();
  FewSums upto;
  if (board.misfit != 0 || board.overfull != 0) {
    part.wrong = 1;
  } else {
    upto = number_slices(near, end, board);
    simt::sync_block();
    if (mine < from.slices && !settle_slice(from, mine, board, to)) part.wrong = 1;
  }
  part = sum_of_warp(part);
  if (simt::lane() == 0) board.part_of_warps[simt::warp()] = part;
  simt::sync_block();
  if (simt::warp() != 0) return;
  part = {};
  if (simt::lane() < few_warps) part = board.part_of_warps[simt::lane()];
  part.upto = upto;
  part = sum_of_warp(part);
  if (simt::lane() == 0) to.head->part[simt::block()] = part;
}

// Diagonals.
Offset room_of_slice(const PatternView& A) { return 2 * A.nnz() / std::max<std::int64_t>(1, A.rows) + 8; }

template <class V>
class FewSought final : public SoughtDiagonals<V> {
  using Head = FewHead<V>;
  static constexpr Offset most_pattern_room = 1 << 14;

 public:
  FewSought(simt::Here here, const CsrView<V>& A, bool looks, Device device)
      : looks_(looks),
        slices_(simt::blocks_for(A.rows, slice_rows)),
        blocks_(simt::blocks_for(slices_, slices_of_block)),
        made_(std::make_shared<DiagonalsFound<V>>(device)),
        heads_(1, device) {
    device::Workspace& memory = made_->memory;
    const Offset of_slice = room_of_slice(A);
    const FewLists<V> lists{slices_, A.nnz(), of_slice, memory.take<FewFound>(slices_),
                            memory.take<FoundDiagonal<V>>(slices_ * of_slice)};
    made_->slices = std::make_shared<Buffer<DiagonalSlice>>(slices_, device);
    made_->list = memory.take<Offset>(slices_);
    made_->listed = lists.listed;
    const Offset pattern_room = std::min(most_pattern_room, slices_ * of_slice);
    auto* patterns = memory.take<FoundDiagonal<V>>(pattern_room);
    made_->patterns_there = patterns;
    const std::size_t entry_bytes = sizeof(Index) + (looks ? sizeof(V) : 0);
    SliceRoom room(A, entry_bytes);
    room.widen(A, slices_, entry_bytes);
    const CsrArrays<V> arrays(A);
    simt::launch(here, room.block_per(slices_, entry_bytes), find_few_block_per_slice<V>, arrays, room, lists,
                 made_->list, looks);
    simt::launch(here, {blocks_, few_threads, sizeof(FewBoard)}, number_few_block_per_slices<V>, arrays, lists,
                 SampledRows(A.rows), FewTarget<V>{made_->slices->data(), patterns, pattern_room, heads_.there()});
  }

  double fill() override {
    const FewPart all = sum();
    return all.entries > 0 ? static_cast<double>(all.places) / static_cast<double>(all.entries) : 1;
  }
  std::shared_ptr<const DiagonalsFound<V>> found() override {
    const FewPart all = sum();
    if (all.wrong != 0) return nullptr;
    if (std::exchange(told_, true)) return made_;
    made_->diagonals = all.upto.diagonals();
    made_->constant = looks_ && all.several == 0;
    made_->pattern_size = all.upto.pattern_size();
    if (made_->pattern_size <= Head::room)
      made_->patterns =
          Buffer<FoundDiagonal<V>>::copy_of(std::span(head_->diagonal, static_cast<std::size_t>(made_->pattern_size)));
    return made_;
  }

 private:
  FewPart sum() {
    if (!head_) head_ = heads_.here().data();
    FewPart all = head_->part[blocks_ - 1];
    for (std::int64_t b = 0; b < blocks_ - 1; ++b) {
      const FewPart& part = head_->part[b];
      all.places += part.places, all.entries += part.entries;
      all.wrong |= part.wrong, all.several |= part.several;
    }
    return all;
  }

  bool looks_;
  std::int64_t slices_, blocks_;
  std::shared_ptr<DiagonalsFound<V>> made_;
  device::Answers<Head> heads_;
  const Head* head_ = nullptr;
  bool told_ = false;
};

}  // namespace

template <class V>
std::unique_ptr<SoughtDiagonals<V>> seek_diagonals(simt::Here here, const CsrView<V>& there, bool look_at_values,
                                                   Device device) {
  const std::int64_t slices = simt::blocks_for(there.rows, slice_rows);
  if (slices == 0 || slices > few_slices || slices * room_of_slice(there) > FewSums::most_diagonals) return nullptr;
  return std::make_unique<FewSought<V>>(here, there, look_at_values, device);
}

template std::unique_ptr<SoughtDiagonals<float>> seek_diagonals(simt::Here, const CsrView<float>&, bool, Device);
template std::unique_ptr<SoughtDiagonals<double>> seek_diagonals(simt::Here, const CsrView<double>&, bool, Device);

}  // namespace heddle::weave
