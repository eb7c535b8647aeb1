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
    {"csr", 0.624, 1, 1.29, 1.59, {1.64, 1.62}, 0.113, 162, 214},
    {"csr_padded", 0.152, 0.981, 1.18, 1.64, {0.851, 0.815}, 0.105, 484, 571},
    {"csr_split", 2.49, 0.729, 1.04, 2.1, {1.78, 2.12}, 0.0871, 32.3, 103},
    {"csr_ell", 0.849, 1, 0.951, 2.25, {0.493, 0.733}, 0.15, 165, 85},
    {"coo", 5.09, 0.602, 0.918, 0.719, {0.353, 1.21}, 0.0416, 164, 92.3},
    {"ell", 0.259, 0.862, 1.12, 0.588, {1.38, 0.71}, 0.036, 174, 259},
    {"ellr", 0.652, 0.922, 1.15, 1.04, {0.812, 0.843}, 0.183, 148, 158},
    {"sell", 0.627, 0.931, 1.06, 1.28, {0.783, 0.766}, 0.178, 177, 273},
    {"rgcsr", 0.662, 0.915, 1.14, 0.889, {0.8, 0.536}, 0.13, 106, 161},
    {"hyb", 0.115, 0.909, 1.17, 0.487, {1.63, 2.01}, 0.115, 195, 300},
    {"ell16", 0.55, 0.977, 2.96, 0.741, {1.23, 1.15}, 0.0683, 139, 243},
    {"dia", 0.0521, 1, 1.04, 0.507, {1.74, 2.26}, 0.0359, 278, 266},
    {"bcsr", 0.932, 0.975, 0.717, 2.46, {0.518, 0.968}, 0.174, 319, 95.4},
    {"bell", 0.246, 0.987, 0.578, 2.03, {0.295, 3.23}, 0.0419, 186, 298},
    {"weave:diagonals", 0.669, 1, 0.211, 0.315, {0.525, 0.657}, 0.0191, 273, 262},
    {"weave:blocks", 0.844, 1, 3, 0.267, {0.5, 0.613}, 0.0589, 350, 115},
    {"weave:rows", 0.651, 1, 1.3, 0.579, {0.839, 1.15}, 0.204, 203, 515},
    {"weave:segments", 0.656, 1, 1.04, 1.84, {1.1, 1.61}, 0.0886, 37.6, 94.7},
    {"weave:padded", 0.0362, 1, 1.02, 0.6, {0.61, 0.545}, 0.229, 520, 100},
    {"weave:tiles", 7.12, 1, 0.698, 1.26, {1.32, 0.414}, 0.0322, 99.9, 99.8},
    {"weave:sums", 0.475, 1, 1.53, 1.86, {0.493, 0.659}, 3.16, 123, 88.3},
    {"weave:long", 0.0992, 1, 1.17, 0.496, {0.267, 0.253}, 0.216, 453, 103},
};

