// Fitted by bench/fit_model.py; see docs/planner.md for on what.
#include <algorithm>
#include <iterator>

#include "plan/building.hpp"
#include "plan/model.hpp"

namespace heddle {

namespace {

//   format         start  stream   miss  sector      place f32/f64    team   step   far
constexpr Cost gpu_costs[] = {
    {"csr", 0.758, 1, 1.35, 1.28, {1.06, 0.95}, 0.118, 121, 212},
    {"csr_padded", 0.14, 1, 1.21, 0.865, {0.685, 0.693}, 0.104, 400, 650},
    {"csr_split", 2.64, 0.732, 0.967, 2.1, {2, 1.71}, 0.115, 35.3, 78.2},
    {"csr_ell", 1.03, 1, 1.09, 0.525, {0.62, 1.16}, 0.229, 114, 366},
    {"coo", 4.02, 0.646, 1.02, 0.804, {0.483, 1.27}, 0.0442, 315, 73.1},
    {"ell", 0.12, 1, 1.02, 1.28, {1.07, 0.318}, 0.0264, 153, 263},
    {"ellr", 0.605, 0.965, 1.18, 0.747, {0.532, 0.567}, 0.172, 116, 165},
    {"sell", 0.604, 0.948, 1.09, 1.12, {0.456, 0.425}, 0.159, 141, 274},
    {"rgcsr", 0.686, 0.968, 1.11, 0.884, {0.511, 0.382}, 0.132, 89.9, 164},
    {"hyb", 0.195, 1, 1.05, 0.514, {2.03, 2.43}, 0.0829, 160, 272},
    {"ell16", 0.544, 1, 2.58, 0.277, {0.182, 0.35}, 0.205, 124, 296},
    {"dia", 0.0862, 1, 1.09, 0.428, {1.45, 2.05}, 0.046, 251, 232},
    {"bcsr", 1.44, 0.896, 0.713, 1.66, {0.721, 0.94}, 0.108, 224, 95.8},
    {"bell", 0.115, 0.987, 0.462, 2.29, {0.278, 1.71}, 0.0354, 164, 374},
    {"weave:diagonals", 0.333, 1, 0.237, 0.326, {0.554, 0.686}, 0.0199, 291, 439},
    {"weave:blocks", 0.67, 1, 0.629, 0.372, {0.51, 0.892}, 0.361, 586, 560},
    {"weave:rows", 0.764, 1, 1.25, 0.521, {1.34, 2.03}, 0.0272, 203, 657},
    {"weave:segments", 0.586, 1, 1.09, 1.81, {1.18, 1.63}, 0.183, 53.4, 92.2},
    {"weave:padded", 0.135, 1, 1.29, 1.74, {0.821, 1.11}, 0.131, 480, 100},
    {"weave:tiles", 5.28, 0.954, 0.701, 1.31, {1.19, 0.87}, 0.0432, 100, 100},
    {"weave:sums", 0.559, 1, 1.14, 2.64, {0.811, 0.707}, 2.97, 81.3, 46.3},
    {"weave:long", 0.23, 1, 1.19, 1.12, {0.273, 0.395}, 0.192, 610, 99.8},
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
    {"weave:blocks", {212, 0, 0, 0, 0.0172, 0.057, 0, 0.376, 0, 0, 0}},
    {"weave:diagonals", {264, 0, 0, 0, 0.0137, 0, 0, 0.524, 0, 0, 0}},
    {"weave:long", {191, 0, 441, 101, 0, 0, 0, 0.0226, 0, 0, 0}},
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
