#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "formats/csr/csr.hpp"
#include "layout/vector_group.hpp"

namespace heddle {

template <class V>
bool CsrFormat<V>::multiply_many(OnCpu, const ProductMany<V>& p) const {
  constexpr std::int64_t rows_at_once = 256;
  parallel_tasks(task.size() - 1, [&](std::int64_t t) {
    for (std::int64_t begin = task[t]; begin < task[t + 1]; begin += rows_at_once) {
      const std::int64_t end = std::min<std::int64_t>(begin + rows_at_once, task[t + 1]);
      const auto multiply_rows = [&](const auto& group) {
        constexpr int K = std::remove_cvref_t<decltype(group)>::K;
        for (std::int64_t row = begin; row < end; ++row) {
          V sum[K] = {};
          for (Offset k = ptr[row]; k < ptr[row + 1]; ++k) group.add(sum, val[k], col[k]);
          group.update(row, sum, ptr[row + 1] > ptr[row]);
        }
      };
      with_isa([&](auto) {
        p.x.vector == 1 ? each_group_side_by_side(p, multiply_rows) : each_group_one_after_another(p, multiply_rows);
      });
    }
  });
  return true;
}

template bool CsrFormat<float>::multiply_many(OnCpu, const ProductMany<float>&) const;
template bool CsrFormat<double>::multiply_many(OnCpu, const ProductMany<double>&) const;

}  // namespace heddle
