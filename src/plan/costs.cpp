// Fitted by bench/fit_model.py; see docs/planner.md for on what.
#include <algorithm>
#include <iterator>

#include "plan/model.hpp"

namespace heddle {

namespace {

//   format         start  stream   miss  sector      place f32/f64    team   step   far
constexpr Cost gpu_costs[] = {
    {"csr", 0.74, 1, 1.33, 1.26, {1.06, 0.937}, 0.119, 119, 214},
    {"csr_padded", 0.248, 1, 1.25, 1.35, {0.69, 0.612}, 0.1, 363, 593},
    {"csr_split", 2.71, 0.734, 0.907, 2.31, {2, 1.55}, 0.087, 36.9, 72.8},
    {"csr_ell", 1.09, 1, 1.03, 1.11, {0.562, 0.842}, 0.217, 112, 296},
    {"coo", 4.31, 0.648, 1.03, 0.793, {0.418, 1.22}, 0.0437, 304, 64.6},
    {"ell", 0.229, 0.977, 1.08, 0.494, {1.13, 0.472}, 0.0431, 145, 270},
    {"ellr", 0.593, 0.96, 1.16, 0.608, {0.556, 0.639}, 0.166, 117, 167},
    {"sell", 0.599, 0.943, 1.08, 0.638, {0.534, 0.495}, 0.149, 141, 265},
    {"rgcsr", 0.691, 0.958, 1.09, 0.465, {0.605, 0.385}, 0.0972, 89.7, 167},
    {"hyb", 0.198, 1, 1.03, 0.436, {2.11, 2.51}, 0.0822, 163, 262},
    {"ell16", 0.546, 1, 2.58, 0.407, {0.406, 0.865}, 0.17, 132, 273},
    {"dia", 0.0923, 1, 1.12, 0.404, {1.53, 1.99}, 0.0211, 249, 293},
    {"bcsr", 1.44, 0.896, 0.713, 1.66, {0.721, 0.935}, 0.108, 222, 95.8},
    {"bell", 0.113, 0.948, 0.462, 2.04, {0.278, 1.82}, 0.035, 163, 374},
    {"weave:diagonals", 0.332, 1, 0.23, 0.368, {0.554, 0.693}, 0.021, 288, 436},
    {"weave:blocks", 0.784, 1, 0.564, 0.412, {0.738, 0.982}, 0.145, 560, 111},
    {"weave:rows", 0.714, 1, 1.12, 1.23, {1.2, 1.72}, 0.0495, 194, 868},
    {"weave:segments", 0.751, 1, 1.04, 2.78, {1.07, 1.51}, 0.0435, 64.1, 92.6},
    {"weave:padded", 0.303, 1, 1.3, 1.53, {0.948, 1.11}, 0.0991, 394, 100},
    {"weave:tiles", 4.86, 0.897, 0.701, 1.45, {1.41, 1.09}, 0.0471, 100, 100},
    {"weave:sums", 0.51, 1, 0.58, 3.58, {0.604, 0.565}, 2.64, 90.7, 45.6},
    {"weave:long", 0.282, 1, 1.32, 0.895, {0.251, 0.421}, 0.195, 480, 99.8},
};

constexpr Cost cpu_costs[] = {
    {"csr", 1, 1, 1.14, 0.01, {672, 719}, 0.682, 9.87, 7.65},
    {"csr_padded", 1, 1, 1.25, 0.01, {666, 800}, 4.29, 7.83, 57.6},
    {"csr_split", 1, 1, 1.18, 0.01, {917, 956}, 4.98, 11.9, 4.99},
    {"csr_ell", 1, 1, 0.887, 0.01, {949, 1100}, 3.31, 5.01, 4.99},
    {"coo", 1, 1, 0.469, 0.01, {1510, 1520}, 0.989, 10.3, 2.65},
    {"ell", 1, 1, 0.204, 0.01, {1140, 1200}, 5.33, 5, 5},
    {"ellr", 1, 0.493, 1.05, 0.01, {667, 675}, 4.55, 22.6, 4.99},
    {"sell", 1, 1, 0.305, 0.01, {1260, 1380}, 3.22, 4.99, 5},
    {"rgcsr", 1, 1, 1.54, 0.01, {785, 845}, 3.68, 23.6, 116},
    {"hyb", 1, 0.224, 0.364, 0.01, {870, 564}, 8.16, 4.99, 4.99},
    {"ell16", 1, 0.846, 2.56, 0.01, {966, 971}, 3.77, 21.9, 2.27},
    {"dia", 1, 0.234, 3.7, 0.01, {888, 712}, 0.713, 4.99, 4.99},
    {"bcsr", 1, 1, 0.952, 0.01, {579, 680}, 3.79, 5, 5},
    {"bell", 1, 1, 0.923, 0.01, {665, 1000}, 0.505, 5.01, 4.99},
};

// H200 and 16 cores of its host.
//   format         fixed  entry  place
constexpr BuildCost gpu_build_costs[] = {
    {"csr", 325, 0.635, 0.419},
    {"bcsr", 1.22e+03, 1.91, 5.95e-15},
    {"bell", 569, 0.837, 1.05},
    {"coo", 447, 2, 0.4},
    {"csr_ell", 473, 2, 1.65},
    {"csr_padded", 344, 2.67e-13, 1.67},
    {"csr_split", 549, 2, 0.374},
    {"dia", 670, 3.81, 2.79},
    {"ell", 415, 0.394, 1.28},
    {"ell16", 537, 8.85e-13, 4.49},
    {"ellr", 457, 0.451, 1.15},
    {"hyb", 458, 0.152, 3.35},
    {"rgcsr", 461, 0.306, 1.19},
    {"sell", 487, 0.71, 1.05},
    {"weave:blocks", 683, 14.3, 0.85},
    {"weave:diagonals", 1.09e+03, 5.28e-13, 3.23},
    {"weave:long", 302, 1.08, 1.83},
    {"weave:padded", 322, 4.16, 1.21},
    {"weave:rows", 1.1e+03, 3.28, 2.04},
    {"weave:segments", 436, 2, 1.49},
    {"weave:sums", 7.03e+03, 4.03, 1.29},
    {"weave:tiles", 5.19e+03, 14.2, 3.68e-14},
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
