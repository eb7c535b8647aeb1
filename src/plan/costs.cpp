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
    {"csr", 1, 0.873, 1.17, 0.01, {88.9, 104}, 0.248, 0.777, 4.99},
    {"csr_padded", 1, 0.469, 1.17, 0.01, {195, 158}, 0.591, 1.56, 5},
    {"csr_split", 1, 0.807, 1.55, 0.01, {192, 150}, 3.42, 5.93, 5},
    {"csr_ell", 1, 0.485, 1.05, 0.01, {240, 206}, 1.75, 4.98, 4.99},
    {"coo", 1, 0.324, 1.91, 0.01, {362, 319}, 0.763, 1.5, 5},
    {"ell", 1, 0.771, 0.713, 0.01, {79.8, 90.6}, 0.192, 4.99, 4.99},
    {"ellr", 1, 0.771, 0.717, 0.01, {76.3, 92.5}, 0.129, 5, 5},
    {"sell", 1, 0.823, 0.563, 0.01, {87.3, 99.1}, 0.317, 4.99, 5},
    {"rgcsr", 1, 0.731, 0.734, 0.01, {91.7, 100}, 0.224, 5, 5},
    {"hyb", 1, 0.7, 2.19, 0.01, {115, 112}, 0.414, 4.99, 5},
    {"ell16", 1, 0.615, 2.5, 0.01, {132, 107}, 0.173, 0.669, 5},
    {"dia", 1, 0.649, 0.243, 0.01, {47.2, 72.8}, 0.0177, 4.99, 5},
    {"bcsr", 1, 0.781, 0.252, 0.01, {112, 95.8}, 1.64, 4.99, 5},
    {"bell", 1, 0.571, 2.18, 0.01, {186, 125}, 3.02, 4.98, 4.99},
    {"runs", 1, 0.878, 0.608, 0.01, {31.4, 33.2}, 0.0427, 2.19, 5.01},
    {"weave:diagonals", 1, 0.888, 0.998, 0.01, {32.1, 68.8}, 0.00865, 4.98, 4.99},
    {"weave:blocks", 1, 0.745, 0.773, 0.01, {66.8, 85.6}, 0.203, 4.99, 5},
    {"weave:rows", 1, 0.756, 1.21, 0.01, {119, 131}, 2.03, 4.98, 4.99},
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
