// Fitted by bench/fit_model.py; see docs/planner.md for on what.
#include <algorithm>
#include <iterator>

#include "plan/model.hpp"

namespace heddle {

namespace {

//   format         start  stream   miss  sector      place f32/f64    team   step   far
constexpr Cost gpu_costs[] = {
    {"csr", 0.554, 0.996, 1.2, 1.75, {0.914, 1.04}, 0.123, 112, 204},
    {"csr_padded", 0.0661, 1, 0.998, 0.95, {0.934, 1.07}, 0.0973, 475, 645},
    {"csr_split", 3.55, 0.658, 0.888, 2.53, {0.695, 0.519}, 0.0412, 64.7, 83.7},
    {"csr_ell", 0.919, 0.883, 1.15, 0.596, {0.254, 0.334}, 0.277, 43.4, 384},
    {"coo", 1.04, 0.616, 1.03, 0.68, {0.878, 1.71}, 0.05, 406, 95.8},
    {"ell", 0.219, 0.85, 1.04, 0.481, {1.61, 0.591}, 0.0259, 130, 320},
    {"ellr", 0.428, 0.881, 1.13, 0.414, {0.444, 0.512}, 0.21, 83.7, 238},
    {"sell", 0.245, 0.843, 1.06, 0.704, {1.23, 0.387}, 0.15, 158, 324},
    {"rgcsr", 0.691, 0.887, 1.08, 0.63, {1.06, 0.427}, 0.153, 67.8, 209},
    {"hyb", 0.324, 1, 1.08, 1.23, {1.61, 2.01}, 0.153, 111, 251},
    {"ell16", 0.25, 1, 1.26, 0.582, {1.37, 2.16}, 0.0734, 174, 22.2},
    {"dia", 0.576, 1, 0.802, 0.454, {1.62, 2.16}, 0.018, 117, 248},
    {"bcsr", 1.17, 0.85, 3.43, 0.804, {0.94, 1.43}, 0.149, 431, 100},
    {"bell", 3.74, 1, 1.83, 0.242, {0.128, 0.801}, 0.0331, 112, 271},
    {"weave:diagonals", 0.4, 1.0, 0.7, 0.3, {0.3, 0.5}, 0.03, 40, 80},
    {"weave:blocks", 0.4, 1.0, 0.7, 0.3, {0.2, 0.4}, 0.03, 40, 80},
    {"weave:rows", 0.4, 1.0, 0.8, 0.4, {0.4, 0.6}, 0.03, 60, 120},
    {"weave:segments", 0.4, 0.95, 0.8, 0.5, {0.4, 0.6}, 0.03, 40, 60},
    {"weave:padded", 0.2, 1.0, 0.8, 0.3, {0.3, 0.5}, 0.03, 40, 80},
    {"weave:long", 0.2, 1.0, 0.8, 0.4, {0.3, 0.5}, 0.03, 40, 80},
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

const Cost* cost_of(const Plan& plan, bool on_gpu) {
  return on_gpu ? find(gpu_costs, cost_key(plan)) : find(cpu_costs, cost_key(plan));
}

}  // namespace heddle
