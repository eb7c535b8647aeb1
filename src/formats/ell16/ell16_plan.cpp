// What ell16 costs: columns in 16 bits from the diagonal, the others in coordinates.
#include <fmt/format.h>

#include <algorithm>

#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"
#include "formats/ell16/ell16_rules.hpp"

namespace heddle {

namespace {

Workload ell16_as_it_is(const Subject& s, const Plan& plan) {
  const bool padded = ell16_pads(s.rows(), s.longest(), s.nnz());
  const RegularPart width = regular_part(
      s, plan, padded ? s.longest() : static_cast<double>(two_thirds_width(s.facts.rows_len, s.facts.rows)));
  const double inside = width.inside * s.facts.columns.near16;
  const double widest = s.facts.columns.near16 > 0.02 ? width.K : 0;
  const double places = up(s.rows(), 32) * widest;
  const double walked = std::min(places, padding_of(s.facts, 32, 1) * inside);
  Workload w = start(s, places * (2 + s.value_bytes) + s.rows() * index_bytes, places, walked);
  w.stream_bytes -= (places - walked) * (2 + s.value_bytes);
  w.sectors = walked * (2 + s.value_bytes) / sector_bytes + inside * s.gather().rows;
  w.teams = s.rows() / lanes_of_warp;
  w.chain = widest;
  add_coordinates(w, s, s.nnz() - inside);
  return w;
}

// What an order will do is known only when it is made. Counted as if it made a mesh of the matrix: the trial of
// effort = measure then tells.
Structure well_ordered(const Structure& facts) {
  constexpr double window = 0.08;
  Structure made = facts;
  made.columns.near16 = 1;
  for (Gather* gather : {&made.gather_f32, &made.gather_f64}) {
    const double densest = gather == &made.gather_f32 ? 1.0 / 8 : 1.0 / 4;
    gather->rows = std::min(gather->rows, 1.5 * densest);
    gather->entries = std::min(gather->entries, 1.5 * densest);
    gather->window = std::min(gather->window, window);
  }
  return made;
}

Workload ell16_gpu(const Subject& s, const Plan& plan) {
  if (!word_is(plan, "reorder", "rcm")) return ell16_as_it_is(s, plan);
  const Structure ordered = well_ordered(s.facts);
  Workload w = ell16_as_it_is({ordered, s.value_bytes, s.target}, plan);
  w.bytes += s.rows() * (index_bytes + s.value_bytes);
  w.stream_bytes += s.rows() * (index_bytes + 2 * s.value_bytes);
  w.misses += s.rows() * s.gather().window;
  w.launches += 1;
  w.loose = true;
  return w;
}

std::vector<Plan> ell16_plans(const Structure& facts, const Target&) {
  return facts.columns.near16 > 0.5 ? parse_plans({"ell16"}) : parse_plans({});
}

// Reordered inside: no fact predicts what an order will do.
std::vector<Plan> ell16_tried(const Structure& facts, const Target&) {
  return facts.rows == facts.cols ? parse_plans({"ell16 reorder=rcm"}) : parse_plans({});
}

Workload ell16_cpu(const Subject& s, const Plan& plan) {
  Workload w = on_cpu<ell16_gpu, Walk::entries, 1, rows_of_columns>(s, plan);
  w.tasks = shared_by(s, w.stored + s.rows(), rows_of_columns * w.stored / std::max(1.0, s.rows()));
  cost_beside(w, s, 3);
  return w;
}

}  // namespace

extern const Rules ell16_rules{.format = "ell16",
                               .turn = 11,
                               .plans = ell16_plans,
                               .gpu = ell16_gpu,
                               .cpu = ell16_cpu,
                               .suits =
                                   [](const Structure& facts, const Plan&) {
                                     return fmt::format("{:.0f} % of the columns are within 16 bits of the diagonal",
                                                        100 * facts.columns.near16);
                                   },
                               .tried = ell16_tried};

}  // namespace heddle
