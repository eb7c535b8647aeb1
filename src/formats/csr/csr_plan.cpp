// What csr costs: rows by teams of lanes on a GPU, by steps of a gather on a CPU.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/thread_share.hpp"
#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"
#include "formats/csr/csr_rules.hpp"

namespace heddle {

namespace {

double lanes_of(const Subject& s, const Plan& plan) {
  if (const double given = number(plan, "lanes", 0); given > 0) return given;
  return csr_lanes(s.facts.rows, s.facts.nnz, s.facts.rows_len.max);
}

double csr_bytes(const Subject& s) { return (s.rows() + 1) * offset_bytes + s.nnz() * (index_bytes + s.value_bytes); }

// Each team reads lanes * 4 bytes of columns and lanes * V of values at some place: whole sectors, partly used.
double team_sectors(const Subject& s, double lanes) {
  const double teams =
      rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, static_cast<std::int64_t>(lanes)) / lanes;
  const auto touched = [&](double bytes) { return std::max(1.0, bytes / sector_bytes); };
  return teams * (touched(lanes * index_bytes) + touched(lanes * s.value_bytes));
}

// Of the longest row. One takes 160 to 230 ns in float and half as long again in double; after the first ones 0.6 of it
// where the first cache holds x.
double csr_steps(const Subject& s, double lanes) {
  constexpr double first = 16, near = 0.6;
  const double steps = std::ceil(s.longest() / lanes), later = std::max(0.0, steps - first);
  const double x_bytes = static_cast<double>(s.facts.cols) * s.value_bytes;
  return (steps - later + later * (in_first_cache(x_bytes) ? near : 1)) * (s.value_bytes == 8 ? 1.5 : 1);
}

Workload csr_gpu(const Subject& s, const Plan& plan) {
  const double lanes = lanes_of(s, plan);
  Workload w = start(s, csr_bytes(s), s.nnz(), s.nnz());
  w.slots = team_slots(s, lanes);
  w.sectors = team_sectors(s, lanes) + gathered(s, lanes);
  w.teams = s.rows() * lanes / lanes_of_warp;
  w.chain = csr_steps(s, lanes);
  return w;
}

// Where gathers are fast a row takes steps of as many entries as are gathered at once, one at least
// (simd/row_group.hpp). Shorter rows are done together, and so are all where elements are loaded one by one.
//
//   entries of a row            4     5     7     9    10
//   time on sixteen cores     6.8     7   7.5    15    13
double csr_places(const Subject& s) {
  const auto& [isa, gathers] = std::tie(s.target.isa, s.target.gathers);
  const bool wide = isa == Isa::avx512 || s.value_bytes == 4;
  const bool by_steps = (isa == Isa::avx512 || isa == Isa::avx2) && (wide ? gathers.of_8 : gathers.of_4);
  if (!by_steps || s.nnz() < 4 * s.rows()) return s.nnz();
  const int step = wide ? 8 : 4;
  return rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, step) +
         step * static_cast<double>(s.facts.rows_len.empty);
}

Workload csr_cpu(const Subject& s, const Plan& plan) {
  Workload w = on_cpu<csr_gpu, Walk::entries, 1, 0>(s, plan);
  w.slots = csr_places(s);
  w.tasks = std::max(1.0, std::floor((s.nnz() + s.rows()) / static_cast<double>(row_work_per_thread)));
  return w;
}

}  // namespace

// A row is shared by threads where it is long.
extern const Rules csr_rules{.format = "csr",
                             .turn = 0,
                             .plans = [](const Structure&, const Target&) { return parse_plans({"csr"}); },
                             .gpu = csr_gpu,
                             .cpu = csr_cpu,
                             .suits = row_text};

}  // namespace heddle
