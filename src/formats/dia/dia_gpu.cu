#include <type_traits>

#include "formats/dia/dia.hpp"

namespace heddle {

namespace {

constexpr int block_threads = 256;

// The 32 rows of a warp share one word of each mask.
template <class V>
SIMT_KERNEL dia_thread_per_row(DiaView<V> A, const V* x, Update<V> update) {
  const std::int64_t row = simt::global_thread();
  if (row >= A.rows) return;
  const unsigned my_bit = 1u << (row % A.word_rows);
  unsigned seen = 0;
  V sum = 0;
#pragma unroll 4
  for (Index d = 0; d < A.diagonals; ++d) {
    const unsigned mask = simt::cached_load(A.masks_of(d) + row / A.word_rows);
    seen |= mask;
    if (mask & my_bit)
      sum += simt::stream_load(A.values_of(d) + row) * simt::cached_load(x + row + simt::cached_load(A.offset + d));
  }
  update.row(row, sum, (seen & my_bit) != 0);
}

// Values are read twice, by their own row and by that of the mirrored entry, and the second time shall find them in the
// L2: no load here tells the caches that it is the last. All loads of a batch are in flight together and ask nothing
// first: a place outside the matrix brings what is at its edge, and no bit says that it is an entry.
// N diagonals, the main one among them, with offsets that come with the launch; 0: any, with offsets from memory. What
// is known when compiled is a quarter to two fifths of the time (H200 2026-11-19, double, a probe of these kernels:
// 7 points, 256^3: 223 us, any 293; 27 points, 160^3: 164 us, any 280).
constexpr int symmetric_blocks = 4, most_at_once = 9, any_at_once = 7;

template <int N, class V>
SIMT_BOUNDED_KERNEL(block_threads, symmetric_blocks)
dia_symmetric(DiaView<V> A, const V* x, Update<V> update) {
  constexpr int at_once = N == 0 ? any_at_once : 2 * N - 1 < most_at_once ? 2 * N - 1 : most_at_once;
  const std::int64_t row = simt::global_thread();
  if (row >= A.rows) return;
  const std::int64_t word = row / A.word_rows, last_col = A.cols - 1;
  const unsigned my_bit = 1u << (row % A.word_rows);
  const Index diagonals = N == 0 ? A.diagonals : N, mirrored = N == 0 ? A.mirrored : N - 1;
  const Index last = mirrored + diagonals - 1;
  unsigned seen = 0;
  V sum = 0;
#pragma unroll(N == 0 ? 1 : 4)
  for (Index first = 0; first <= last; first += at_once) {
    unsigned mask[at_once];
    V value[at_once], element[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      if (N != 0 && first + u > last) continue;
      const Index k = first + u < last ? first + u : last;  // by ascending column, as all sums are
      const bool mirror = k < mirrored;
      const Index d = mirror ? diagonals - 1 - k : k - mirrored;
      const std::int64_t offset = N == 0 ? simt::cached_load(A.offset + d) : A.known[d];
      const std::int64_t column = mirror ? row - offset : row + offset;
      const std::int64_t inside = column < 0 ? 0 : column > last_col ? last_col : column;
      const unsigned bits = simt::cached_load((mirror ? A.mirrors_of(d) : A.masks_of(d)) + word);
      mask[u] = first + u <= last ? bits & my_bit : 0;
      value[u] = simt::cached_load(A.values_of(d) + (mirror ? inside : row));
      element[u] = simt::cached_load(x + inside);
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      if (N != 0 && first + u > last) continue;
      seen |= mask[u];
      if (mask[u] != 0) sum += value[u] * element[u];
    }
  }
  update.row(row, sum, seen != 0);
}

// Grids of 3, 5, 7, 9, 13, 19, 25 and 27 points.
template <class F>
void with_known_diagonals(Index diagonals, Index mirrored, F f) {
  const bool known = diagonals == mirrored + 1;
  switch (known ? diagonals : 0) {
    case 2: return f(std::integral_constant<int, 2>{});
    case 3: return f(std::integral_constant<int, 3>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 5: return f(std::integral_constant<int, 5>{});
    case 7: return f(std::integral_constant<int, 7>{});
    case 10: return f(std::integral_constant<int, 10>{});
    case 13: return f(std::integral_constant<int, 13>{});
    case 14: return f(std::integral_constant<int, 14>{});
    default: return f(std::integral_constant<int, 0>{});
  }
}

}  // namespace

template <class V>
void DiaFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  const simt::Launch grid{simt::blocks_for(rows, block_threads), block_threads, 0, p.stream};
  if (symmetric)
    with_known_diagonals(static_cast<Index>(offset.size()), mirrored, [&](auto diagonals) {
      simt::launch(here, grid, dia_symmetric<diagonals.value, V>, view(), p.x, p.update);
    });
  else
    simt::launch(here, grid, dia_thread_per_row<V>, view(), p.x, p.update);
  if (remainder.nnz() > 0) add_product(here, remainder, p);
}

template void DiaFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void DiaFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
