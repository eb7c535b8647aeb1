#include "formats/weave/diagonals/diagonals.hpp"

namespace heddle::weave {

namespace {

constexpr int U = rows_per_lane, threads = 256;
constexpr int words_of_mask = sizeof(RowMask) / sizeof(std::uint32_t);

template <class V, class S>
struct DiagonalsView {
  std::int64_t rows, slices;
  const DiagonalSlice* slice;
  const Diagonal* pattern;
  const RowMask* masks;
  CodedValues<V, S> values;
};

// Which of this lane's rows have the diagonal, one bit each.
SIMT_DEVICE unsigned rows_of_lane(const RowMask* masks, Index mask) {
  const auto words = simt::cached_pack<4>(masks[mask].word);
  unsigned rows = 0;
#pragma unroll
  for (int u = 0; u < U; ++u) rows |= (words.at[u] >> simt::lane() & 1) << u;
  return rows;
}

// A place without an entry holds the value 0 and takes x = 0: no harm, unless a value stands for a whole diagonal or
// comes from a table.
template <bool constant, class S>
inline constexpr bool holds_zeros = !constant && !std::is_same_v<S, std::uint8_t>;

// `count` diagonals from d on, all their loads under way before the first product is needed.
template <int count, bool constant, Keep keep, class V, class S>
SIMT_DEVICE void add_diagonals(const DiagonalsView<V, S>& A, const DiagonalSlice& slice, Index d, const V* x,
                               V (&sum)[U], unsigned& present) {
  S stored[count][constant ? 1 : U];
  V element[count][U];
  unsigned has[count];
  Diagonal diagonal[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const auto entry = simt::cached_pack<2>(&A.pattern[slice.pattern + d + i].offset);
    diagonal[i] = {entry.at[0], entry.at[1]};
    if constexpr (constant)
      stored[i][0] = simt::cached_load(A.values.data + slice.first + d + i);
    else
      load_pieces<keep>(A.values.data + (slice.first + d + i) * slice_rows, stored[i]);
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const V* from = x + diagonal[i].offset;
    if (diagonal[i].mask == 0) {  // the same for the whole warp
      has[i] = 0xf;
#pragma unroll
      for (int u = 0; u < U; ++u) element[i][u] = simt::cached_load(from + u * simt::warp_size);
    } else {
      has[i] = rows_of_lane(A.masks, diagonal[i].mask);
#pragma unroll
      for (int u = 0; u < U; ++u)
        element[i][u] = has[i] >> u & 1 ? simt::cached_load(from + u * simt::warp_size) : V(0);
    }
    present |= has[i];
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const V product = A.values.decode(stored[i][constant ? 0 : u]) * element[i][u];
      sum[u] += holds_zeros<constant, S> || has[i] >> u & 1 ? product : V(0);
    }
}

// Many warps with one diagonal under way each are better than few with several: 7-point grid of 256^3 in float on an
// H200, 144 us with one diagonal and 48 warps, 159 us with four and 32, 217 us with eight and 16. Values of 8 bytes
// need more registers: two diagonals and 32 warps (285 us; 314 us with 40).
template <class S, bool constant>
inline constexpr int diagonals_at_once = sizeof(S) == 8 && !constant ? 2 : 1;
template <class V, class S, bool constant>
inline constexpr int blocks_at_once = constant                           ? 6
                                      : sizeof(S) == 8                   ? 4
                                      : sizeof(V) == 8 && sizeof(S) == 4 ? 5
                                                                         : 6;

// A warp a slice.
template <bool constant, Keep keep, class V, class S>
SIMT_BOUNDED_KERNEL(threads, (blocks_at_once<V, S, constant>))
weave_diagonals_warp_per_slice(DiagonalsView<V, S> A, const V* x, Update<V> update) {
  constexpr int N = diagonals_at_once<S, constant>;
  const std::int64_t s = simt::global_thread() / simt::warp_size;
  if (s >= A.slices) return;
  const DiagonalSlice slice = A.slice[s];
  const std::int64_t row = s * slice_rows + simt::lane();
  V sum[U] = {};
  unsigned present = 0;
  Index d = 0;
  for (; d + N <= slice.count; d += N) add_diagonals<N, constant, keep>(A, slice, d, x + row, sum, present);
  if (d < slice.count) add_diagonals<1, constant, keep>(A, slice, d, x + row, sum, present);
#pragma unroll
  for (int u = 0; u < U; ++u)
    if (row + u * simt::warp_size < A.rows) update.row(row + u * simt::warp_size, sum[u], (present >> u & 1) != 0);
}

// `count` diagonals of one row, from d on; p: its number in the slice, place: where its values are among each 128.
template <int count, bool constant, class V, class S>
SIMT_DEVICE void add_diagonals_of_row(const DiagonalsView<V, S>& A, const DiagonalSlice& slice, Index d, int p,
                                      int place, const V* x, V& sum, bool& present) {
  S stored[count];
  V element[count];
  std::uint32_t has[count];
  Index offset[count];
  const std::uint32_t bit = 1u << (p & (simt::warp_size - 1));
  const std::uint32_t* word = A.masks[slice.pattern + d + 1].word + (p >> simt::warp_size_log2);
#pragma unroll
  for (int i = 0; i < count; ++i) {
    stored[i] = simt::cached_load(A.values.data +
                                  (constant ? slice.first + d + i : (slice.first + d + i) * slice_rows + place));
    offset[i] = simt::cached_load(&A.pattern[slice.pattern + d + i].offset);
    has[i] = simt::cached_load(word + i * words_of_mask) & bit;
  }
#pragma unroll
  for (int i = 0; i < count; ++i) element[i] = has[i] != 0 ? simt::cached_load(x + offset[i]) : V(0);
  std::uint32_t any = 0;
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const V product = A.values.decode(stored[i]) * element[i];
    sum += holds_zeros<constant, S> || has[i] != 0 ? product : V(0);
    any |= has[i];
  }
  present |= any != 0;
}

// A small matrix is a matter of latency: a thread a row, and up to eight diagonals under way at once.
template <bool constant, class V, class S>
SIMT_DEVICE void multiply_row(const DiagonalsView<V, S>& A, const V* x, const Update<V>& update) {
  constexpr int most = 8;
  const int place = simt::thread(), p = constant ? place : row_of_diagonal_place<S>(place);
  const std::int64_t row = simt::block() * slice_rows + p;
  const DiagonalSlice slice = A.slice[simt::block()];
  const V* own = simt::settled(x + row);
  V sum = 0;
  bool present = false;
  const auto add = [&](auto count, Index d) {
    add_diagonals_of_row<count.value, constant>(A, slice, d, p, place, own, sum, present);
  };
  Index d = 0;
  for (; d + most <= slice.count; d += most) add(std::integral_constant<int, most>{}, d);
  switch (slice.count - d) {
    case 7: add(std::integral_constant<int, 7>{}, d); break;
    case 6: add(std::integral_constant<int, 6>{}, d); break;
    case 5: add(std::integral_constant<int, 5>{}, d); break;
    case 4: add(std::integral_constant<int, 4>{}, d); break;
    case 3: add(std::integral_constant<int, 3>{}, d); break;
    case 2: add(std::integral_constant<int, 2>{}, d); break;
    case 1: add(std::integral_constant<int, 1>{}, d); break;
    default: break;
  }
  if (row < A.rows) update.row(row, sum, present);
}

template <bool constant, class V, class S>
SIMT_KERNEL weave_diagonals_thread_per_row(DiagonalsView<V, S> A, const V* x, Update<V> update) {
  multiply_row<constant>(A, x, update);
}

// The same where all slices are worked on at once with 64 registers a thread. Left alone, the compiler keeps to 34 to
// 40 and takes up the loads one after another, whatever the source says (H200, 27-point grid of 50^3: 11.7 instead
// of 17.9 us cold and 6.2 instead of 8.3 warm in double, 10.6 instead of 15.2 and 6.4 instead of 6.9 in float).
constexpr int few_blocks = 8;
constexpr std::int64_t few_slices = 132 * few_blocks;

template <bool constant, class V, class S>
SIMT_BOUNDED_KERNEL(slice_rows, few_blocks)
weave_diagonals_thread_per_row_of_few(DiagonalsView<V, S> A, const V* x, Update<V> update) {
  multiply_row<constant>(A, x, update);
}

// Beyond that where rows have more diagonals than twice those under way at once: 27 and 25 of 216,000 and 250,000 rows
// took 9.6 and 10.4 us in float, 16.6 and 20.0 in double, and take 8.0 and 8.1, 14.6 and 16.8; up to 13 are slower by
// a tenth.
constexpr std::int64_t many_diagonals = 16;

template <bool constant, class V, class S>
void start_row_threads(simt::Here here, const DiagonalsView<V, S>& view, std::int64_t diagonals, const Product<V>& p) {
  const simt::Launch shape{view.slices, slice_rows, 0, p.stream};
  if (view.slices <= few_slices || (!constant && diagonals > many_diagonals * view.slices))
    simt::launch(here, shape, weave_diagonals_thread_per_row_of_few<constant, V, S>, view, p.x, p.update);
  else
    simt::launch(here, shape, weave_diagonals_thread_per_row<constant, V, S>, view, p.x, p.update);
}

template <class V, class S>
void start(simt::Here here, const Diagonals<V>& A, const CodedValues<V, S>& values, const Product<V>& p) {
  const DiagonalsView<V, S> view{A.rows, A.slices.size(), A.slices.data(), A.pattern.data(), A.masks.data(), values};
  const simt::Launch shape{simt::blocks_for(view.slices * simt::warp_size, threads), threads, 0, p.stream};
  if (A.per_lane == 1) {
    if (A.values.codec != ValueCodec::constant)
      start_row_threads<false>(here, view, A.stored_diagonals(), p);
    else if constexpr (std::is_same_v<V, S>)
      start_row_threads<true>(here, view, A.stored_diagonals(), p);
    return;
  }
  if (A.values.codec == ValueCodec::constant) {
    if constexpr (std::is_same_v<V, S>)
      simt::launch(here, shape, weave_diagonals_warp_per_slice<true, Keep::nothing, V, S>, view, p.x, p.update);
    return;
  }
  dispatch_keep(A.keep, [&](auto keep) {
    simt::launch(here, shape, weave_diagonals_warp_per_slice<false, keep.value, V, S>, view, p.x, p.update);
  });
}

}  // namespace

template <class V>
void Diagonals<V>::multiply(simt::Here here, const Product<V>& p) const {
  values.visit([&](const auto& coded) { start(here, *this, coded, p); });
}

template void Diagonals<float>::multiply(simt::Here, const Product<float>&) const;
template void Diagonals<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
