#include <bit>

#include "core/parallel.hpp"
#include "formats/csr_split/csr_split.hpp"
#include "simd/row_sum.hpp"

namespace heddle {

namespace {

// The next entry at or after k that ends its row, or `end`.
inline Offset next_row_end(const std::uint32_t* bits, Offset k, Offset end) {
  for (Offset word = k / 32; word * 32 < end; ++word) {
    const std::uint32_t left = word == k / 32 ? bits[word] & (~0u << (k % 32)) : bits[word];
    if (left != 0) return std::min<Offset>(word * 32 + std::countr_zero(left), end);
  }
  return end;
}

template <class V>
void add_share(const CsrSplitFormat<V>& A, std::int64_t number, const Product<V>& p) {
  const Offset nnz = A.col.size(), begin = number * A.share, end = std::min<Offset>(begin + A.share, nnz);
  const auto ends_row = [&](Offset k) { return (A.row_end[k / 32] >> (k % 32) & 1u) != 0; };
  bool started_before = begin > 0 && !ends_row(begin - 1);
  std::int64_t rank = A.rank[number];
  for (Offset k = begin; k < end;) {
    const Offset last = next_row_end(A.row_end.data(), k, end);
    const bool ends = last < end;
    const Offset stop = ends ? last + 1 : end;
    const V sum = row_sum(A.col.data() + k, A.val.data() + k, stop - k, p.x);
    if (started_before)
      A.pieces().head[number] = sum;
    else if (!ends)
      A.pieces().tail[number] = sum;
    else
      p.update(A.row_of.empty() ? rank : A.row_of[rank], sum);
    rank += ends;
    started_before = false;
    k = stop;
  }
}

}  // namespace

template <class V>
void CsrSplitFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  parallel_work(head.size(), head.size() * share, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number < last; ++number) add_share(*this, number, p);
  });
  parallel_ranges(empty.size(), 1 << 15, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) p.update.without_entries(empty[i]);
  });
  combine(OnCpu{}, pieces(), p.update, Combine::store);
}

template void CsrSplitFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CsrSplitFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
