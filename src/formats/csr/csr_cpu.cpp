#include "core/parallel.hpp"
#include "formats/csr/csr.hpp"

namespace heddle {

namespace {

// Four sums in flight: one alone waits 4 cycles for its own addition before it can take the next product.
template <class V>
V row_sum(const Index* col, const V* val, Offset length, const V* x) {
  V s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  Offset k = 0;
  for (; k + 4 <= length; k += 4) {
    s0 += val[k] * x[col[k]];
    s1 += val[k + 1] * x[col[k + 1]];
    s2 += val[k + 2] * x[col[k + 2]];
    s3 += val[k + 3] * x[col[k + 3]];
  }
  for (; k < length; ++k) s0 += val[k] * x[col[k]];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

template <class V>
void CsrFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  parallel_tasks(task.size() - 1, [&](std::int64_t t) {
    for (std::int64_t row = task[t]; row < task[t + 1]; ++row) {
      const Offset begin = ptr[row], length = ptr[row + 1] - begin;
      p.update.row(row, row_sum(col.data() + begin, val.data() + begin, length, p.x), length > 0);
    }
  });
}

template void CsrFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CsrFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
