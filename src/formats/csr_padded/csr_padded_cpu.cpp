#include "core/parallel.hpp"
#include "formats/csr_padded/csr_padded.hpp"
#include "simd/row_sum.hpp"

namespace heddle {

template <class V>
void CsrPaddedFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  parallel_stretches(task.size() - 1, tasks_per_thread, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = task[first]; row < task[last]; ++row)
      p.update.row(row, row_sum(col.data() + ptr[row], val.data() + ptr[row], length[row], p.x), length[row] > 0);
  });
}

template void CsrPaddedFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CsrPaddedFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
