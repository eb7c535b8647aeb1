// What csb costs: the entries by bands, and x once for each band.
#include <algorithm>
#include <cmath>

#include "cost/workload_parts.hpp"
#include "formats/csb/csb_rules.hpp"

namespace heddle {

namespace {

struct Cut {
  double bands, cells;
};
Cut cut_of(const Subject& s, const Plan& plan) {
  const double rows = number(plan, "rows", csb_rows(s.value_bytes)), tile = number(plan, "cols", 1 << 16);
  const double bands =
      std::max(std::ceil(s.rows() / rows), std::ceil(s.nnz() / static_cast<double>(csb_share(s.facts.nnz))));
  const double tiles = std::ceil(static_cast<double>(s.facts.cols) / tile);
  return {bands, std::min(s.nnz(), bands * tiles)};
}

Workload csb_gpu(const Subject& s, const Plan& plan) {
  constexpr double of_place = 4, of_band = index_bytes + offset_bytes;
  const Cut cut = cut_of(s, plan);
  const double bytes = s.nnz() * (of_place + s.value_bytes) + (cut.bands + 1 + cut.cells) * of_band + offset_bytes;
  Workload w = start(s, bytes, s.nnz(), s.nnz());
  w.teams = cut.bands;
  w.chain = s.nnz() / std::max(1.0, cut.bands);
  return w;
}

// Lines of x that a band reads: each once, from front to end.
double lines_of_band(const Subject& s, double entries) {
  constexpr double line_bytes = 64;
  const double lines = std::max(1.0, static_cast<double>(s.facts.cols) * s.value_bytes / line_bytes);
  return line_bytes * lines * (1 - std::exp(-entries / lines));
}

// The last cache holds x mostly, when a band comes back to it: bytes of x that count as much as one from memory. (Fitted
// by hand with the costs: 14 products of random columns, R-MAT and web, 2 cores, 2026-11-19, within 20 %.)
constexpr double x_again = 0.66;

Workload csb_cpu(const Subject& s, const Plan& plan) {
  const double bands = std::max(1.0, cut_of(s, plan).bands);
  Workload w = as_on_cpu(s, csb_gpu(s, plan), Walk::places, 1, 0);
  w.stream_bytes += x_again * bands * lines_of_band(s, s.nnz() / bands) - w.x_bytes;
  w.misses = 0;
  w.teams = 0;
  w.tasks = shared_by(s, s.nnz() + s.rows(), std::max(s.nnz() / bands, s.longest()));
  w.pieces = bands;
  return w;
}

// Where x is more than a core holds and neighbouring rows share little of it.
std::vector<Plan> csb_plans(const Structure& facts, const Target& target) {
  constexpr std::int64_t many = 1'000'000, far = 1 << 18;
  constexpr double alone = 0.4;  // sectors of x an entry
  const bool pays = facts.nnz >= many && facts.cols >= far && facts.gather_f64.window >= alone;
  return !target.on_gpu && pays ? parse_plans({"csb"}) : parse_plans({});
}

}  // namespace

extern const Rules csb_rules{.format = "csb",
                             .turn = 16,
                             .plans = csb_plans,
                             .gpu = csb_gpu,
                             .cpu = csb_cpu,
                             .suits = [](const Structure& facts, const Plan& plan) {
                               return row_text(facts, plan) + ", columns anywhere: bands of rows, by column";
                             }};

}  // namespace heddle
