// Kernels walk the diagonals of the slices; which slices share a pattern the host finds out, from 16 bytes a slice.
//
//   kernel   number of diagonals and hash of each slice          -> host: slices, and one slice of each pattern
//   kernel   (offset, rows) of the diagonals of those slices     -> host: patterns and masks
//   kernel   values; and every slice compares what it has with its pattern: a hash that lied is found out
#include "formats/weave/weave_diagonal_walk.hpp"
#include "formats/weave/weave_lists.hpp"

namespace heddle::weave {

namespace {

simt::Launch warp_per(std::int64_t items) {
  constexpr int block_threads = 256;
  return {simt::blocks_for(items, block_threads / simt::warp_size), block_threads};
}

struct SliceFound {
  std::uint64_t hash;
  std::int64_t count;
};

SIMT_DEVICE std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
  hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

SIMT_DEVICE DiagonalWalk walk_of_slice(const PatternArrays& A, std::int64_t s) {
  const std::int64_t first = s * slice_rows;
  return {A, first, first + slice_rows < A.rows ? first + slice_rows : A.rows};
}

SIMT_KERNEL find_diagonals_warp_per_slice(PatternArrays A, std::int64_t slices, SliceFound* to) {
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= slices) return;
  SliceFound found{0, 0};
  for (DiagonalWalk walk = walk_of_slice(A, s); walk.advance(); ++found.count) {
    const RowMask mask = walk.mask();
    found.hash = mixed(found.hash, static_cast<std::uint32_t>(walk.offset));
    found.hash = mixed(found.hash, std::uint64_t{mask.word[0]} << 32 | mask.word[1]);
    found.hash = mixed(found.hash, std::uint64_t{mask.word[2]} << 32 | mask.word[3]);
  }
  if (simt::lane() == 0) to[s] = found;
}

struct FoundDiagonal {
  RowMask rows;
  Index offset;
};

// One slice of each pattern, and where its diagonals come to lie.
struct PatternSlice {
  std::int64_t slice;
  Offset begin, count;
};

SIMT_KERNEL list_diagonals_warp_per_pattern(PatternArrays A, const PatternSlice* patterns, std::int64_t count,
                                            FoundDiagonal* to) {
  const std::int64_t i = simt::global_thread() / simt::warp_size;
  if (i >= count) return;
  Offset at = patterns[i].begin;
  for (DiagonalWalk walk = walk_of_slice(A, patterns[i].slice); walk.advance(); ++at) {
    const RowMask mask = walk.mask();
    if (simt::lane() == 0) to[at] = {mask, walk.offset};
  }
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

template <class V, class S>
struct StoreAll {
  ValueWriter<V, S> values;

  // False: the codec does not hold the values of the diagonal.
  SIMT_DEVICE bool store(const DiagonalWalk& walk, const V* val, Offset diagonal) const {
    S stored[rows_per_lane];
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j)
      stored[j] = (walk.has >> j & 1) != 0 ? values.encode(simt::cached_load(val + walk.entry(j))) : S(0);
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
SIMT_KERNEL store_diagonals_warp_per_slice(CsrArrays<V> A, DiagonalsTarget to, Store store) {
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= to.count) return;
  const DiagonalSlice slice = to.slices[s];
  Index d = 0;
  bool right = true;
  for (DiagonalWalk walk = walk_of_slice(A, s); right && walk.advance(); ++d) {
    right = as_in_pattern(to, slice, d, walk);
    if (right) right = !simt::any(!store.store(walk, A.val, slice.first + d));
  }
  if (!right || d != slice.count) *to.wrong = 1;
}

template <class V>
SIMT_KERNEL look_for_constants_warp_per_slice(CsrArrays<V> A, std::int64_t slices, std::int32_t* several) {
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= slices || *several != 0) return;
  bool same = true;
  for (DiagonalWalk walk = walk_of_slice(A, s); same && walk.advance();)
    same = !simt::any(!StoreConstant<V>{nullptr}.store(walk, A.val, 0));
  if (!same) *several = 1;
}

// A flag on the device that any thread may set.
class Flag {
 public:
  explicit Flag(Device device) : there_(Buffer<std::int32_t>{0}.to(device)) {}
  std::int32_t* data() { return there_.data(); }
  bool is_set() const { return there_.to(Device::cpu())[0] != 0; }

 private:
  Buffer<std::int32_t> there_;
};

// Numbers hashes in the order in which they are first met.
class HashNumbers {
 public:
  // The number of a hash, and whether it is new.
  std::pair<std::int64_t, bool> number_of(std::uint64_t hash) {
    if (2 * (known_.size() + 1) >= table_.size()) grow();
    std::int64_t& place = table_[slot_of(hash)];
    const bool is_new = place < 0;
    if (is_new) {
      place = static_cast<std::int64_t>(known_.size());
      known_.push_back(hash);
    }
    return {place, is_new};
  }

