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

// On a CPU slices do what it does, with less padding; and of wide rows, whose columns of 128 rows are far apart in
// memory, in less time. (Random columns, 20,000 rows of 200 in x of 2 M elements, float, two cores, 2026-11: 16 ms, sell
// 8.7 to 10.4.)
std::vector<Plan> ell_plans(const Structure& facts, const Target& target) {
  constexpr double wide = 100;
  const auto places = static_cast<double>(facts.rows) * static_cast<double>(facts.rows_len.max);
  const bool narrow = facts.rows_len.mean <= wide && places <= 1.25 * static_cast<double>(facts.nnz);
  return target.on_gpu || narrow ? parse_plans({"ell"}) : parse_plans({});
}

}  // namespace

extern const Rules ell_rules{.format = "ell",
                             .turn = 6,
                             .plans = ell_plans,
                             .gpu = ell_gpu,
                             .cpu = on_cpu<ell_gpu, Walk::places, 1, rows_of_columns>,
                             .suits = row_text};

}  // namespace heddle
