// Fitted by bench/fit_model.py; see docs/planner.md for on what.
#include <algorithm>
#include <iterator>

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
    {"csr", 1, 0.874, 1.17, 0.01, {91, 107}, 0.238, 0.768, 5},
    {"csr_padded", 1, 0.47, 1.18, 0.01, {196, 158}, 0.586, 1.55, 4.99},
    {"csr_split", 1, 0.81, 1.56, 0.01, {192, 149}, 3.46, 5.87, 4.99},
    {"csr_ell", 1, 0.485, 1.05, 0.01, {239, 205}, 1.76, 5.01, 5.01},
    {"coo", 1, 0.324, 1.91, 0.01, {362, 319}, 0.755, 1.46, 4.99},
    {"ell", 1, 0.77, 0.716, 0.01, {82, 93.2}, 0.174, 5, 5},
    {"ellr", 1, 0.769, 0.713, 0.01, {76.7, 92.7}, 0.12, 5, 5},
    {"sell", 1, 0.831, 0.574, 0.01, {89.1, 102}, 0.3, 4.99, 4.99},
    {"rgcsr", 1, 0.73, 0.741, 0.01, {92.7, 99.8}, 0.217, 4.99, 4.99},
    {"hyb", 1, 0.7, 2.2, 0.01, {116, 112}, 0.405, 4.99, 5},
    {"ell16", 1, 0.615, 2.5, 0.01, {134, 105}, 0.165, 0.685, 5},
    {"dia", 1, 0.654, 0.245, 0.01, {46.6, 70.1}, 0.0146, 4.98, 4.99},
    {"bcsr", 1, 0.78, 0.252, 0.01, {114, 103}, 1.43, 4.99, 4.99},
    {"bell", 1, 0.571, 2.19, 0.01, {186, 125}, 3, 4.98, 4.99},
    {"runs", 1, 0.865, 0.593, 0.01, {33.2, 35.2}, 0.0954, 4.98, 4.99},
    {"weave:diagonals", 1, 0.901, 0.998, 0.01, {30.5, 68.6}, 0.0125, 4.99, 4.99},
    {"weave:blocks", 1, 0.755, 0.775, 0.01, {70.8, 93.6}, 0.164, 4.99, 5},
    {"weave:rows", 1, 0.77, 1.23, 0.01, {126, 140}, 1.86, 4.99, 4.99},
};

// H200 and 16 cores of its host.
//   format         fixed  entry  gap
constexpr BuildCost gpu_build_costs[] = {
    {"csr", 92.1, 0.00891, 1},
    {"bcsr", 1.32e+03, 0.948, 3.41e-15},
    {"bell", 1.13e+03, 0.993, 0.353},
    {"coo", 217, 1.32, 0.02},
    {"csr_ell", 418, 2.24, 6.81e-14},
    {"csr_padded", 227, 0.597, 0.793},
    {"csr_split", 290, 1.42, 1},
    {"dia", 454, 4.04, 11.7},
    {"ell", 214, 0.867, 0.686},
    {"ell16", 419, 1.38, 6.06},
    {"ellr", 250, 0.686, 0.564},
    {"hyb", 536, 1.17, 3.33},
    {"rgcsr", 251, 0.623, 0.795},
    {"sell", 281, 0.829, 0.788},
    {"weave:blocks", 215, 0.0123, 0.657},
    {"weave:diagonals", 263, 0.0148, 0.521},
    {"weave:long", 229, 0.0081, 0.0197},
    {"weave:padded", 87.1, 0.0952, 7.46e-16},
    {"weave:rows", 225, 0.0205, 3.72e-16},
    {"weave:segments", 359, 0.0268, 1.6},
    {"weave:sums", 165, 0.245, 2.97},
    {"weave:tiles", 245, 0.245, 0.657},
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