 private:
  std::size_t slot_of(std::uint64_t hash) const {
    std::size_t slot = hash & (table_.size() - 1);
    while (table_[slot] >= 0 && known_[static_cast<std::size_t>(table_[slot])] != hash)
      slot = (slot + 1) & (table_.size() - 1);
    return slot;
  }
  void grow() {
    table_.assign(std::max<std::size_t>(64, 4 * table_.size()), -1);
    for (std::size_t i = 0; i < known_.size(); ++i) table_[slot_of(known_[i])] = static_cast<std::int64_t>(i);
  }
  Vector<std::uint64_t> known_;
  Vector<std::int64_t> table_;  // -1: free; a power of two of them
};

// Slices with their numbers, and a slice of each pattern, in the order of first appearance: as the host numbers them.
struct NumberedSlices {
  Buffer<DiagonalSlice> slices;
  Vector<PatternSlice> patterns;
  Offset diagonals = 0, pattern_size = 0;
  bool possible = true;  // false: two patterns of different size have one hash

  explicit NumberedSlices(const Buffer<SliceFound>& found) : slices(found.size()) {
    HashNumbers numbers;
    for (std::int64_t s = 0; s < found.size(); ++s) {
      const auto [number, is_new] = numbers.number_of(found[s].hash);
      if (is_new) {
        patterns.push_back({s, pattern_size, found[s].count});
        pattern_size += found[s].count;
      }
      const PatternSlice& pattern = patterns[static_cast<std::size_t>(number)];
      possible &= pattern.count == found[s].count;
      slices[s] = {diagonals, static_cast<Index>(pattern.begin), static_cast<Index>(found[s].count)};
      diagonals += found[s].count;
    }
  }
};

struct Patterns {
  Buffer<Diagonal> pattern;
  Buffer<RowMask> masks;

  explicit Patterns(const Buffer<FoundDiagonal>& found) : pattern(found.size()) {
    Lists numbers;
    numbers.number_of(as_list(all_rows));
    for (std::int64_t i = 0; i < found.size(); ++i)
      pattern[i] = {found[i].offset, static_cast<Index>(numbers.number_of(as_list(found[i].rows)) / 4)};
    masks = Buffer<RowMask>(static_cast<std::int64_t>(numbers.all.size() / 4));
    for (std::int64_t i = 0; i < masks.size(); ++i)
      for (int w = 0; w < 4; ++w)
        masks[i].word[w] = static_cast<std::uint32_t>(numbers.all[static_cast<std::size_t>(4 * i + w)]);
  }
};

Buffer<SliceFound> find_slices(simt::Here here, const PatternView& A, Device device) {
  Buffer<SliceFound> found(simt::blocks_for(A.rows, slice_rows), device);
  simt::launch(here, warp_per(found.size()), find_diagonals_warp_per_slice, PatternArrays(A), found.size(),
               found.data());
  return found.to(Device::cpu());
}

Patterns list_patterns(simt::Here here, const PatternView& A, const NumberedSlices& numbered, Device device) {
  const auto patterns = Buffer<PatternSlice>::copy_of(numbered.patterns, device);
  Buffer<FoundDiagonal> found(numbered.pattern_size, device);
  simt::launch(here, warp_per(patterns.size()), list_diagonals_warp_per_pattern, PatternArrays(A), patterns.data(),
               patterns.size(), found.data());
  return Patterns(found.to(Device::cpu()));
}

}  // namespace

template <class V>
bool constant_diagonals(simt::Here here, const CsrView<V>& A, Device device) {
  Flag several(device);
  const std::int64_t slices = simt::blocks_for(A.rows, slice_rows);
  simt::launch(here, warp_per(slices), look_for_constants_warp_per_slice<V>, CsrArrays<V>(A), slices, several.data());
  return !several.is_set();
}

template <class V>
std::optional<Diagonals<V>> Diagonals<V>::build_there(simt::Here here, const CsrView<V>& A,
                                                      const WeaveSettings& settings, Device device) {
  const NumberedSlices numbered(find_slices(here, A, device));
  const bool constant = settings.codec() == ValueCodec::constant;
  if (!numbered.possible || too_much_padding(numbered.diagonals * slice_rows, A.nnz())) return {};
  const Patterns patterns = list_patterns(here, A, numbered, device);
  auto values = make_value_store(here, A.val, settings.codec(),
                                 constant ? numbered.diagonals : numbered.diagonals * slice_rows, device);
  if (!values) return {};
  Diagonals to{A.rows,
               A.cols,
               settings.keep == 1,
               numbered.slices.to(device),
               patterns.pattern.to(device),
               patterns.masks.to(device),
               std::move(*values)};
  Flag wrong(device);
  const DiagonalsTarget target{to.slices.data(), to.slices.size(), to.pattern.data(), to.masks.data(), wrong.data()};
  const auto launch = [&](auto store) {
    simt::launch(here, warp_per(target.count), store_diagonals_warp_per_slice<V, decltype(store)>, CsrArrays<V>(A),
                 target, store);
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
