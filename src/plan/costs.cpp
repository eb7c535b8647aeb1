// Fitted by bench/fit_model.py; see docs/planner.md for on what.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/isa.hpp"
#include "plan/building.hpp"
#include "plan/model.hpp"

namespace heddle {

namespace {

//   format         start  stream   miss  sector      place f32/f64    team   step   far
constexpr Cost gpu_costs[] = {
    {"csr", 0.603, 1, 1.36, 1.74, {1.63, 1.62}, 0.105, 143, 207},
    {"csr_padded", 0.158, 1, 1.32, 1.84, {0.878, 0.825}, 0.117, 475, 595},
    {"csr_split", 2.69, 0.754, 1.11, 2.14, {1.85, 2.2}, 0.0904, 32.7, 102},
    {"csr_ell", 0.878, 1, 0.919, 2.18, {0.519, 0.732}, 0.154, 192, 85},
    {"coo", 5.47, 0.585, 0.934, 0.723, {0.353, 1.28}, 0.0416, 165, 92.3},
    {"ell", 0.261, 0.972, 1.15, 0.607, {1.61, 1.28}, 0.0374, 184, 255},
    {"ellr", 0.575, 1, 1.19, 1.28, {0.929, 0.992}, 0.213, 164, 152},
    {"sell", 0.554, 1, 1.08, 1.4, {0.928, 0.795}, 0.197, 222, 256},
    {"rgcsr", 0.675, 0.982, 1.17, 0.924, {0.899, 0.539}, 0.145, 139, 163},
    {"hyb", 0.115, 1, 1.1, 0.487, {1.89, 2.41}, 0.132, 254, 301},
    {"ell16", 0.561, 1, 3.72, 0.74, {1.26, 1.19}, 0.0695, 174, 236},
    {"dia", 0.0518, 1, 1.03, 0.504, {1.77, 2.21}, 0.0359, 303, 268},
    {"bcsr", 1.2, 0.948, 0.717, 2.93, {0.524, 0.96}, 0.174, 341, 95.4},
    {"bell", 0.246, 0.982, 0.578, 2.08, {0.297, 2.75}, 0.0419, 240, 300},
    {"weave:diagonals", 0.654, 0.844, 0.21, 0.32, {0.585, 0.548}, 0.0217, 103, 250},
    {"weave:blocks", 0.552, 1, 2.87, 0.261, {0.36, 0.465}, 0.0556, 231, 117},
    {"weave:rows", 0.374, 1, 1.26, 0.536, {0.536, 0.898}, 0.13, 191, 493},
    {"weave:segments", 0.555, 1, 1.14, 1.81, {0.971, 1.76}, 0.0834, 37.1, 94.7},
    {"weave:padded", 0.0316, 1, 1.09, 0.564, {0.452, 0.487}, 0.119, 288, 100},
    {"weave:tiles", 7.1, 1, 0.698, 1.25, {1.28, 0.423}, 0.0324, 99.9, 99.8},
    {"weave:sums", 0.475, 1, 1.66, 1.87, {0.482, 0.666}, 3.03, 128, 91.6},
    {"weave:long", 0.106, 0.99, 1.17, 0.492, {0.248, 0.26}, 0.21, 417, 103},
};

constexpr Cost cpu_costs[] = {
    {"csr", 0.272, 0.833, 0.962, 0.3, {240, 237}, 0.555, 1.63, 10},
    {"csr_padded", 0.0557, 0.713, 1.17, 0.301, {380, 334}, 2.29, 2.08, 23.8},
    {"csr_split", 0.0852, 1, 1.34, 0.299, {539, 503}, 3.97, 10.4, 9.99},
    {"csr_ell", 0.162, 0.812, 1.26, 0.3, {618, 567}, 3.16, 6, 10},
    {"coo", 0.0574, 0.701, 2.23, 0.299, {1240, 1210}, 1.41, 8.3, 6.95},
    {"ell", 0.0394, 0.884, 0.984, 0.299, {247, 248}, 0.266, 5.99, 10},
    {"ellr", 0.0314, 0.875, 1.05, 0.3, {208, 215}, 0.215, 6, 10},
    {"sell", 0.162, 1, 0.925, 0.299, {203, 199}, 0.477, 5.99, 9.98},
    {"rgcsr", 0.0667, 0.743, 0.888, 0.299, {211, 224}, 0.506, 5.99, 10},
    {"hyb", 0.0352, 0.851, 0.913, 0.299, {266, 276}, 0.128, 1.07, 10},
    {"ell16", 0.0483, 0.888, 2.02, 0.299, {349, 350}, 0.257, 0.94, 10},
    {"dia", 0.425, 1, 3.42, 0.299, {74.1, 133}, 2.6, 2.41, 10},
    {"bcsr", 0.476, 1, 1.24, 0.299, {185, 179}, 1.85, 5.99, 9.98},
    {"bell", 0.898, 0.849, 3.28, 0.299, {256, 301}, 2.25, 5.99, 9.98},
    {"runs", 0.0901, 1, 1.25, 0.299, {80.3, 82}, 0.159, 3.58, 13.2},
    {"weave:diagonals", 0.473, 0.842, 1, 0.229, {33.3, 100}, 0.0692, 6.01, 10},
    {"weave:blocks", 0.137, 0.919, 0.65, 0.593, {114, 130}, 1.67, 6.01, 10},
    {"weave:rows", 0.597, 0.957, 1.09, 0.443, {294, 329}, 4.1, 5.99, 10},
};

// H200 and 16 cores of its host; the parts are those of plan/building.hpp.
//   format         once   wide  table  double   entry  of table   row   gap  alone  partial  long  some  one thread
//   sorted gathered  listed  looked at
constexpr BuildCost gpu_build_costs[] = {
    {"csr", {49.7, 0, 0, 0, 0.00701, 0, 0.0128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"bcsr", {555, 0, 0, 0, 1.48, 0, 0, 0, 0, 0, 2e+03, 1e+03, 0, 0, 0, 0, 0}},
    {"bell", {750, 0, 0, 0, 1.51, 0, 0, 0, 0, 0, 2e+03, 1e+03, 0, 0, 0, 0, 0}},
    {"coo", {169, 0, 0, 0, 1.09, 0, 3.39, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"csr_ell", {187, 0, 0, 0, 1.32, 0, 15.8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"csr_padded", {120, 0, 0, 0, 0.879, 0, 8.52, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"csr_split", {103, 0, 0, 0, 1.18, 0, 7.11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"dia", {316, 0, 0, 0, 4.26, 0, 0, 12.9, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"ell", {215, 0, 0, 0, 0.973, 0, 0, 0.858, 0, 0, 2e+03, 0, 0, 0, 0, 0, 0}},
    {"ell16", {149, 0, 0, 0, 0.75, 0, 21.8, 4.18, 0, 0, 2e+03, 0, 0, 0, 0, 0, 0}},
    {"ellr", {231, 0, 0, 0, 0.904, 0, 0, 0.541, 0, 0, 2e+03, 0, 0, 0, 0, 0, 0}},
    {"hyb", {146, 0, 0, 0, 1.04, 0, 12.9, 1.82, 0, 0, 2e+03, 0, 0, 0, 0, 0, 0}},
    {"rgcsr", {280, 0, 0, 0, 0.877, 0, 0, 0.729, 0, 0, 2e+03, 0, 0, 0, 0, 0, 0}},
    {"sell", {283, 0, 0, 0, 0.776, 0, 0, 0.608, 0, 0, 1.78e+03, 0, 0, 13.4, 0, 0, 0}},
    {"weave:blocks", {43.1, 0, 55.8, 0, 0.00921, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:diagonals", {44.9, 0, 0, 0, 0.00985, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 10.5, 0}},
    {"weave:long", {56.1, 0, 55.8, 0, 0.0173, 0, 1.45, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:padded", {23.6, 0, 55.8, 11.4, 0.0117, 0, 0, 0.00434, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:rows", {43.4, 10.6, 0, 0, 0.0139, 0, 0.0326, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:segments", {41, 0, 0, 8.28, 0.0102, 0, 0.039, 0, 0, 0, 0, 10.5, 0, 0, 0, 0, 0}},
    {"weave:sums", {149, 0, 55.8, 0, 0.0494, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:tiles", {183, 0, 55.8, 18.7, 0.0261, 0, 0.102, 0, 0.555, 0, 50.3, 0, 0, 0, 0, 0, 0}},
};

// Two and sixteen cores with AVX-512, 86 and 82 matrices.
constexpr BuildCost cpu_build_costs[] = {
    {"csr", {1, 0, 0, 0, 0.778, 0, 4.01, 0, 0, 0, 0, 0, 0.182, 0, 0, 0, 0}},
    {"bcsr", {1.01, 0, 0, 0, 3.26, 0, 119, 0, 16.2, 0, 0, 0, 0.494, 0, 0, 0, 0}},
    {"bell", {1, 0, 0, 0, 6.25, 0, 0, 0, 16.8, 0, 0, 0, 0.825, 0, 0, 0, 0}},
    {"coo", {1.01, 0, 0, 0, 0.805, 0, 9.81, 0, 0, 0, 0, 0, 0.97, 0, 0, 0, 0}},
    {"csr_ell", {1, 0, 0, 0, 0.853, 0, 39, 0, 0, 0, 0, 0, 1.48, 0, 0, 0, 0}},
    {"csr_padded", {1.01, 0, 0, 0, 0.216, 0, 30.5, 0, 0, 0, 0, 0, 0.407, 0, 0, 0, 0}},
    {"csr_split", {1, 0, 0, 0, 4.66e-08, 0, 13.5, 0, 0, 0, 0, 0, 1.49, 0, 0, 0, 0}},
    {"dia", {79.4, 0, 0, 0, 0.786, 0, 46.8, 38.1, 0, 0, 0, 0, 3.29, 0, 0, 0, 0}},
    {"ell", {1, 0, 0, 0, 2.96, 0, 0, 0, 47.4, 0, 0, 0, 0.281, 0, 0, 0, 0}},
    {"ell16", {1, 0, 0, 0, 0.56, 0, 60.8, 10.2, 0, 0, 0, 0, 1.16, 0, 0, 0, 0}},
    {"ellr", {1.01, 0, 0, 0, 3.15, 0, 0, 4.82, 0, 0, 0, 0, 0.256, 0, 0, 0, 0}},
    {"hyb", {1.01, 0, 0, 0, 0.989, 0, 28.7, 11.4, 0, 0, 0, 0, 1.01, 0, 0, 0, 0}},
    {"rgcsr", {1.01, 0, 0, 0, 3.08, 0, 0, 4.57, 0, 0, 0, 0, 0.208, 0, 0, 0, 0}},
    {"runs", {1, 0, 0, 0, 2.32, 0, 58.4, 0, 0, 0, 0, 0, 0.747, 0, 14.4, 0, 0}},
    {"sell", {1, 0, 0, 0, 3.16, 0, 0, 4.16, 0, 0, 0, 0, 0.248, 12.1, 0, 0, 0}},
    {"weave:blocks", {6.87, 0, 0, 0, 4.61, 2.83, 0, 0, 23.9, 0, 0, 0, 3.02, 0, 0, 0, 326}},
    {"weave:diagonals", {1, 0, 0, 0, 3.93, 0, 23.2, 19.8, 0, 0, 0, 0, 1.02, 0, 0, 244, 0}},
    {"weave:rows", {1, 0, 0, 0, 18.3, 0, 39.3, 0, 0, 0, 0, 0, 1.37, 0, 0, 0, 0}},
};

// Where a CPU loads elements of x one by one because its gathers are slow (core/gather.hpp), a place takes so many
// times as long: of float where 16 of them are gathered still, of float where they are not, of double. The second from
// two cores that had it both ways (medians over 26 matrices), the others from cores whose gathers are slow: csr, sell,
// runs, bell and blocks from 33 files and 7 generated matrices on one of them, bcsr beside these from ten of those.
// Less than 1: the core seems slow by its entries of csr, which are loaded one by one.
struct Slower {
  std::string_view key;
  double gathering_16, of_float, of_double;
};
constexpr Slower without_gathers[] = {
    {"csr", 1.5, 1.5, 1.85},    {"ell", 1.2, 1.9, 1.6},          {"ellr", 1.1, 2.0, 1.3},
    {"sell", 1.4, 2.3, 1.6},    {"rgcsr", 1.2, 2.3, 1.4},        {"hyb", 1.1, 1.5, 1.3},
    {"ell16", 1.2, 2.0, 1.4},   {"weave:blocks", 2.4, 2.4, 2.4}, {"weave:rows", 1.6, 2.6, 2.1},
    {"runs", 0.75, 0.75, 0.85}, {"bell", 3.0, 3.0, 2.5},         {"csr_padded", 1.5, 1.5, 1.85},
    {"bcsr", 0.65, 0.65, 0.65},
};
constexpr double table_without_gathers = 4;       // a value of a table, likewise
constexpr double surprise_without_gathers = 0.3;  // a row of csr of unforeseen length: products do not wait for it
constexpr double row_without_gathers = 1.6;       // a row of sell: its slices are short where it shows

std::vector<Cost> costs_without_gathers(bool gathering_16) {
  std::vector<Cost> costs(std::begin(cpu_costs), std::end(cpu_costs));
  for (Cost& cost : costs) {
    cost.sector *= table_without_gathers;
    if (std::string_view(cost.key) == "csr") {
      cost.step_ns *= surprise_without_gathers;
      cost.far_step_ns *= surprise_without_gathers;
    }
    if (std::string_view(cost.key) == "sell") cost.team_ns *= row_without_gathers;
    for (const Slower& slower : without_gathers)
      if (cost.key == slower.key) {
        cost.place_ps[0] *= gathering_16 ? slower.gathering_16 : slower.of_float;
        cost.place_ps[1] *= slower.of_double;
      }
  }
  return costs;
}

template <class Table>
const Cost* find(const Table& table, const std::string& key) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const Cost& c) { return c.key == key; });
  return found == std::end(table) ? nullptr : &*found;
}

}  // namespace

std::string cost_key(const Plan& plan) {
  const std::string* layout = plan.find("layout");
  return layout ? plan.format + ":" + *layout : plan.format;
}

const BuildCost& build_cost(const Plan& plan, bool on_gpu) {
  const auto line = [key = cost_key(plan)](const auto& table) -> const BuildCost& {
    const auto found = std::ranges::find_if(table, [&](const BuildCost& c) { return c.key == key; });
    return found == std::end(table) ? table[0] : *found;
  };
  return on_gpu ? line(gpu_build_costs) : line(cpu_build_costs);
}

const Cost* cost_of(const Plan& plan, bool on_gpu) {
  const std::string key = cost_key(plan);
  if (on_gpu) return find(gpu_costs, key);
  if (isa() == Isa::baseline || gathers_pay.of_8) return find(cpu_costs, key);
  static const std::vector<Cost> loading[] = {costs_without_gathers(false), costs_without_gathers(true)};
  return find(loading[gathers_pay.of_16], key);
}

}  // namespace heddle
