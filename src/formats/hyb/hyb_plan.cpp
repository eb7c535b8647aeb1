// What hyb costs: a regular part and coordinates.
#include <algorithm>

#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"

namespace heddle {

namespace {

Workload hyb_gpu(const Subject& s, const Plan& plan) {
  const RegularPart width =
      regular_part(s, plan, static_cast<double>(two_thirds_width(s.facts.rows_len, s.facts.rows)));
  const double places = up(s.rows(), 32) * width.K;
  Workload w = sliced(s, places * (index_bytes + s.value_bytes), places, places, 1, width.K);
  w.sectors *= s.nnz() > 0 ? width.inside / s.nnz() : 1;
  w.stream_bytes -= std::max(0.0, places - width.inside) * s.value_bytes / 2;
  add_coordinates(w, s, s.nnz() - width.inside);
  return w;
}

// The regular part is as wide as `K`, whatever the longest row.
Workload hyb_cpu(const Subject& s, const Plan& plan) {
  Workload w = on_cpu<hyb_gpu, Walk::places, 1, rows_of_columns>(s, plan);
  w.tasks = shared_by(s, w.stored + s.rows(), rows_of_columns * w.stored / std::max(1.0, s.rows()));
  cost_beside(w, s, 3);
  return w;
}

}  // namespace

extern const Rules hyb_rules{.format = "hyb",
                             .turn = 8,
                             .plans = [](const Structure&, const Target&) { return parse_plans({"hyb"}); },
                             .gpu = hyb_gpu,
                             .cpu = hyb_cpu,
                             .suits = row_text};

}  // namespace heddle
