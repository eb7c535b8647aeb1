// Compressed rows and coordinates.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/thread_share.hpp"
#include "formats/csr/csr_rules.hpp"
#include "formats/csr_split/csr_split_rules.hpp"
#include "plan/row_counts.hpp"
#include "plan/workload_parts.hpp"

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

Workload csr_padded_gpu(const Subject& s, const Plan&) {
  const double stored = rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, 16);
  Workload w = start(s, (s.rows() + 1) * offset_bytes + s.rows() * index_bytes + stored * (index_bytes + s.value_bytes),
                     stored, s.nnz());
  const double read = rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, 8);
  w.stream_bytes += (read - stored) * (index_bytes + s.value_bytes);
  w.slots = rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, 32);
  w.sectors = read * (index_bytes + s.value_bytes) / sector_bytes + gathered(s, 16);
  w.teams = s.rows() / 2;
  w.chain = std::ceil(s.longest() / 32);
  return w;
}

Workload csr_split_gpu(const Subject& s, const Plan& plan) {
  const double share = number(plan, "share", csr_split_share(s.facts.nnz)), shares = std::ceil(s.nnz() / share);
  const double listed = s.facts.rows_len.empty > 0 ? s.rows() : 0;
  const double bytes = s.nnz() * (index_bytes + s.value_bytes) + s.nnz() / 8 +
                       shares * (index_bytes + 2 * s.value_bytes + 12) + listed * index_bytes;
  Workload w = start(s, bytes, s.nnz(), up(s.nnz(), 32));
  w.sectors += s.nnz() * s.gather().entries;
  w.teams = shares;
  w.chain = share / 32 + s.longest() / share / 32;
  w.launches = 2;
  return w;
}

Workload csr_ell_gpu(const Subject& s, const Plan&) {
  const CsrEllShape shape = csr_ell_shape(s.facts);
  const double entry = index_bytes + s.value_bytes;
  const double bytes = shape.warps * 24 + shape.packed_rows * 2 * index_bytes + shape.packed_places * entry +
                       shape.pieces * 24 + shape.long_rows * index_bytes + shape.long_entries * entry +
                       shape.crossings * (12 + s.value_bytes) + shape.pieces * s.value_bytes;
  Workload w =
      start(s, bytes, shape.packed_places + shape.long_entries, shape.packed_places + up(shape.long_entries, 32));
  // Sorting takes neighbours apart unless rows are all alike.
  const double apart = s.facts.rows_len.cv > 0.05 ? 1 : 0;
  const double share = s.nnz() > 0 ? shape.packed_entries / s.nnz() : 0;
  w.sectors += s.nnz() * (share * s.gather().rows + (1 - share) * s.gather().entries);
  w.sectors += apart * s.rows();  // of y
  w.misses *= 1 + 0.5 * apart * share;
  w.teams = shape.warps + shape.pieces;
  w.chain = shape.steps + (shape.crossings > 0 ? s.longest() / 1024 / 32 : 0);
  w.launches = shape.crossings > 0 ? 2 : 1;
  return w;
}

Workload csr_ell_cpu(const Subject& s, const Plan& plan) {
  Workload w = as_on_cpu(s, csr_ell_gpu(s, plan), Walk::sorted, 2, 0);
  w.foreign = s.rows();
  return w;
}

Workload coo_gpu(const Subject& s, const Plan&) {
  Workload w = start(s, 0, 0, 0);
  add_coordinates(w, s, s.nnz());
  w.stream_bytes += s.rows() * s.value_bytes;
  w.launches = 3;
  return w;
}

// Where gathers are fast a row takes steps of as many entries as are gathered at once, one at least (layout/
// row_group.hpp): sixteen cores take 6.8, 7, 7.5, 15 and 13 units of time for rows of 4, 5, 7, 9 and 10 entries.
// Shorter rows are done together, and so are all where elements are loaded one by one.
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
const Family csr_family{"csr", [](const Structure&, const Target&) { return plans({"csr"}); }, csr_gpu, csr_cpu,
                        row_text};
const Family csr_padded_family{"csr_padded", [](const Structure&, const Target&) { return plans({"csr_padded"}); },
                               csr_padded_gpu, on_cpu<csr_padded_gpu, Walk::entries, 1>, row_text};
const Family csr_split_family{"csr_split", [](const Structure&, const Target&) { return plans({"csr_split"}); },
                              csr_split_gpu, on_cpu<csr_split_gpu, Walk::entries, 2, 0>,
                              [](const Structure& facts, const Plan& plan) {
                                return row_text(facts, plan) + ": equal shares of entries do not care";
                              }};
const Family csr_ell_family{
    "csr_ell", [](const Structure&, const Target&) { return plans({"csr_ell"}); }, csr_ell_gpu, csr_ell_cpu,
    [](const Structure& facts, const Plan& plan) {
      return row_text(facts, plan) + ": short ones are packed by length, long ones shared by warps";
    }};
const Family coo_family{"coo", [](const Structure&, const Target&) { return plans({"coo"}); }, coo_gpu,
                        on_cpu<coo_gpu, Walk::entries, 3, 0>, row_text};

}  // namespace heddle
