// Stores what find_diagonals found: of a row that has the first diagonals of its slice, the entries lie in their order.
// So the rows of the diagonals say which entry comes where, and nobody looks at columns.
#include <bit>

#include "core/system.hpp"
#include "formats/weave/diagonals/diagonal_near.hpp"
#include "formats/weave/diagonals/diagonals_found.hpp"
#include "formats/weave/diagonals/lists.hpp"
#include "simt/primitives/parcel.hpp"

namespace heddle::weave {

namespace {

template <class V>
struct ListedSlices {
  const DiagonalSlice* slices;
  const Offset* list;
  const FoundDiagonal<V>* diagonal;
};

// By the block: each warp has every so-many-th diagonal, and counts the entries of all.
template <class At, class V, class S>
SIMT_DEVICE void store_slice(const PatternArrays& A, const SliceRows& rows, const V* val, const DiagonalSlice& slice,
                             const FoundDiagonal<V>* diagonals, const ValueWriter<V, S>& to) {
  At at[rows_per_lane];
#pragma unroll
  for (int j = 0; j < rows_per_lane; ++j) {
    const std::int64_t row = rows.first + simt::lane() + j * simt::warp_size;
    at[j] = row < rows.last ? static_cast<At>(A.ptr[row] - rows.begin) : 0;
  }
  const int warps = simt::block_threads() / simt::warp_size;  // a power of two
  S* target = to.data + slice.first * slice_rows;
#pragma unroll 4
  for (Index d = 0; d < slice.count; ++d) {
    const RowMask mask = diagonals[d].rows;
    if ((d & (warps - 1)) == simt::warp()) {
      S stored[rows_per_lane];
#pragma unroll
      for (int j = 0; j < rows_per_lane; ++j)
        stored[j] = (mask.word[j] >> simt::lane() & 1) != 0 ? to.encode(val[at[j]]) : S(0);
      store_pieces(target + std::int64_t{d} * slice_rows, stored);
    }
#pragma unroll
    for (int j = 0; j < rows_per_lane; ++j) at[j] += static_cast<At>(mask.word[j] >> simt::lane() & 1);
  }
}

template <class V, class S>
SIMT_KERNEL store_block_per_slice(CsrArrays<V> A, SliceRoom room, ListedSlices<V> from, ValueWriter<V, S> to) {
  simt::let_next_start();  // what places the patterns
  const std::int64_t s = simt::block();
  const SliceRows rows(A, s);
  const DiagonalSlice slice = from.slices[s];
  const FoundDiagonal<V>* diagonals = from.diagonal + from.list[s];
  auto* near = simt::shared<V>();
  if (rows.count > room.entries) return store_slice<Offset>(A, rows, A.val + rows.begin, slice, diagonals, to);
  bring_near(A.val, rows, near);
  simt::sync_block();
  store_slice<std::int32_t>(A, rows, static_cast<const V*>(near), slice, diagonals, to);
}

// One value a diagonal.
template <class V>
SIMT_KERNEL store_constants_warp_per_slice(ListedSlices<V> from, std::int64_t slices, V* to) {
  simt::let_next_start();
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= slices) return;
  const DiagonalSlice slice = from.slices[s];
  for (Index d = simt::lane(); d < slice.count; d += simt::warp_size)
    to[slice.first + d] = from.diagonal[from.list[s] + d].value;
}

// As spread_masks does, from patterns whose masks have no numbers yet: none is asked for.
template <class V>
SIMT_KERNEL spread_patterns_thread_per_place(const FoundDiagonal<V>* from, std::int64_t count, Diagonal* pattern,
                                             RowMask* spread) {
  const std::int64_t i = simt::global_thread();
  if (i < count) {
    const RowMask rows = from[i].rows;
    const bool all = (rows.word[0] & rows.word[1] & rows.word[2] & rows.word[3]) == ~0u;
    pattern[i] = {from[i].offset, all ? 0 : static_cast<Index>(i + 1)};
    spread[i + 1] = rows;
  }
  if (i != 0) return;
  spread[0] = {{~0u, ~0u, ~0u, ~0u}};
  simt::wait_for_earlier();  // so that this grid ends behind it
}

template <class V>
DiagonalPatterns spread_patterns(simt::Here here, const FoundDiagonal<V>* from, std::int64_t count, Device device) {
  constexpr int threads = 128;
  DiagonalPatterns made{Buffer<Diagonal>(count, device), Buffer<RowMask>(count + 1, device)};
  simt::Launch shape{simt::blocks_for(count + 1, threads), threads};
  shape.overlaps = true;  // with storing
  simt::launch(here, shape, spread_patterns_thread_per_place<V>, from, count, made.pattern.data(), made.masks.data());
  return made;
}

// As spread_masks does.
SIMT_KERNEL spread_masks_thread_per_place(Diagonal* pattern, std::int64_t count, const RowMask* masks,
                                          RowMask* spread) {
  const std::int64_t i = simt::global_thread();
  if (i == 0) spread[0] = masks[0];
  if (i >= count) return;
  const Index mask = pattern[i].mask;
  spread[i + 1] = masks[mask];
  if (mask != 0) pattern[i].mask = static_cast<Index>(i + 1);
}

void queue_spreading(simt::Here here, Buffer<Diagonal>& pattern, Buffer<RowMask>& masks, Device device) {
  constexpr int threads = 128;
  Buffer<RowMask> spread(pattern.size() + 1, device);
  simt::launch(here, {simt::blocks_for(pattern.size() + 1, threads), threads}, spread_masks_thread_per_place,
               pattern.data(), pattern.size(), masks.data(), spread.data());
  masks = std::move(spread);
}

template <class V>
void queue_storing(simt::Here here, const CsrView<V>& A, const DiagonalsFound<V>& found, bool constant,
                   Diagonals<V>& to) {
  const ListedSlices<V> listed{to.slices.data(), found.list, found.listed};
  const std::int64_t slices = to.slices.size();
  if (constant) {
    constexpr int threads = 256;
    simt::launch(here, {simt::blocks_for(slices * simt::warp_size, threads), threads},
                 store_constants_warp_per_slice<V>, listed, slices, to.values.raw.data());
    return;
  }
  with_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
    const SliceRoom room(A, sizeof(V));
    simt::launch(here, room.block_per(slices, sizeof(V)), store_block_per_slice<V, S>, CsrArrays<V>(A), room, listed,
                 writer);
  });
}