constexpr Cost cpu_costs[] = {
    {"csr", 0.26, 0.949, 1.3, 0.3, {317, 324}, 0.586, 2.09, 10},
    {"csr_padded", 0.056, 0.583, 1.52, 0.301, {493, 440}, 2.96, 2.48, 24.1},
    {"csr_split", 0.0852, 0.983, 1.61, 0.299, {622, 584}, 3.85, 11.4, 9.99},
    {"csr_ell", 0.162, 0.81, 1.66, 0.3, {678, 669}, 3.09, 6, 10},
    {"coo", 0.0574, 0.716, 2.58, 0.299, {1230, 1220}, 1.37, 7.47, 6.95},
    {"ell", 0.0396, 0.845, 1, 0.299, {255, 313}, 0.284, 5.99, 10},
    {"ellr", 0.0317, 0.808, 1.07, 0.3, {247, 296}, 0.238, 6, 10},
    {"sell", 0.153, 0.883, 0.932, 0.299, {251, 291}, 0.632, 5.99, 9.98},
    {"rgcsr", 0.0661, 0.813, 0.876, 0.299, {262, 310}, 0.631, 5.99, 10},
    {"hyb", 0.0352, 0.757, 1.01, 0.299, {317, 352}, 0.135, 1.19, 10},
    {"ell16", 0.0483, 0.87, 2.76, 0.299, {378, 409}, 0.275, 0.953, 10},
    {"dia", 0.401, 0.832, 3.42, 0.299, {93.1, 154}, 2.39, 2.42, 10},
    {"bcsr", 0.597, 0.97, 1.21, 0.299, {259, 257}, 2, 5.99, 9.98},
    {"bell", 0.906, 0.799, 3.3, 0.299, {316, 365}, 2.5, 5.99, 9.98},
    {"runs", 0.0913, 0.945, 1.3, 0.299, {88.5, 98.4}, 0.183, 3.55, 13.2},
    {"weave:diagonals", 0.613, 0.812, 1, 0.22, {42.9, 109}, 0.0835, 6.01, 10},
    {"weave:blocks", 0.136, 0.823, 0.65, 0.59, {135, 196}, 2.1, 6.01, 10},
    {"weave:rows", 0.606, 0.984, 1.14, 0.437, {306, 353}, 4.61, 5.99, 10},
};

