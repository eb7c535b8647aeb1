#include "core/parallel.hpp"
#include "formats/csr/csr.hpp"
#include "layout/row_sum.hpp"

namespace heddle {

namespace {

// y = A x needs no update at all: the sum over no entries is the +0 that a row without entries must give.
enum class Into { sum, updated };

template <Into S, class V>
void multiply_rows(const CsrFormat<V>& A, std::int64_t first, std::int64_t last, const Product<V>& p) {
  const Offset* ptr = A.ptr.data();
  Offset begin = ptr[first];
  for (std::int64_t row = first; row < last; ++row) {
    const Offset end = ptr[row + 1];
    const V sum = row_sum(A.col.data() + begin, A.val.data() + begin, end - begin, p.x);
    if constexpr (S == Into::sum)
      p.update.y[row] = sum;
    else
      p.update.row(row, sum, end > begin);
    begin = end;
  }
}

}  // namespace

template <class V>
void CsrFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  const bool plain = p.update.alpha == V(1) && p.update.beta == V(0) && p.update.row_of == nullptr;
  parallel_tasks(task.size() - 1, [&](std::int64_t t) {
    if (plain)
      multiply_rows<Into::sum>(*this, task[t], task[t + 1], p);
    else
      multiply_rows<Into::updated>(*this, task[t], task[t + 1], p);
  });
}

template void CsrFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CsrFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