// Both in one piece of memory, and on one way.
DiagonalPatterns send_in_one_piece(simt::Here here, const DiagonalPatterns& made_here, Device device) {
  const auto& [pattern, masks] = made_here;
  Buffer<unsigned char> both(static_cast<std::int64_t>(masks.bytes() + pattern.bytes()));
  if (!masks.empty()) memcpy(both.data(), masks.data(), masks.bytes());
  if (!pattern.empty()) memcpy(both.data() + masks.bytes(), pattern.data(), pattern.bytes());
  const auto there =
      std::make_shared<Buffer<unsigned char>>(device::send<unsigned char>(here, both.span(), device, true));
  DiagonalPatterns made;
  made.masks = Buffer<RowMask>::adopt(there, reinterpret_cast<RowMask*>(there->data()), masks.size(), device);
  made.pattern = Buffer<Diagonal>::adopt(there, reinterpret_cast<Diagonal*>(there->data() + masks.bytes()),
                                         pattern.size(), device);
  return made;
}

// Masks by the order in which they appear, that of all rows first.
class MaskNumbers {
 public:
  explicit MaskNumbers(std::size_t most) : slot_(std::bit_ceil(2 * most + 2)) {
    masks_.reserve(most + 1);
    masks_.push_back(all_rows);
  }
  Index number_of(const RowMask& mask) {
    if (mask == all_rows) return 0;
    std::uint64_t hash = (std::uint64_t{mask.word[0]} << 32 | mask.word[1]) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32 ^ (std::uint64_t{mask.word[2]} << 32 | mask.word[3])) * 0x94d049bb133111ebu;
    std::size_t at = (hash >> 32) & (slot_.size() - 1);
    for (; slot_[at] != 0; at = (at + 1) & (slot_.size() - 1))
      if (masks_[static_cast<std::size_t>(slot_[at])] == mask) return slot_[at];
    slot_[at] = static_cast<Index>(masks_.size());
    masks_.push_back(mask);
    return slot_[at];
  }
  std::span<const RowMask> all() const { return masks_; }

 private:
  Vector<Index> slot_;  // by hash; 0: free, as nobody looks for that of all rows
  Vector<RowMask> masks_;
};

template <class V>
DiagonalPatterns numbered_here(std::span<const FoundDiagonal<V>> found) {
  DiagonalPatterns made{Buffer<Diagonal>(static_cast<std::int64_t>(found.size())), {}};
  MaskNumbers numbers(found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    made.pattern[static_cast<std::int64_t>(i)] = {found[i].offset, numbers.number_of(found[i].rows)};
  made.masks = Buffer<RowMask>::copy_of(numbers.all());
  return made;
}

// The host numbers masks, where they are few, while the device stores values.
template <class V>
std::optional<DiagonalPatterns> patterns_of(simt::Here here, const DiagonalsFound<V>& found, int per_lane,
                                            Device device) {
  if (per_lane == 1 && found.patterns_there)
    return spread_patterns(here, found.patterns_there, found.pattern_size, device);
  auto numbered = found.patterns.size() == found.pattern_size
                      ? std::optional(send_in_one_piece(
                            here, numbered_here(std::span<const FoundDiagonal<V>>(found.patterns)), device))
                      : number_masks(here, found.patterns_there, found.pattern_size, device);
  if (numbered && per_lane == 1) queue_spreading(here, numbered->pattern, numbered->masks, device);
  return numbered;
}

}  // namespace

template <class V>
std::optional<Diagonals<V>> Diagonals<V>::build_there(simt::Here here, const MatrixThere<V>& A,
                                                      const DiagonalsSettings& settings, Device device, Found found) {
  const bool constant = settings.codec == ValueCodec::constant;
  if (!found) found = diagonals_of(here, A, constant, device);
  if (!found || (constant && !found->constant)) return {};
  const std::int64_t stored = found->diagonals * slice_rows;
  if (too_much_padding(stored, A.nnz())) return {};
  auto values = make_value_store(here, A.values(), settings.codec, constant ? found->diagonals : stored, device);
  if (!values) return {};
  Diagonals to{A.rows,
               A.cols,
               settings.keep == Keep::matrix,
               settings.per_lane,
               Buffer<DiagonalSlice>::adopt(found->slices, found->slices->data(), found->slices->size(), device),
               {},
               {},
               std::move(*values)};
  queue_storing(here, A, *found, constant, to);
  auto patterns = patterns_of(here, *found, to.per_lane, device);
  if (!patterns) return {};
  to.pattern = std::move(patterns->pattern);
  to.masks = std::move(patterns->masks);
  return to;
}

template std::optional<Diagonals<float>> Diagonals<float>::build_there(simt::Here, const MatrixThere<float>&,
                                                                       const DiagonalsSettings&, Device, Found);
template std::optional<Diagonals<double>> Diagonals<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                                         const DiagonalsSettings&, Device, Found);

}  // namespace heddle::weave
