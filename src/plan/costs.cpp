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
    {"csr", 0.633, 1, 1.33, 1.6, {1.63, 1.64}, 0.116, 175, 214},
    {"csr_padded", 0.15, 0.986, 1.17, 1.56, {0.837, 0.815}, 0.101, 480, 568},
    {"csr_split", 2.47, 0.715, 1.02, 2.07, {1.76, 2.12}, 0.0867, 32.3, 103},
    {"csr_ell", 0.826, 1, 0.976, 2.2, {0.491, 0.733}, 0.15, 157, 85},
    {"coo", 4.97, 0.594, 0.905, 0.719, {0.353, 1.2}, 0.0416, 163, 92.3},
    {"ell", 0.258, 0.871, 1.15, 0.585, {1.34, 0.71}, 0.0358, 168, 261},
    {"ellr", 0.634, 0.903, 1.16, 1.01, {0.786, 0.824}, 0.174, 142, 158},
    {"sell", 0.602, 0.924, 1.07, 1.25, {0.769, 0.76}, 0.174, 173, 275},
    {"rgcsr", 0.641, 0.929, 1.16, 0.896, {0.788, 0.536}, 0.129, 104, 162},
    {"hyb", 0.115, 0.938, 1.22, 0.487, {1.54, 1.92}, 0.111, 187, 300},
    {"ell16", 0.545, 0.981, 2.94, 0.741, {1.24, 1.15}, 0.068, 139, 242},
    {"dia", 0.0521, 1, 1.05, 0.507, {1.71, 2.27}, 0.0359, 270, 266},
    {"bcsr", 0.884, 0.972, 0.717, 2.44, {0.518, 0.974}, 0.174, 315, 95.4},
    {"bell", 0.246, 0.992, 0.578, 2.02, {0.295, 3.25}, 0.0419, 178, 298},
    {"weave:diagonals", 0.692, 1, 0.211, 0.315, {0.511, 0.66}, 0.0191, 282, 259},
    {"weave:blocks", 0.845, 1, 2.96, 0.267, {0.492, 0.626}, 0.0589, 348, 115},
    {"weave:rows", 0.637, 1, 1.3, 0.584, {0.874, 1.2}, 0.207, 197, 514},
    {"weave:segments", 0.658, 1, 1.07, 1.95, {1.12, 1.65}, 0.09, 37.4, 94.7},
    {"weave:padded", 0.0364, 1, 1.04, 0.597, {0.607, 0.547}, 0.223, 516, 100},
    {"weave:tiles", 7.27, 1, 0.698, 1.25, {1.32, 0.414}, 0.0322, 99.9, 99.8},
    {"weave:sums", 0.475, 1, 1.54, 1.88, {0.493, 0.662}, 3.19, 123, 87.9},
    {"weave:long", 0.0989, 1, 1.15, 0.496, {0.267, 0.252}, 0.216, 461, 103},
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
    {"csr", {69.8, 0, 0, 0, 0.00901, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"bcsr", {838, 0, 0, 0, 2.35, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"bell", {303, 0, 0, 0, 2.27, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"coo", {83.6, 0, 0, 0, 1.69, 0, 2.85, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"csr_ell", {140, 0, 0, 0, 1.73, 0, 27, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"csr_padded", {98.4, 0, 0, 0, 1.39, 0, 11.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"csr_split", {98.4, 0, 0, 0, 1.73, 0, 9.82, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"dia", {282, 0, 0, 0, 5.84, 0, 0, 16.3, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"ell", {137, 0, 0, 0, 1.36, 0, 0, 1.34, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"ell16", {140, 0, 0, 0, 0, 0, 39.6, 14.4, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"ellr", {133, 0, 0, 0, 1.28, 0, 0, 1.14, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"hyb", {148, 0, 0, 0, 0.869, 0, 23.6, 4.28, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"rgcsr", {169, 0, 0, 0, 1.33, 0, 0, 1.21, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"sell", {160, 0, 0, 0, 1.22, 0, 0, 1.38, 0, 0, 0, 0, 0, 16.2, 0, 0, 0}},
    {"weave:blocks", {145, 0, 359, 0, 0.0193, 0.034, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 73.2}},
    {"weave:diagonals", {108, 0, 0, 0, 0.0115, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 75.2}},
    {"weave:long", {138, 0, 384, 33.4, 0.0306, 0, 0, 0, 12.9, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:padded", {62.7, 0, 0, 45.9, 0.0242, 0.0721, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:rows", {73.5, 78.6, 201, 54.4, 0.0145, 0, 0, 0.0146, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:segments", {83.3, 0, 214, 44.4, 0.012, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60.3}},
    {"weave:sums", {261, 0, 0, 0, 0.0663, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"weave:tiles", {403, 0, 0, 0, 0.0346, 0, 0, 0, 16.2, 0.0407, 0, 0, 0, 0, 0, 0, 0}},
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
// times as long, float and double: medians over 26 matrices, both ways on two cores of one machine.
struct Slower {
  std::string_view key;
  double places[2];
};
constexpr Slower without_gathers[] = {
    {"csr", {1.6, 1.4}},          {"ell", {1.9, 1.7}},        {"ellr", {2.0, 1.7}},  {"sell", {2.3, 1.7}},
    {"rgcsr", {2.3, 1.7}},        {"hyb", {1.5, 1.5}},        {"ell16", {2.0, 1.4}}, {"runs", {1.4, 1.1}},
    {"weave:blocks", {1.3, 1.2}}, {"weave:rows", {2.6, 2.1}},
};

std::vector<Cost> costs_without_gathers() {
  std::vector<Cost> costs(std::begin(cpu_costs), std::end(cpu_costs));
  for (Cost& cost : costs)
    for (const Slower& slower : without_gathers)
      if (cost.key == slower.key)
        for (int wide = 0; wide < 2; ++wide) cost.place_ps[wide] *= slower.places[wide];
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
  static const std::vector<Cost> loading = costs_without_gathers();
  return find(loading, key);
}

}  // namespace heddle
