#include "core/parallel.hpp"
#include "formats/coo/coo.hpp"

namespace heddle {

namespace {

// Entries [begin, end) of one share: each row segment either is a whole row, or a piece for `combine`.
template <class V>
void add_share(const CooFormat<V>& A, std::int64_t number, const Product<V>& p) {
  const Offset nnz = A.val.size(), begin = number * A.share, end = std::min(begin + A.share, nnz);
  const Update<V>& update = p.update;
  for (Offset k = begin; k < end;) {
    const Index row = A.row[k];
    const Offset first = k;
    V sum = 0;
    for (; k < end && A.row[k] == row; ++k) sum += A.val[k] * p.x[A.col[k]];
    const bool started_before = first == begin && begin > 0 && A.row[begin - 1] == row;
    const bool goes_on = k == end && end < nnz && A.row[end] == row;
    if (started_before)
      A.pieces().head[number] = sum;
    else if (goes_on)
      A.pieces().tail[number] = sum;
    else
      update.y[update.place(row)] += update.alpha * sum;
  }
}

}  // namespace

template <class V>
void CooFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  scale(OnCpu{}, p.update, rows);
  constexpr std::int64_t shares_per_task = 64;
  parallel_ranges(head.size(), shares_per_task, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number < last; ++number) add_share(*this, number, p);
  });
  combine(OnCpu{}, pieces(), p.update, Combine::add);
}

template void CooFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CooFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
