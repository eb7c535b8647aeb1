#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "formats/csr/csr.hpp"
#include "simd/vector_group.hpp"

namespace heddle {

// Floats one after another are fetched one by one here, by eight in multiply: what the caches hold is multiplied sooner
// once a vector. The time of that by the time of this (a core of a Xeon with AVX-512, 2026-11):
//
//   28 K to 140 K entries   float 0.6 to 0.85   double 1.15 to 1.5
//   1.5 M entries           float 0.9 to 1.2
template <class V>
bool CsrFormat<V>::multiply_many(OnCpu, const ProductMany<V>& p) const {
  constexpr std::size_t held = 8 << 20;
  const bool one_after_another = p.x.element == 1 && p.update.element == 1;
  if (sizeof(V) == 4 && one_after_another && isa() != Isa::baseline && val.bytes() + col.bytes() < held) return false;
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
