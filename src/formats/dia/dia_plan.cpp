// What dia costs: full diagonals, and coordinates beside them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost/workload_parts.hpp"

namespace heddle {

namespace {

// With symmetric values those on and above the main diagonal are stored, with bits for both halves.
Workload dia_gpu(const Subject& s, const Plan& plan) {
  const auto full = static_cast<double>(s.facts.diagonals.full);
  const bool half = word_is(plan, "values", "symmetric");
  const double stored = half ? std::ceil(full / 2) : full, masks = half ? 2 : 1;
  const double places = full * up(s.rows(), 32), inside = s.nnz() * s.facts.diagonals.full_share;
  const double kept = stored * up(s.rows(), 32);
  Workload w = start(s, stored * index_bytes + kept * (s.value_bytes + masks / 8), kept, places);
  w.sectors = places * (2.0 * s.value_bytes) / sector_bytes;  // x is read in step with the rows
  w.teams = s.rows() / lanes_of_warp;
  w.chain = full;
  w.launches = 1;
  add_coordinates(w, s, s.nnz() - inside);
  return w;
}

// An entry of the remainder costs the CPU as much as about eight places of diagonals, which are vectors. Rows are begun
// one by one only in chunks (formats/dia/dia_cpu.cpp) that have one among them without an entry on any diagonal.
Workload dia_cpu(const Subject& s, const Plan& plan) {
  constexpr int chunk = 256;
  Workload w = on_cpu<dia_gpu, Walk::places, 1, chunk>(s, plan);
  const double rows = std::max(1.0, s.rows()), full = static_cast<double>(s.facts.diagonals.full);
  const double occupied = std::min(1.0, s.nnz() * s.facts.diagonals.full_share / std::max(1.0, full * rows));
  const double by_chance = full > 1 ? std::pow(1 - occupied, full) : 0;
  const double empty = std::max(by_chance, static_cast<double>(s.facts.rows_len.empty) / rows);
  w.teams = rows * (1 - std::pow(1 - empty, chunk));
  w.tasks = diagonals_shared_by(s, w.stored + rows, chunk * (w.stored / rows + 1));
  // Diagonals read x in step with the rows. Entries beside them fetch it as those of any row do, and each line of y.
  constexpr double line_bytes = 64;
  w.misses = w.beside * s.gather().window + std::min(w.beside, rows * s.value_bytes / line_bytes);
  cost_beside(w, s, 8);
  return w;
}

// What is beside the diagonals is coordinates, the slowest walk on a CPU: they have to be few. (A mesh of 400,000 rows
// with its main diagonal alone, 4 % of the entries, took seven times as long as csr.)
std::vector<Plan> dia_plans(const Structure& facts, const Target& target) {
  const bool hold_most = facts.diagonals.full_share >= 0.5;
  return facts.diagonals.full > 0 && (target.on_gpu || hold_most) ? parse_plans({"dia"}) : parse_plans({});
}

}  // namespace

extern const Rules dia_rules;
const Rules dia_rules{.format = "dia",
                      .turn = 10,
                      .plans = dia_plans,
                      .gpu = dia_gpu,
                      .cpu = dia_cpu,
                      .suits = [](const Structure& facts, const Plan&) {
                        return fmt::format("{} diagonals hold {:.0f} % of the entries", facts.diagonals.full,
                                           100 * facts.diagonals.full_share);
                      }};

}  // namespace heddle
