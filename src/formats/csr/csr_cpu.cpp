#include "core/parallel.hpp"
#include "formats/csr/csr.hpp"
#include "layout/row_sum.hpp"

namespace heddle {

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