// H200 and 16 cores of its host; the parts are those of plan/building.hpp.
//   format         once   wide  table  double   entry  of table   row   gap  alone  partial  long  some  one thread
//   sorted gathered  listed  looked at
constexpr BuildCost gpu_build_costs[] = {
    {"csr", {57.7, 0, 0, 0, 0.00796, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"bcsr", {965, 0, 0, 0, 2.21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"bell", {333, 0, 0, 0, 2.31, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"coo", {83.7, 0, 0, 0, 1.82, 0, 2.77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"csr_ell", {150, 0, 0, 0, 1.84, 0, 24.9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"csr_padded", {106, 0, 0, 0, 1.46, 0, 11.6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"csr_split", {122, 0, 0, 0, 1.75, 0, 9.48, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"dia", {365, 0, 0, 0, 6.47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"ell", {132, 0, 0, 0, 1.47, 0, 0, 1.42, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"ell16", {149, 0, 0, 0, 0, 0, 36.6, 15.3, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"ellr", {129, 0, 0, 0, 1.38, 0, 0, 1.18, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"hyb", {149, 0, 0, 0, 0.967, 0, 22, 4.24, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"rgcsr", {167, 0, 0, 0, 1.36, 0, 0, 1.43, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"sell", {167, 0, 0, 0, 1.25, 0, 0, 1.35, 0, 0, 0, 0, 0, 17.4, 0, 0, 0}},
    {"weave:blocks", {101, 0, 290, 0, 0.0149, 0.0213, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 49.2}},
    {"weave:diagonals", {121, 0, 0, 0, 0.00746, 0, 0, 0.0409, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:long", {97.2, 0, 0, 40.3, 0.0115, 0.0691, 1.78, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:padded", {45.8, 0, 91.3, 40, 0.0138, 0, 0.0877, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:rows", {84.5, 0, 58.2, 40.6, 0.0166, 0.00966, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:segments", {69, 0, 78.8, 38.2, 0.0136, 0.0164, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20.3}},
    {"weave:sums", {255, 0, 0, 0, 0.0642, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:tiles", {261, 0, 0, 0, 0.0376, 0, 0, 0, 0, 0, 0, 102, 0, 0, 0, 0, 0}},
};

// Two and sixteen cores with AVX-512.
constexpr BuildCost cpu_build_costs[] = {
    {"csr", {1.01, 0, 0, 0, 2.15, 0, 6.85, 0, 0, 0, 0, 0, 0.79, 0, 0, 0}},
    {"bcsr", {1.01, 0, 0, 0, 12.4, 0, 0, 0, 100, 0, 0, 0, 1.28, 0, 0, 0}},
    {"bell", {1.01, 0, 0, 0, 13.7, 0, 0, 0, 0, 0, 0, 0, 0.963, 0, 0, 0}},
    {"coo", {1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1.59, 0, 0, 0}},
    {"csr_ell", {1.01, 0, 0, 0, 0, 0, 92.2, 0, 0, 0, 0, 0, 2.34, 0, 0, 0}},
    {"csr_padded", {1, 0, 0, 0, 0, 0, 34.8, 0, 0, 0, 0, 0, 2.04, 0, 0, 0}},
    {"csr_split", {1, 0, 0, 0, 0, 0, 19.4, 0, 0, 0, 0, 0, 2.48, 0, 0, 0}},
    {"dia", {28.9, 0, 0, 0, 9.26, 0, 0, 0, 0, 0, 0, 0, 4.85, 0, 0, 0}},
    {"ell", {4.91, 0, 0, 0, 4.68, 0, 0, 3.28, 0, 0, 0, 0, 0.901, 0, 0, 0}},
    {"ell16", {1.01, 0, 0, 0, 0, 0, 49.6, 0, 0, 0, 0, 0, 4.11, 0, 0, 0}},
    {"ellr", {4.04, 0, 0, 0, 5.15, 0, 0, 3.3, 0, 0, 0, 0, 0.841, 0, 0, 0}},
    {"hyb", {1, 0, 0, 0, 0, 0, 41.1, 0, 0, 0, 0, 0, 3.16, 0, 0, 0}},
    {"rgcsr", {3.65, 0, 0, 0, 5.36, 0, 0, 5.26, 0, 0, 0, 0, 0.496, 0, 0, 0}},
    {"runs", {24.3, 0, 0, 0, 8.72, 0, 0, 0, 0, 0, 0, 0, 1.4, 0, 44.6, 0}},
    {"sell", {1.12, 0, 0, 0, 6.34, 0, 0, 5.53, 0, 0, 0, 0, 0.578, 109, 0, 0}},
    {"weave:blocks", {10.8, 0, 0, 0, 27.2, 0, 0, 0, 0, 0, 0, 0, 0.986, 0, 0, 0}},
    {"weave:diagonals", {1, 0, 0, 0, 15.2, 0, 0, 60, 0, 0, 0, 0, 1.91, 0, 0, 0}},
    {"weave:rows", {1, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0, 1.8, 0, 0, 0}},
};

// Where a CPU loads elements of x one by one because its gathers are slow (core/gather.hpp), a place takes so many
// times as long: of float where 16 of them are gathered still, of float where they are not, of double. The second from
// two cores that had it both ways (medians over 26 matrices), the others from cores whose gathers are slow: csr, sell,
// runs, bell and blocks from 33 files and 7 generated matrices on one of them.
struct Slower {
  std::string_view key;
  double gathering_16, of_float, of_double;
};
constexpr Slower without_gathers[] = {
    {"csr", 1.5, 1.5, 1.85},    {"ell", 1.2, 1.9, 1.6},          {"ellr", 1.1, 2.0, 1.3},
    {"sell", 1.4, 2.3, 1.6},    {"rgcsr", 1.2, 2.3, 1.4},        {"hyb", 1.1, 1.5, 1.3},
    {"ell16", 1.2, 2.0, 1.4},   {"weave:blocks", 2.4, 2.4, 2.4}, {"weave:rows", 1.6, 2.6, 2.1},
    {"runs", 0.75, 0.75, 0.85}, {"bell", 3.0, 3.0, 2.5},
};
constexpr double table_without_gathers = 4;       // a value of a table, likewise
constexpr double surprise_without_gathers = 0.3;  // a row of csr of unforeseen length: products do not wait for it

std::vector<Cost> costs_without_gathers(bool gathering_16) {
  std::vector<Cost> costs(std::begin(cpu_costs), std::end(cpu_costs));
  for (Cost& cost : costs) {
    cost.sector *= table_without_gathers;
    if (std::string_view(cost.key) == "csr") {
      cost.step_ns *= surprise_without_gathers;
      cost.far_step_ns *= surprise_without_gathers;
    }
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
