// What sell costs: slices of C rows, in order of length inside windows of sigma.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"

namespace heddle {

namespace {

// Slices become a multiple of `lanes` wide: known where they are all alike, half of it more where they are not.
double rounded_width(const Subject& s, double width, double lanes) {
  const bool alike = s.facts.rows_len.cv < 0.2 || s.longest() <= 2 * lanes;
  return alike ? up(std::round(width), lanes) : width + (lanes - 1) / 2;
}

Workload sell_gpu(const Subject& s, const Plan& plan) {
  const double C = number(plan, "C", 32), sigma = number(plan, "sigma", 1), lanes = number(plan, "lanes", 1);
  double stored = padding_of(s.facts, static_cast<int>(C), static_cast<std::int64_t>(sigma)) * s.nnz();
  if (lanes > 1 && s.facts.rows > 0) stored = s.rows() * rounded_width(s, stored / s.rows(), lanes);
  const double order = sigma > 1 ? s.rows() * index_bytes : 0;
  const double bytes = stored * (index_bytes + s.value_bytes) + (std::ceil(s.rows() / C) + 1) * offset_bytes + order;
  Workload w = sliced(s, bytes, stored, stored, lanes, s.longest());
  // Neighbours are up to sigma rows apart; that costs nothing where they shared nothing. Each has its own sector of y.
  if (sigma > 1 && s.facts.rows_len.cv > 0.05) {
    w.misses = std::min(1.15 * w.misses, s.nnz());
    w.sectors += s.rows();
  }
  return w;
}

// Windows of 256 rows where several cores would share those of 1,024.
std::vector<Plan> sell_plans(const Structure& facts, const Target& target) {
  if (target.on_gpu) return parse_plans({"sell", "sell sigma=1024", "sell lanes=4"});
  const bool shared = facts.rows < 1024 * std::int64_t{target.units};
  return shared ? parse_plans({"sell", "sell sigma=1024", "sell sigma=256"}) : parse_plans({"sell", "sell sigma=1024"});
}

// Long rows of one length, side by side, go through x together, if their columns lie anywhere: at a time they are
// where so many entries of a row have chanced to be, and a slice reads each line of x once. (1,000 rows of 1,500
// entries in 200,000 columns: 249 us in float on two cores, row by row 364; 50 of 60,000 in a million 1,024 and 2,814.)
void sweep_together(Workload& w, const Subject& s, double rows) {
  constexpr double line_bytes = 64, deviations = 4;
  const double mean = s.facts.rows_len.mean, entries = std::min(rows, s.rows()) * mean, lines = w.x_bytes / line_bytes;
  if (entries <= 0 || lines <= 0) return;
  w.swept_bytes = deviations * w.x_bytes / 2 / std::sqrt(mean);
  w.swept_misses = s.nnz() / entries * lines * (1 - std::exp(-entries / lines));
}
Workload sell_cpu(const Subject& s, const Plan& plan) {
  const double C = number(plan, "C", 32), sigma = number(plan, "sigma", 1);
  Workload w = as_on_cpu(s, sell_gpu(s, plan), Walk::places, 1, C);
  if (sigma > 1) w.false_sharing = s.rows(), w.sharing_window = sigma;
  if (sigma > 1 || s.facts.rows_len.cv < 0.1) sweep_together(w, s, C);
  return w;
}

}  // namespace

extern const Rules sell_rules{
    .format = "sell", .turn = 3, .plans = sell_plans, .gpu = sell_gpu, .cpu = sell_cpu, .suits = slice_text};

}  // namespace heddle
