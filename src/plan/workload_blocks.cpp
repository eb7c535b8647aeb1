// Diagonals and blocks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/row_counts.hpp"
#include "plan/workload_parts.hpp"

namespace heddle {

namespace {

Workload dia_gpu(const Subject& s, const Plan&) {
  const auto full = static_cast<double>(s.facts.diagonals.full);
  const double places = full * up(s.rows(), 32), inside = s.nnz() * s.facts.diagonals.full_share;
  Workload w = start(s, full * index_bytes + places * (s.value_bytes + 0.125), places, places);
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
  return facts.diagonals.full > 0 && (target.on_gpu || hold_most) ? plans({"dia"}) : plans({});
}

struct Blocks {
  double r, c, rows, blocks, mask_bytes, fill;
};

Blocks blocks_of(const Subject& s, const Plan& plan) {
  const double r = number(plan, "r", 4), c = number(plan, "c", 4);
  double fill = r * c;  // a shape nobody looked at: as if every entry had a block of its own
  for (const BlockFill& b : s.facts.blocks)
    if (b.r == r && b.c == c) fill = b.fill;
  const double places = r * c;
  return {r,
          c,
          std::ceil(s.rows() / r),
          s.nnz() * fill / places,
          places <= 8    ? 1.0
          : places <= 16 ? 2.0
          : places <= 32 ? 4.0
                         : 8.0,
          fill};
}

double slot_bytes(const Blocks& b, const Subject& s) { return b.r * b.c * s.value_bytes + b.mask_bytes + index_bytes; }

Workload bcsr_gpu(const Subject& s, const Plan& plan) {
  const Blocks b = blocks_of(s, plan);
  const double stored = b.blocks * b.r * b.c;
  double slots = 1;
  while (2 * slots * b.r <= 32 && 2 * slots * b.rows <= b.blocks) slots *= 2;
  Workload w = start(s, (b.rows + 1) * offset_bytes + b.blocks * slot_bytes(b, s), stored, stored);
  w.sectors = b.blocks * (slot_bytes(b, s) / sector_bytes + b.r) + b.blocks * b.c * s.value_bytes / sector_bytes;
  w.teams = b.rows / std::max(1.0, std::floor(32 / (b.r * slots)));
  w.slots = w.teams * 32 * b.c * std::max(1.0, std::ceil(b.blocks / std::max(1.0, b.rows) / slots));
  w.chain = std::ceil(s.longest() / b.c / slots) * b.c / 2;
  return w;
}

// A line of a block is one vector on the CPU, and a block costs about four lines more, whatever its width. Lines cost
// more where they do not fill a vector, and in blocks with holes, two in each as if by chance; everything does where
// their number is known at run time only (formats/bcsr/bcsr_cpu.cpp).
Workload bcsr_cpu(const Subject& s, const Plan& plan) {
  const Blocks b = blocks_of(s, plan);
  Workload w = as_on_cpu(s, bcsr_gpu(s, plan), Walk::places, 1, b.r);
  const double with_holes = std::clamp((1 - 1 / b.fill) * b.r * b.c / 2, 0.0, 1.0);
  const double line = (b.c == 3 ? 1.3 : b.c == 6 ? 2 : 1) * (1 + with_holes);
  w.slots = b.blocks * (b.r * line + 4) * (b.r == b.c ? 1 : 2.5);
  return w;
}

Workload bell_gpu(const Subject& s, const Plan& plan) {
  const Blocks b = blocks_of(s, plan);
  const double stored = b.blocks * b.r * b.c;
  Workload w = start(s, b.blocks * slot_bytes(b, s) + b.rows * 2 * index_bytes + std::ceil(b.rows / 32) * offset_bytes,
                     stored, stored);
  w.sectors = b.blocks * (slot_bytes(b, s) / sector_bytes + b.c * s.value_bytes / 8);
  w.teams = b.rows / lanes_of_warp;
  w.chain = std::ceil(s.longest() / b.c) * b.r;
  return w;
}

Workload bell_cpu(const Subject& s, const Plan& plan) {
  return as_on_cpu(s, bell_gpu(s, plan), Walk::places, 1, 32 * blocks_of(s, plan).r);
}

// Blocks that would store more than half as much again never pay.
template <const char* const& format>
std::vector<Plan> block_plans(const Structure& facts, const Target&) {
  constexpr double worth = 1.5;
  std::vector<Plan> made;
  for (const BlockFill& block : facts.blocks)
    if (block.r > 1 && block.fill > 0 && block.fill <= worth)
      made.push_back(Plan::parse(fmt::format("{} r={} c={}", format, block.r, block.c)));
  return made;
}
constexpr const char *bcsr = "bcsr", *bell = "bell";

std::string block_text(const Structure& facts, const Plan& plan) {
  const double r = number(plan, "r", 4), c = number(plan, "c", 4);
  for (const BlockFill& b : facts.blocks)
    if (b.r == r && b.c == c) return fmt::format("{} x {} blocks store {:.2f} places per entry", b.r, b.c, b.fill);
  return row_text(facts, plan);
}

}  // namespace

const Family dia_family{"dia", dia_plans, dia_gpu, dia_cpu, [](const Structure& facts, const Plan&) {
                          return fmt::format("{} diagonals hold {:.0f} % of the entries", facts.diagonals.full,
                                             100 * facts.diagonals.full_share);
                        }};
const Family bcsr_family{"bcsr", block_plans<bcsr>, bcsr_gpu, bcsr_cpu, block_text};
const Family bell_family{"bell", block_plans<bell>, bell_gpu, bell_cpu, block_text};

}  // namespace heddle
