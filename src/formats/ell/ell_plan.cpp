// What ell costs: every row as long as the longest.
#include <algorithm>

#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"

namespace heddle {

namespace {

Workload ell_gpu(const Subject& s, const Plan&) {
  const double stored = up(s.rows(), 32) * s.longest();
  // Padding shares its column with neighbours, and its value is not read.
  Workload w = sliced(s, stored * (index_bytes + s.value_bytes), stored, stored, 1, s.longest());
  w.stream_bytes -= std::max(0.0, stored - padding_of(s.facts, 32, 1) * s.nnz()) * s.value_bytes;
  return w;
}

// On a CPU slices do what it does, with less padding.
std::vector<Plan> ell_plans(const Structure& facts, const Target& target) {
  const auto places = static_cast<double>(facts.rows) * static_cast<double>(facts.rows_len.max);
  return target.on_gpu || places <= 1.25 * static_cast<double>(facts.nnz) ? plans({"ell"}) : plans({});
}

}  // namespace

extern const Rules ell_rules{.format = "ell",
                             .turn = 6,
                             .plans = ell_plans,
                             .gpu = ell_gpu,
                             .cpu = on_cpu<ell_gpu, Walk::places, 1, rows_of_columns>,
                             .suits = row_text};

}  // namespace heddle
