#include <algorithm>
#include <bit>

#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "core/thread_share.hpp"
#include "formats/dia/dia.hpp"
#include "simd/fetch.hpp"
#include "simd/update_rows.hpp"

namespace heddle {

namespace {

constexpr std::int64_t word_rows = DiaView<double>::word_rows;
constexpr std::int64_t chunk_words = 8;
constexpr std::int64_t chunk_rows = chunk_words * word_rows;  // 2 KB of sums: they stay in the level-1 cache

// 32 rows of a diagonal. Every bit set: the loop is three streams side by side, without a test.
template <class V>
inline void add_full(const V* val, const V* x, V* sum) {
  for (std::int64_t i = 0; i < word_rows; ++i) sum[i] += val[i] * x[i];
}
// All of them are multiplied and the products of fill-in dropped: +0 changes no sum that began with it.
template <class V>
inline void add_kept(std::uint32_t mask, const V* val, const V* x, V* sum) {
  for (int i = 0; i < word_rows; ++i) sum[i] += kept(val[i] * x[i], -static_cast<Index>(mask >> i & 1));
}
template <class V>
inline void add_one_by_one(std::uint32_t mask, const V* val, const V* x, V* sum) {
  for (; mask != 0; mask &= mask - 1) {
    const int i = std::countr_zero(mask);
    sum[i] += val[i] * x[i];
  }
}

// `inside`: the columns of all 32 rows are columns of the matrix.
template <class V>
inline void add_word(std::uint32_t mask, bool inside, const V* val, const V* x, V* sum) {
  constexpr int few = 6;
  if (mask == ~std::uint32_t{0})
    add_full(val, x, sum);
  else if (inside && std::popcount(mask) > few)
    add_kept(mask, val, x, sum);
  else
    add_one_by_one(mask, val, x, sum);
}

// Rows first .. first + count - 1; `first` begins a word.
template <class V>
inline void multiply_chunk(const DiaView<V>& A, std::int64_t cols, std::int64_t first, std::int64_t count,
                           const Product<V>& p) {
  const std::int64_t words = (count + word_rows - 1) / word_rows, word = first / word_rows;
  V sum[chunk_rows] = {};
  std::uint32_t present[chunk_words] = {};
  // The places of one diagonal: values from `from` rows further on, x from `shift` columns further on.
  const auto add = [&](const std::uint32_t* masks, const V* val, std::int64_t from, std::int64_t shift) {
    for (std::int64_t w = 0; w < words; ++w) {
      const std::uint32_t mask = masks[word + w];
      const std::int64_t row = first + w * word_rows, column = row + shift;
      present[w] |= mask;
      const bool inside = column >= 0 && column + word_rows <= cols;
      add_word(mask, inside, val + row + from, p.x + column, sum + w * word_rows);
    }
  };
  for (Index d = A.diagonals; d-- > A.diagonals - A.mirrored;)
    add(A.mirrors_of(d), A.values_of(d), -A.offset[d], -A.offset[d]);
  for (Index d = 0; d < A.diagonals; ++d) add(A.masks_of(d), A.values_of(d), 0, A.offset[d]);
  const bool has_empty_rows =
      std::any_of(present, present + count / word_rows, [](std::uint32_t bits) { return ~bits != 0; });
  const std::int64_t full = has_empty_rows ? 0 : count / word_rows * word_rows;
  update_rows(p.update, first, full, sum);
  for (std::int64_t i = full; i < count; ++i)
    p.update.row(first + i, sum[i], present[i / word_rows] >> (i % word_rows) & 1);
}

}  // namespace

template <class V>
void DiaFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  const DiaView<V> A = view();
  const std::int64_t chunks = (rows + chunk_rows - 1) / chunk_rows;
  parallel_work(chunks, work_of_diagonals(rows * (1 + A.diagonals)), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t end = std::min(rows, last * chunk_rows);
    with_isa([&](auto) {
      for (std::int64_t row = first * chunk_rows; row < end; row += chunk_rows)
        multiply_chunk(A, cols, row, std::min(chunk_rows, end - row), p);
    });
  });
  if (remainder.nnz() > 0) add_product(OnCpu{}, remainder, p);
}

template void DiaFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void DiaFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
