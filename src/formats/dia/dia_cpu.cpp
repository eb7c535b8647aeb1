#include <algorithm>
#include <bit>

#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "formats/dia/dia.hpp"

namespace heddle {

namespace {

constexpr std::int64_t word_rows = DiaView<double>::word_rows;
constexpr std::int64_t chunk_words = 8;
constexpr std::int64_t chunk_rows = chunk_words * word_rows;  // 2 KB of sums: they stay in the level-1 cache

// 32 rows of a diagonal. Every bit set: the loop is three streams side by side, without a test.
template <class V>
inline void add_word(std::uint32_t mask, const V* val, const V* x, V* sum) {
  if (mask == ~std::uint32_t{0}) {
    for (std::int64_t i = 0; i < word_rows; ++i) sum[i] += val[i] * x[i];
  } else {
    for (; mask != 0; mask &= mask - 1) {
      const int i = std::countr_zero(mask);
      sum[i] += val[i] * x[i];
    }
  }
}

// Rows first .. first + count - 1; `first` begins a word.
template <class V>
inline void multiply_chunk(const DiaView<V>& A, std::int64_t first, std::int64_t count, const Product<V>& p) {
  const std::int64_t words = (count + word_rows - 1) / word_rows, word = first / word_rows;
  V sum[chunk_rows] = {};
  std::uint32_t present[chunk_words] = {};
  for (Index d = 0; d < A.diagonals; ++d)
    for (std::int64_t w = 0; w < words; ++w) {
      const std::uint32_t mask = A.masks_of(d)[word + w];
      const std::int64_t row = first + w * word_rows;
      present[w] |= mask;
      if (mask != 0) add_word(mask, A.values_of(d) + row, p.x + row + A.offset[d], sum + w * word_rows);
    }
  for (std::int64_t i = 0; i < count; ++i)
    p.update.row(first + i, sum[i], present[i / word_rows] >> (i % word_rows) & 1);
}

}  // namespace

template <class V>
void DiaFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  const DiaView<V> A = view();
  constexpr std::int64_t work_per_task = 16 * 1024;
  const std::int64_t chunks_at_once = std::max<std::int64_t>(1, work_per_task / (chunk_rows * (1 + A.diagonals)));
  parallel_ranges(rows, chunks_at_once * chunk_rows, [&](std::int64_t begin, std::int64_t end) {
    with_isa([&](auto) {
      for (std::int64_t row = begin; row < end; row += chunk_rows)
        multiply_chunk(A, row, std::min(chunk_rows, end - row), p);
    });
  });
  if (remainder.nnz() > 0) add_product(OnCpu{}, remainder, p);
}

template void DiaFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void DiaFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
