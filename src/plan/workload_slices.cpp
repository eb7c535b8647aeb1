// Rows in slices, and what remains beside them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/thread_share.hpp"
#include "formats/ell16/ell16_rules.hpp"
#include "plan/row_counts.hpp"
#include "plan/workload_parts.hpp"

namespace heddle {

namespace {

// Slices in which a lane, or `lanes` of them, walks a row; `walked` places are visited, `stored` ones are kept.
Workload sliced(const Subject& s, double bytes, double stored, double walked, double lanes, double longest) {
  Workload w = start(s, bytes, stored, walked);
  w.stream_bytes -= (stored - walked) * (index_bytes + s.value_bytes);
  w.sectors += gathered(s, lanes);
  w.teams = s.rows() * lanes / lanes_of_warp;
  w.chain = std::ceil(longest / lanes);
  return w;
}

Workload ell_gpu(const Subject& s, const Plan&) {
  const double stored = up(s.rows(), 32) * s.longest();
  // Padding shares its column with neighbours, and its value is not read.
  Workload w = sliced(s, stored * (index_bytes + s.value_bytes), stored, stored, 1, s.longest());
  w.stream_bytes -= std::max(0.0, stored - padding_of(s.facts, 32, 1) * s.nnz()) * s.value_bytes;
  return w;
}

Workload ellr_gpu(const Subject& s, const Plan& plan) {
  const double T = number(plan, "T", 1);
  const double stored = up(s.rows(), 32) * up(s.longest(), T);
  const double walked = std::min(stored, team_slots(s, T));
  return sliced(s, stored * (index_bytes + s.value_bytes) + s.rows() * index_bytes, stored, walked, T, s.longest());
}

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

Workload rgcsr_gpu(const Subject& s, const Plan& plan) {
  const double group = number(plan, "group", 128);
  // The last group is as high as the rows that are left.
  const double height = s.facts.rows > 0 ? s.rows() / up(s.rows(), group) : 1;
  const double stored = padding_of(s.facts, static_cast<int>(group), 1) * s.nnz() * height;
  const double walked = std::min(stored, padding_of(s.facts, 32, 1) * s.nnz());
  const double bytes = stored * (index_bytes + s.value_bytes) + (std::ceil(s.rows() / group) + 1) * offset_bytes +
                       s.rows() * index_bytes;
  return sliced(s, bytes, stored, walked, 1, s.longest());
}

// Width of the regular part, and what it leaves over.
struct Width {
  double K, inside;
};

Width width_of(const Subject& s, const Plan& plan, double fallback) {
  const double K = number(plan, "K", fallback);
  return {K, clipped_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, static_cast<std::int64_t>(K))};
}

Workload hyb_gpu(const Subject& s, const Plan& plan) {
  const Width width = width_of(s, plan, static_cast<double>(two_thirds_width(s.facts.rows_len, s.facts.rows)));
  const double places = up(s.rows(), 32) * width.K;
  Workload w = sliced(s, places * (index_bytes + s.value_bytes), places, places, 1, width.K);
  w.sectors *= s.nnz() > 0 ? width.inside / s.nnz() : 1;
  w.stream_bytes -= std::max(0.0, places - width.inside) * s.value_bytes / 2;
  add_coordinates(w, s, s.nnz() - width.inside);
  return w;
}

Workload ell16_as_it_is(const Subject& s, const Plan& plan) {
  const bool padded = ell16_pads(s.rows(), s.longest(), s.nnz());
  const Width width =
      width_of(s, plan, padded ? s.longest() : static_cast<double>(two_thirds_width(s.facts.rows_len, s.facts.rows)));
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
  return w;
}

// Where nobody counted the steps, as if every entry were gathered.
StepCounts steps_of(const Subject& s) {
  return s.steps ? *s.steps : StepCounts{0, padding_of(s.facts, 32, 1), 1, 0, 0};
}

Workload runs_gpu(const Subject& s, const Plan&) {
  const StepCounts steps = steps_of(s);
  const double in_runs = s.nnz() * steps.runs, gathered_places = s.nnz() * steps.gathered;
  const double aside = s.nnz() * steps.aside, places = in_runs + gathered_places + aside;
  const double in_columns = gathered_places + s.nnz() * (steps.aside - 0.96 * steps.dense);  // the rest: masks
  const double bytes = places * s.value_bytes + (in_runs + gathered_places) * 0.125 + in_runs / 16 * index_bytes +
                       in_columns * index_bytes + s.rows() * 2.5;
  Workload w = sliced(s, bytes, places, places, 1, s.longest());
  w.misses *= std::max(0.0, steps.gathered_entries - steps.dense);
  w.gathered = gathered_places;
  return w;
}

// A run of 16 is one or two loads; a gathered step takes about two and a half times as long, and more where elements
// are loaded one by one, floats above all.
double gathered_step(const GathersPay& gathers, int value_bytes) {
  if (gathers.of_8) return 2.5;
  if (value_bytes == 8) return 4.5;
  return gathers.of_16 ? 4 : 5;
}

Workload runs_cpu(const Subject& s, const Plan& plan) {
  const GathersPay& gathers = s.target.gathers;
  const double gather = gathered_step(gathers, s.value_bytes);
  const double along_a_row = gathers.of_8 ? 2 : 1.6;  // an entry of a row aside, in places of a gathered step
  const double dense = s.value_bytes == 8 ? 3 : 2;    // one without a column, in places of a run
  constexpr double part = 4096;                       // what of a row one thread does
  const StepCounts steps = steps_of(s);
  Workload w = as_on_cpu(s, runs_gpu(s, plan), Walk::places, 1, 16);
  w.slots = s.nnz() *
            (steps.runs + gather * (steps.gathered + along_a_row * (steps.aside - steps.dense)) + dense * steps.dense);
  // A slice is one thread's, and so is a part of a row aside, which is no more work than it has entries.
  const double work =
      work_of_place(steps.gathered / std::max(1e-9, steps.runs + steps.gathered), thread_share(s.target));
  const double heaviest = steps.aside > 0 ? std::min(part, s.longest()) : 16 * s.longest();
  w.tasks = shared_by(s, work * (w.stored + s.rows()), work * heaviest);
  w.pieces = std::max(w.pieces, std::ceil(s.nnz() * steps.aside / part));
  w.chain = surprising_rows(s.facts.rows_len, s.facts.rows) / 16;  // slices with other numbers of steps
  return w;
}

// Kernels for it are there where instructions leave lanes out.
std::vector<Plan> runs_plans(const Structure&, const Target& target) {
  return target.on_gpu || target.isa != Isa::avx512 ? plans({}) : plans({"runs"});
}

std::string slice_text(const Structure& facts, const Plan&) {
  return fmt::format("slices of 32 rows store {:.2f} places per entry, {:.2f} when sorted", padding_of(facts, 32, 1),
                     padding_of(facts, 32, 1024));
}

// Several lanes a row exist on the GPU only.
// On a CPU slices do what it does, with less padding.
std::vector<Plan> ell_plans(const Structure& facts, const Target& target) {
  const auto places = static_cast<double>(facts.rows) * static_cast<double>(facts.rows_len.max);
  return target.on_gpu || places <= 1.25 * static_cast<double>(facts.nnz) ? plans({"ell"}) : plans({});
}
std::vector<Plan> ellr_plans(const Structure&, const Target& target) {
  return target.on_gpu ? plans({"ellr", "ellr T=2", "ellr T=4", "ellr T=8"}) : plans({"ellr"});
}
std::vector<Plan> sell_plans(const Structure&, const Target& target) {
  return target.on_gpu ? plans({"sell", "sell sigma=1024", "sell lanes=4"}) : plans({"sell", "sell sigma=1024"});
}
std::vector<Plan> ell16_plans(const Structure& facts, const Target&) {
  return facts.columns.near16 > 0.5 ? plans({"ell16"}) : plans({});
}

// Column by column, this many rows at a time (layout/sliced_cpu.cpp).
constexpr int rows_of_columns = 128;

// Rows side by side go on until the longest of 32 has ended, and a little is done for every place behind that.
Workload ellr_cpu(const Subject& s, const Plan& plan) {
  Workload w = on_cpu<ellr_gpu, Walk::places, 1, rows_of_columns>(s, plan);
  w.slots = padding_of(s.facts, 32, 1) * s.nnz() + w.stored / 4;
  return w;
}
Workload rgcsr_cpu(const Subject& s, const Plan& plan) {
  Workload w = as_on_cpu(s, rgcsr_gpu(s, plan), Walk::places, 1, number(plan, "group", 128));
  w.slots = padding_of(s.facts, 32, 1) * s.nnz();
  return w;
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
  if (sigma > 1) w.foreign = s.rows(), w.foreign_window = sigma;
  if (sigma > 1 || s.facts.rows_len.cv < 0.1) sweep_together(w, s, C);
  return w;
}

// The regular part is as wide as `K`, whatever the longest row.
Workload hyb_cpu(const Subject& s, const Plan& plan) {
  Workload w = on_cpu<hyb_gpu, Walk::places, 1, rows_of_columns>(s, plan);
  w.tasks = shared_by(s, w.stored + s.rows(), rows_of_columns * w.stored / std::max(1.0, s.rows()));
  cost_beside(w, s, 3);
  return w;
}
Workload ell16_cpu(const Subject& s, const Plan& plan) {
  Workload w = on_cpu<ell16_gpu, Walk::entries, 1, rows_of_columns>(s, plan);
  w.tasks = shared_by(s, w.stored + s.rows(), rows_of_columns * w.stored / std::max(1.0, s.rows()));
  cost_beside(w, s, 3);
  return w;
}

}  // namespace

const Family ell_family{"ell", ell_plans, ell_gpu, on_cpu<ell_gpu, Walk::places, 1, rows_of_columns>, row_text};
const Family ellr_family{"ellr", ellr_plans, ellr_gpu, ellr_cpu, row_text};
const Family sell_family{"sell", sell_plans, sell_gpu, sell_cpu, slice_text};
const Family rgcsr_family{"rgcsr", [](const Structure&, const Target&) { return plans({"rgcsr"}); }, rgcsr_gpu,
                          rgcsr_cpu, slice_text};
const Family hyb_family{"hyb", [](const Structure&, const Target&) { return plans({"hyb"}); }, hyb_gpu, hyb_cpu,
                        row_text};
const Family runs_family{"runs", runs_plans, runs_gpu, runs_cpu, [](const Structure& facts, const Plan& plan) {
                           return row_text(facts, plan) + ": 16 rows at a time, on common diagonals or gathered";
                         }};
const Family ell16_family{"ell16", ell16_plans, ell16_gpu, ell16_cpu, [](const Structure& facts, const Plan&) {
                            return fmt::format("{:.0f} % of the columns are within 16 bits of the diagonal",
                                               100 * facts.columns.near16);
                          }};

}  // namespace heddle
