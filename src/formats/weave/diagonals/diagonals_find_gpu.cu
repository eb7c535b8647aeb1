// One pass over the columns lists the diagonals of every slice, and says whether each has one value. Which slices share
// a pattern is found out by their hashes, in a table that every slice enters; the first slice of each pattern gives it,
// and patterns are numbered in the order of those slices, as the host does.
//
//   kernel   an empty table
//   kernel   diagonals of each slice, and a hash of them; the table. Has each one value? Once a slice has one with
//            several, those that begin later look no more at values
//   scan     where the diagonals of each slice, and of each pattern, begin
//   kernel   every slice compares its diagonals with those of its pattern: a hash that lied is found out. The diagonals
//            of the patterns -> host, together with how much there is of all; where patterns are many they stay on the
//            device
#include "formats/weave/diagonals/diagonal_list.hpp"
#include "formats/weave/diagonals/diagonals_found.hpp"
#include "formats/weave/diagonals/hash_table.hpp"
#include "simt/primitives/scan.hpp"

namespace heddle::weave {

namespace {

// Words that any thread may set. Whether a diagonal has several values is asked by every slice, so there are as many
// answers as keep them out of each other's way, each in a sector of its own. (One was asked for 20 us longer by the
// slices of a 7-point grid of 128^3; H200.)
struct Flags {
  static constexpr int copies = 64, sector_words = 4;
  std::uint64_t reserved;  // diagonals listed behind those of slices with few
  std::uint64_t wrong;
  std::uint64_t several[copies * sector_words];

  // By a warp.
  SIMT_DEVICE bool know_several(std::int64_t slice) const {
    return simt::any(simt::uncached_load(several + slice % copies * sector_words) != 0);
  }
  SIMT_DEVICE void tell_several() {
    for (int i = simt::lane(); i < copies; i += simt::warp_size) several[i * sector_words] = 1;
  }
};

// What is empty to begin with: flags and table.
struct ClearedWords {
  static constexpr int threads = 256;
  static constexpr std::int64_t of_block = 4 * threads;
  std::uint64_t* word;
  std::int64_t count;

