// What rgcsr costs: groups of rows, each as long as its longest.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"

namespace heddle {

namespace {

Workload rgcsr_gpu(const Subject& s, const Plan& plan) {
  const double group = number(plan, "group", 128);
  // The last group is as high as the rows that are left.
  const double height = s.facts.rows > 0 ? s.rows() / up(s.rows(), group) : 1;
  const double stored = padding_of(s.facts, static_cast<int>(group), 1) * s.nnz() * height;
  const double walked = std::min(stored, padding_of(s.facts, 32, 1) * s.nnz());
  const double bytes = stored * (index_bytes + s.value_bytes) + (std::ceil(s.rows() / group) + 1) * offset_bytes +
                       s.rows() * index_bytes;
  return sliced(s, bytes, stored, walked, 1, s.longest());
}

Workload rgcsr_cpu(const Subject& s, const Plan& plan) {
  Workload w = as_on_cpu(s, rgcsr_gpu(s, plan), Walk::places, 1, number(plan, "group", 128));
  w.slots = padding_of(s.facts, 32, 1) * s.nnz();
  return w;
}

}  // namespace

extern const Rules rgcsr_rules{.format = "rgcsr",
                               .turn = 4,
                               .plans = [](const Structure&, const Target&) { return parse_plans({"rgcsr"}); },
                               .gpu = rgcsr_gpu,
                               .cpu = rgcsr_cpu,
                               .suits = slice_text};

}  // namespace heddle
