// Fitted by bench/fit_model.py; see docs/planner.md for on what.
#include <algorithm>
#include <iterator>

#include "plan/building.hpp"
#include "plan/model.hpp"

namespace heddle {

namespace {

//   format         start  stream   miss  sector      place f32/f64    team   step   far
constexpr Cost gpu_costs[] = {
    {"csr", 0.745, 1, 1.36, 1.48, {1.13, 1.01}, 0.114, 129, 218},
    {"csr_padded", 0.162, 1, 1.16, 1.05, {0.668, 0.686}, 0.104, 396, 728},
    {"csr_split", 2.64, 0.77, 1.03, 2.15, {1.84, 1.95}, 0.103, 34.5, 69.5},
    {"csr_ell", 0.824, 1, 1.07, 0.406, {0.54, 0.969}, 0.249, 138, 259},
    {"coo", 4.32, 0.646, 1.05, 0.715, {0.464, 1.26}, 0.0438, 272, 62.6},
    {"ell", 0.11, 1, 1.03, 1.27, {1.09, 0.349}, 0.0248, 157, 260},
    {"ellr", 0.6, 1, 1.21, 0.821, {0.705, 0.68}, 0.17, 120, 164},
    {"sell", 0.563, 0.973, 1.08, 1.24, {0.529, 0.507}, 0.166, 149, 280},
    {"rgcsr", 0.635, 0.968, 1.14, 0.899, {0.59, 0.454}, 0.139, 95.3, 161},
    {"hyb", 0.164, 1, 1.08, 0.506, {2.03, 2.45}, 0.0984, 175, 236},
    {"ell16", 0.548, 1, 2.86, 0.333, {0.351, 0.383}, 0.191, 129, 304},
    {"dia", 0.0901, 1, 1.06, 0.458, {1.55, 2.16}, 0.0502, 255, 83.6},
    {"bcsr", 1.4, 0.978, 0.69, 1.85, {0.741, 1.05}, 0.124, 250, 94.3},
    {"bell", 0.147, 1, 0.489, 2.45, {0.257, 2.18}, 0.0327, 166, 324},
    {"weave:diagonals", 0.352, 1, 0.252, 0.341, {0.546, 0.672}, 0.0217, 274, 406},
    {"weave:blocks", 0.785, 1, 0.511, 0.349, {0.525, 0.907}, 0.264, 408, 338},
    {"weave:rows", 0.73, 1, 1.23, 0.569, {1.3, 1.93}, 0.0424, 217, 643},
    {"weave:segments", 0.594, 1, 1.17, 1.81, {1, 1.47}, 0.191, 58.3, 125},
    {"weave:padded", 0.163, 1, 1.36, 1.35, {0.837, 1.1}, 0.131, 421, 100},
    {"weave:tiles", 4.65, 0.983, 0.701, 2.1, {1.34, 1.05}, 0.0559, 100, 100},
    {"weave:sums", 0.541, 1, 1.13, 2.9, {0.615, 0.7}, 2.85, 91, 49.4},
    {"weave:long", 0.304, 1, 4.05, 0.404, {0.263, 0.238}, 0.202, 478, 99.8},
};

constexpr Cost cpu_costs[] = {
    {"csr", 1, 0.498, 0.88, 0.01, {105, 84.4}, 0.517, 1.1, 4.99},
    {"csr_padded", 1, 0.325, 1.06, 0.01, {236, 109}, 1.27, 4.3, 4.99},
    {"csr_split", 1, 0.362, 1.41, 0.01, {234, 65.4}, 5.01, 12.1, 5},
    {"csr_ell", 1, 0.347, 1.09, 0.01, {363, 248}, 3.41, 5, 5},
    {"coo", 1, 0.203, 1.61, 0.01, {498, 157}, 1.49, 5.95, 4.99},
    {"ell", 1, 0.511, 0.304, 0.01, {139, 142}, 0.0518, 4.98, 4.99},
    {"ellr", 1, 0.472, 0.4, 0.01, {197, 164}, 0.0516, 0.54, 4.99},
    {"sell", 1, 0.606, 0.43, 0.01, {143, 163}, 0.633, 4.99, 4.99},
    {"rgcsr", 1, 0.519, 0.674, 0.01, {178, 158}, 0.109, 0.72, 5.01},
    {"hyb", 1, 0.471, 2.86, 0.01, {295, 207}, 0.26, 5.01, 5.01},
    {"ell16", 1, 0.425, 3.29, 0.01, {250, 248}, 0.101, 0.772, 4.99},
    {"dia", 1, 0.495, 0.174, 0.01, {76.5, 87.6}, 0.014, 5.01, 5.01},
    {"bcsr", 1, 0.753, 0.668, 0.01, {211, 209}, 0.559, 4.99, 5},
    {"bell", 1, 0.445, 4.56, 0.01, {214, 211}, 0.455, 4.99, 4.99},
    {"weave:diagonals", 1, 0.742, 0.998, 0.01, {36.1, 62.6}, 0.0128, 4.98, 4.99},
    {"weave:blocks", 1, 0.585, 0.391, 0.01, {70, 95.7}, 1.76, 5.01, 4.99},
    {"weave:rows", 1, 0.446, 0.41, 0.01, {197, 169}, 3.28, 4.98, 4.99},
};

// H200 and 16 cores of its host; the parts are those of plan/building.hpp.
//   format         once   wide  table  double   entry  of table   row   gap  alone  partial  long
constexpr BuildCost gpu_build_costs[] = {
    {"csr", {91.2, 0, 0, 0, 0.00895, 0, 0, 0, 0, 0, 0}},
    {"bcsr", {1.24e+03, 0, 0, 0, 0.9, 0, 0, 0, 40, 0, 2e+03}},
    {"bell", {1.06e+03, 0, 0, 0, 1.01, 0, 0, 0, 36.6, 0, 0}},
    {"coo", {214, 0, 0, 0, 1, 0, 2.13, 0, 0, 0, 0}},
    {"csr_ell", {353, 0, 0, 0, 1.16, 0, 15.7, 0, 0, 0, 0}},
    {"csr_padded", {197, 193, 0, 0, 0.351, 0, 9.79, 0, 0, 0, 0}},
    {"csr_split", {264, 0, 0, 0, 0.934, 0, 5.48, 0, 0, 0, 0}},
    {"dia", {419, 0, 0, 0, 1.71, 0, 23.8, 0, 0, 0, 0}},
    {"ell", {213, 0, 0, 0, 0.866, 0, 0, 0.69, 0, 0, 0}},
    {"ell16", {301, 0, 0, 0, 0, 0, 22.4, 6.99, 0, 0, 0}},
    {"ellr", {247, 0, 0, 0, 0.694, 0, 0, 0.563, 0, 0, 0}},
    {"hyb", {279, 0, 0, 0, 0.576, 0, 14.9, 2.52, 0, 0, 0}},
    {"rgcsr", {249, 0, 0, 0, 0.623, 0, 0, 0.797, 0, 0, 0}},
    {"sell", {299, 0, 0, 0, 1.1, 0, 0, 0, 58.7, 0, 0}},
    {"weave:blocks", {197, 0, 604, 0, 0.0217, 0, 0, 0.0847, 0, 0, 0}},
    {"weave:diagonals", {264, 0, 0, 0, 0.0137, 0, 0, 0.524, 0, 0, 0}},
    {"weave:long", {190, 0, 441, 100, 0, 0, 1.73, 0, 0, 0, 0}},
    {"weave:padded", {86.5, 0, 144, 77, 0.0242, 0, 0, 0, 0, 0, 0}},
    {"weave:rows", {107, 104, 153, 78.2, 0.0176, 0, 0, 0, 0, 0, 0}},
    {"weave:segments", {268, 0, 320, 199, 0.0329, 0, 0, 0, 0, 0, 192}},
    {"weave:sums", {186, 0, 0, 0, 0.301, 0, 0, 0, 0, 0, 0}},
    {"weave:tiles", {620, 283, 0, 0, 0.101, 0, 0, 0, 0, 0, 203}},
};

template <class Table>
const Cost* find(const Table& table, const std::string& key) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const Cost& c) { return c.key == key; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

std::string cost_key(const Plan& plan) {
  const std::string* layout = plan.find("layout");
  return layout ? plan.format + ":" + *layout : plan.format;
}

const BuildCost& gpu_build_cost(const Plan& plan) {
  const std::string key = cost_key(plan);
  const auto found = std::ranges::find_if(gpu_build_costs, [&](const BuildCost& c) { return c.key == key; });
  return found == std::end(gpu_build_costs) ? gpu_build_costs[0] : *found;
}

const Cost* cost_of(const Plan& plan, bool on_gpu) {
  return on_gpu ? find(gpu_costs, cost_key(plan)) : find(cpu_costs, cost_key(plan));
}

}  // namespace heddle