  std::int64_t blocks() const { return simt::blocks_for(count, of_block); }
  SIMT_DEVICE void clear(std::int64_t block) const {
    for (std::int64_t i = block * of_block + simt::thread(); i < (block + 1) * of_block && i < count; i += threads)
      word[i] = 0;
  }
};

SIMT_KERNEL clear_block_per_words(ClearedWords words, std::int32_t* lied) {
  if (simt::global_thread() == 0) *lied = 0;
  words.clear(simt::block());
}

template <class V>
struct FindTarget {
  SliceFound* found;
  Offset* list;
  FoundDiagonal<V>* listed;
  HashTable table;
  Flags* flags;
  bool looks_at_values;
  Offset of_slice;  // diagonals it has room for; where they are more, they are listed behind all slices
  Offset behind, listed_end;
};

// Room behind all slices; none: `of_slice` is not changed and the flag is set. By a warp.
template <class V>
SIMT_DEVICE Offset reserve(const FindTarget<V>& to, Offset count, Offset of_slice) {
  Offset list = 0;
  if (simt::lane() == 0)
    list = to.behind + static_cast<Offset>(simt::atomic_add(&to.flags->reserved, static_cast<std::uint64_t>(count)));
  list = simt::shuffle(list, 0);
  if (list + count <= to.listed_end) return list;
  if (simt::lane() == 0) to.flags->wrong = 1;
  return of_slice;
}

template <class V>
SIMT_KERNEL find_block_per_slice(CsrArrays<V> A, SliceRoom room, FindTarget<V> to) {
  const std::int64_t s = simt::block();
  // One answer for a warp. Another warp of the block may hear of several values a little earlier, and bring none: then
  // this one may see them where there are none, which is known already.
  const bool looks = to.looks_at_values && !to.flags->know_several(s);
  const SliceRows rows(A, s);
  const SliceEntries<V> entries(A, rows, room, looks);
  if (simt::warp() != 0) return;
  bool same = true;
  Offset list = s * to.of_slice;
  SliceFound found = entries.list(A, rows, {to.listed + list, to.of_slice}, same);
  if (found.count > to.of_slice) {
    const Offset behind = reserve(to, found.count, list);
    if (behind == list) found.count = 0;  // it is all in vain, and nobody shall read what is not there
    list = behind;
    if (found.count > 0) entries.list(A, rows, {to.listed + list, found.count}, same);
  }
  if (simt::any(looks && !same)) to.flags->tell_several();
  if (simt::lane() != 0) return;
  to.found[s] = found;
  to.list[s] = list;
  to.table.enter(found.hash, s);
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
  static constexpr bool placed_apart = true;
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

template <class V>
struct Listed {
  const SliceFound* found;
  const Offset* list;
  const FoundDiagonal<V>* diagonal;

  SIMT_DEVICE std::int64_t count(std::int64_t s) const { return found[s].count; }
  SIMT_DEVICE const FoundDiagonal<V>& of(std::int64_t s, std::int64_t d) const { return diagonal[list[s] + d]; }
};

// All others ask it, and compare.
template <class V>
SIMT_DEVICE void number_pattern(const Listed<V>& from, std::int64_t s, DiagonalSlice* to, std::int32_t* lied) {
  const std::int64_t first = from.found[s].first;
  if (first == s) return;
  if (simt::lane() == 0) to[s].pattern = to[first].pattern;
  bool same = from.count(first) == from.count(s);
  for (std::int64_t d = simt::lane(); same && d < from.count(s); d += simt::warp_size) {
    const FoundDiagonal<V>&mine = from.of(s, d), &theirs = from.of(first, d);
    same = mine.offset == theirs.offset;
    for (int j = 0; j < rows_per_lane; ++j) same &= mine.rows.word[j] == theirs.rows.word[j];
  }
  if (!same) *lied = 1;
}

// What the host needs to know of all slices, and the first diagonals of their patterns: mostly all of them.
template <class V>
struct PatternHead {
  static constexpr Offset room = 512;
  SliceSums total;
  std::int32_t several, wrong, lied;
  FoundDiagonal<V> diagonal[room];
};

// Diagonals behind `room` are left out.
template <class V>
SIMT_DEVICE void list_pattern(const PatternSlice& pattern, const Listed<V>& from, FoundDiagonal<V>* to, Offset room) {
  for (std::int64_t d = simt::lane(); d < from.count(pattern.slice) && pattern.begin + d < room; d += simt::warp_size)
    to[pattern.begin + d] = from.of(pattern.slice, d);
}

// Patterns are no more than slices.
template <class V>
SIMT_KERNEL number_patterns_warp_per_slice(Listed<V> from, std::int64_t slices, DiagonalSlice* to,
                                           const PatternSlice* patterns, const SliceSums* total, const Flags* flags,
                                           PatternHead<V>* head) {
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= slices) return;
  if (s == 0 && simt::lane() == 0) {
    head->total = *total;
    head->several = flags->several[0] != 0 ? 1 : 0;
    head->wrong = flags->wrong != 0 ? 1 : 0;
  }
  number_pattern(from, s, to, &head->lied);
  if (s < total->patterns && patterns[s].begin < head->room)
    list_pattern(patterns[s], from, head->diagonal, head->room);
}

template <class V>
SIMT_KERNEL list_patterns_warp_per_pattern(const PatternSlice* patterns, std::int64_t count, Listed<V> from,
                                           FoundDiagonal<V>* to, Offset size) {
  const std::int64_t p = simt::global_thread() / simt::warp_size;
  if (p < count) list_pattern(patterns[p], from, to, size);
}

constexpr int threads = 256;

simt::Launch warp_per(std::int64_t items) { return {simt::blocks_for(items, threads / simt::warp_size), threads}; }
simt::Launch thread_per(std::int64_t items) { return {simt::blocks_for(items, threads), threads}; }

template <class V>
class Finder {
  using Head = PatternHead<V>;

 public:
  Finder(simt::Here here, const CsrView<V>& A, bool look_at_values, Device device)
      : here_(here),
        A_(A),
        looks_(look_at_values),
        slices_(simt::blocks_for(A.rows, slice_rows)),
        made_(std::make_shared<DiagonalsFound<V>>(device)),
        memory_(made_->memory) {}

