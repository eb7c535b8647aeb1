#include "formats/dia/dia.hpp"

namespace heddle {

namespace {

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
// L1 or L2: no load here tells the caches that it is the last. A block takes 1,024 neighbouring rows, so that near
// diagonals meet in its L1, and a thread four of them, whose loads are in flight together.
// H200 2026-11: a row a thread took 286 us on a 7-point grid of 16.8 M rows in double; a thread that marched along the
// farthest diagonal and kept what its next row reads again, which saves three loads of fourteen, 468 us: one row waits
// for another.
template <class V>
SIMT_KERNEL dia_symmetric(DiaView<V> A, const V* x, Update<V> update) {
  constexpr int at_once = 4;
  const std::int64_t threads = simt::block_threads(), first = simt::block() * threads * at_once + simt::thread();
  unsigned seen[at_once] = {};
  V sum[at_once] = {};
  // The entries of one diagonal in the rows of this thread: values from `from` rows further on, x from `shift`.
  const auto add = [&](const std::uint32_t* masks, const V* val, std::int64_t from, std::int64_t shift) {
    V value[at_once], element[at_once];
    bool mine[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const std::int64_t row = first + i * threads;
      const unsigned mask = row < A.rows ? simt::cached_load(masks + row / A.word_rows) : 0;
      seen[i] |= mask;
      mine[i] = (mask >> (row % A.word_rows) & 1) != 0;
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const std::int64_t row = first + i * threads;
      if (mine[i]) value[i] = simt::cached_load(val + row + from);
      if (mine[i]) element[i] = simt::cached_load(x + row + shift);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (mine[i]) sum[i] += value[i] * element[i];
  };
  for (Index d = A.diagonals - 1; d >= 0; --d) {
    const std::int64_t offset = simt::cached_load(A.offset + d);
    add(A.mirrors_of(d), A.values_of(d), -offset, -offset);
  }
  for (Index d = 0; d < A.diagonals; ++d) add(A.masks_of(d), A.values_of(d), 0, simt::cached_load(A.offset + d));
#pragma unroll
  for (int i = 0; i < at_once; ++i) {
    const std::int64_t row = first + i * threads;
    if (row < A.rows) update.row(row, sum[i], (seen[i] >> (row % A.word_rows) & 1) != 0);
  }
}

}  // namespace

template <class V>
void DiaFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 256;
  const int rows_a_thread = symmetric ? 4 : 1;
  const auto kernel = symmetric ? dia_symmetric<V> : dia_thread_per_row<V>;
  simt::launch(here, {simt::blocks_for(rows, threads * rows_a_thread), threads, 0, p.stream}, kernel, view(), p.x,
               p.update);
  if (remainder.nnz() > 0) add_product(here, remainder, p);
}

template void DiaFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void DiaFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
