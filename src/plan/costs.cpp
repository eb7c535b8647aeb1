// Fitted by bench/fit_model.py; see docs/planner.md for on what.
#include <algorithm>
#include <iterator>

#include "plan/model.hpp"

namespace heddle {

namespace {

//   format         start  stream   miss  sector      place f32/f64    team   step   far
constexpr Cost gpu_costs[] = {
    {"csr", 0.774, 1, 1.36, 1.29, {1.05, 0.955}, 0.118, 117, 212},
    {"csr_padded", 0.158, 1, 1.19, 0.801, {0.728, 0.721}, 0.101, 392, 667},
    {"csr_split", 2.71, 0.732, 0.957, 2.15, {2.07, 1.74}, 0.0943, 36.8, 72.1},
    {"csr_ell", 1.18, 0.98, 1.08, 0.725, {0.689, 1.04}, 0.206, 103, 325},
    {"coo", 4.25, 0.646, 1.02, 0.852, {0.424, 1.23}, 0.0436, 311, 64.5},
    {"ell", 0.123, 1, 0.987, 1.26, {1.05, 0.304}, 0.024, 153, 266},
    {"ellr", 0.598, 0.965, 1.19, 0.757, {0.563, 0.564}, 0.17, 117, 165},
    {"sell", 0.595, 0.958, 1.09, 1.18, {0.48, 0.458}, 0.156, 141, 284},
    {"rgcsr", 0.686, 0.968, 1.1, 0.898, {0.524, 0.386}, 0.127, 89.9, 164},
    {"hyb", 0.203, 1, 1.05, 0.489, {2.07, 2.46}, 0.0924, 163, 262},
    {"ell16", 0.565, 1, 2.69, 0.281, {0.19, 0.389}, 0.203, 125, 296},
    {"dia", 0.0834, 1, 1.01, 0.447, {1.53, 2.18}, 0.0321, 255, 72},
    {"bcsr", 1.44, 0.896, 0.713, 1.66, {0.721, 0.94}, 0.108, 222, 95.8},
    {"bell", 0.117, 0.977, 0.462, 2.27, {0.282, 1.71}, 0.0347, 164, 374},
    {"weave:diagonals", 0.333, 1, 0.237, 0.327, {0.554, 0.686}, 0.0195, 291, 439},
    {"weave:blocks", 0.741, 1, 0.602, 0.38, {0.58, 0.929}, 0.323, 565, 182},
    {"weave:rows", 0.776, 1, 1.24, 0.469, {1.33, 2.02}, 0.0312, 203, 643},
    {"weave:segments", 0.798, 1, 1.07, 2.34, {1.13, 1.47}, 0.0536, 64.3, 81.5},
    {"weave:padded", 0.148, 1, 1.33, 1.55, {1.1, 1.34}, 0.104, 463, 100},
    {"weave:tiles", 4.96, 0.915, 0.701, 1.52, {1.22, 0.855}, 0.0426, 100, 100},
    {"weave:sums", 0.481, 1, 0.802, 3.32, {0.823, 0.527}, 2.84, 88.4, 47.6},
    {"weave:long", 0.325, 1, 1.21, 1.12, {0.294, 0.404}, 0.191, 334, 99.8},
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
    {"dia", 670, 4.97e-11, 6.3},
    {"ell", 415, 0.394, 1.28},
    {"ell16", 537, 8.85e-13, 4.49},
    {"ellr", 457, 0.451, 1.15},
    {"hyb", 458, 0.152, 3.35},
    {"rgcsr", 461, 0.306, 1.19},
    {"sell", 487, 0.71, 1.05},
    {"weave:blocks", 683, 14.3, 0.85},
    {"weave:diagonals", 1.09e+03, 2.84e-13, 3.23},
    {"weave:long", 302, 1.08, 1.83},
    {"weave:padded", 322, 4.16, 1.21},
    {"weave:rows", 1.1e+03, 3.28, 2.04},
    {"weave:segments", 436, 2, 1.49},
    {"weave:sums", 7.03e+03, 4.03, 1.29},
    {"weave:tiles", 5.57e+03, 13.4, 2.71e-14},
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