  std::shared_ptr<const DiagonalsFound<V>> find() {
    if (slices_ == 0) return found_nothing();
    device::Answers<Head> heads(1, memory_.device());
    const ClearedWords empty = make_room();
    simt::launch(here_, {empty.blocks(), ClearedWords::threads}, clear_block_per_words, empty, &heads.there()->lied);
    queue_finding();
    simt::launch(here_, thread_per(slices_), ask_thread_per_slice, found_, table_, slices_);
    DiagonalSlice* slices = made_->slices->data();
    const SliceSums* total = device::queue_scan(here_, SliceItems{found_, slices, patterns_}, slices_, memory_);
    simt::launch(here_, warp_per(slices_), number_patterns_warp_per_slice<V>, listed(), slices_, slices, patterns_,
                 total, flags_, heads.there());
    const Head& head = heads.here()[0];
    if (head.wrong != 0 || head.lied != 0) return nullptr;
    made_->diagonals = head.total.diagonals;
    made_->constant = looks_ && head.several == 0;
    keep_patterns(head);
    return made_;
  }

 private:
  std::shared_ptr<const DiagonalsFound<V>> found_nothing() {
    made_->slices = std::make_shared<Buffer<DiagonalSlice>>(0, memory_.device());
    made_->constant = looks_;
    return made_;
  }
  Listed<V> listed() const { return {found_, made_->list, made_->listed}; }
  ClearedWords make_room() {
    made_->slices = std::make_shared<Buffer<DiagonalSlice>>(slices_, memory_.device());
    const std::int64_t places = HashTable::places_for(slices_);
    constexpr std::int64_t flag_words = sizeof(Flags) / sizeof(std::uint64_t);
    auto* words = memory_.template take<std::uint64_t>(2 * places + flag_words);
    flags_ = reinterpret_cast<Flags*>(words);
    table_ = HashTable::in(words + flag_words, places);
    found_ = memory_.template take<SliceFound>(slices_);
    patterns_ = memory_.template take<PatternSlice>(slices_);
    made_->list = memory_.template take<Offset>(slices_);
    of_slice_ = 2 * A_.nnz() / std::max<std::int64_t>(1, A_.rows) + 8;
    room_ = slices_ * of_slice_ + A_.nnz() / 64 + (1 << 14);
    made_->listed = memory_.template take<FoundDiagonal<V>>(room_);
    return {words, 2 * places + flag_words};
  }
  void queue_finding() {
    const std::size_t entry_bytes = sizeof(Index) + (looks_ ? sizeof(V) : 0);
    const SliceRoom room(A_, entry_bytes);
    const CsrArrays<V> arrays(A_);
    const FindTarget<V> target{found_, made_->list, made_->listed,       table_, flags_,
                               looks_, of_slice_,   slices_ * of_slice_, room_};
    simt::launch(here_, room.block_per(slices_, entry_bytes), find_block_per_slice<V>, arrays, room, target);
  }
  void keep_patterns(const Head& head) {
    const Offset size = made_->pattern_size = head.total.pattern_size;
    if (size <= Head::room) {
      made_->patterns = Buffer<FoundDiagonal<V>>::copy_of(std::span(head.diagonal, static_cast<std::size_t>(size)));
      return;
    }
    auto* there = memory_.template take<FoundDiagonal<V>>(size);
    simt::launch(here_, warp_per(head.total.patterns), list_patterns_warp_per_pattern<V>, patterns_,
                 head.total.patterns, listed(), there, size);
    made_->patterns_there = there;
  }

  simt::Here here_;
  const CsrView<V>& A_;
  bool looks_;
  std::int64_t slices_;
  std::shared_ptr<DiagonalsFound<V>> made_;
  device::Workspace& memory_;
  Offset of_slice_ = 0, room_ = 0;
  Flags* flags_ = nullptr;
  HashTable table_{};
  SliceFound* found_ = nullptr;
  PatternSlice* patterns_ = nullptr;
};

}  // namespace

template <class V>
std::shared_ptr<const DiagonalsFound<V>> find_diagonals(simt::Here here, const CsrView<V>& there, bool look_at_values,
                                                        Device device) {
  return Finder<V>(here, there, look_at_values, device).find();
}

template std::shared_ptr<const DiagonalsFound<float>> find_diagonals(simt::Here, const CsrView<float>&, bool, Device);
template std::shared_ptr<const DiagonalsFound<double>> find_diagonals(simt::Here, const CsrView<double>&, bool, Device);

}  // namespace heddle::weave
