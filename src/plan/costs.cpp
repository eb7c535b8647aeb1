// Fitted by bench/fit_model.py; see docs/planner.md for on what.
#include <algorithm>
#include <iterator>

#include "plan/model.hpp"

namespace heddle {

namespace {

//   format         start  stream   miss  sector      place f32/f64    team   step   far
constexpr Cost gpu_costs[] = {
    {"csr", 0.557, 0.86, 1.38, 3.07, {1.22, 1.3}, 0.132, 117, 235},
    {"csr_padded", 0.0778, 1, 1.16, 3.21, {0.584, 0.775}, 0.128, 524, 775},
    {"csr_split", 3.22, 0.588, 0.991, 3.81, {0.772, 1.05}, 0.0428, 87.2, 126},
    {"csr_ell", 0.762, 0.808, 1.32, 0.871, {0.303, 0.515}, 0.407, 87.6, 535},
    {"coo", 1.23, 0.528, 1.31, 3.12, {0.944, 2.16}, 0.0489, 566, 149},
    {"ell", 0.147, 0.825, 1.16, 0.928, {2.52, 2.29}, 0.0165, 150, 371},
    {"ellr", 0.443, 0.806, 1.29, 1.05, {0.768, 1.25}, 0.226, 100, 266},
    {"sell", 0.283, 0.867, 0.848, 3.92, {1.91, 0.717}, 0.114, 155, 349},
    {"rgcsr", 0.681, 0.835, 1.12, 2.83, {1.62, 0.599}, 0.158, 75.7, 242},
    {"hyb", 0.267, 1, 0.504, 4.24, {1.54, 2.31}, 0.225, 127, 266},
    {"ell16", 0.212, 0.86, 1.55, 0.934, {1.74, 2.77}, 0.086, 191, 31.5},
    {"dia", 0.5, 0.771, 1.22, 0.86, {1.82, 2.47}, 0.0193, 135, 293},
    {"bcsr", 1.23, 0.718, 4.41, 2.68, {0.67, 1.32}, 0.274, 443, 99.9},
    {"bell", 5.37, 1, 2.19, 0.972, {0.677, 1.91}, 0.0302, 64, 318},
};

constexpr Cost cpu_costs[] = {
    {"csr", 1, 1, 1.41, 0.01, {709, 782}, 0.472, 10.2, 10.8},
    {"csr_padded", 1, 0.775, 1.68, 0.01, {686, 847}, 4.5, 7.85, 57.9},
    {"csr_split", 1, 1, 1.61, 0.01, {959, 1010}, 5.01, 11.8, 5},
    {"csr_ell", 1, 0.797, 1.49, 0.01, {971, 1130}, 3.39, 5.01, 4.99},
    {"coo", 1, 1, 1.05, 0.01, {1490, 1480}, 1.34, 10.3, 2.99},
    {"ell", 1, 0.959, 0.513, 0.01, {1150, 1230}, 5.28, 4.98, 4.99},
    {"ellr", 1, 0.33, 0.599, 0.01, {725, 742}, 4.65, 21.5, 4.99},
    {"sell", 1, 0.581, 0.64, 0.01, {1270, 1400}, 3.25, 4.99, 5},
    {"rgcsr", 1, 1, 1.9, 0.01, {806, 886}, 3.98, 21.6, 4.99},
    {"hyb", 1, 0.201, 0.728, 0.01, {1040, 829}, 7.88, 5, 5},
    {"ell16", 1, 0.772, 3.05, 0.01, {979, 1010}, 4, 22, 2.43},
    {"dia", 1, 0.209, 5.85, 0.01, {929, 924}, 0.868, 5.01, 4.99},
    {"bcsr", 1, 0.799, 1, 0.01, {583, 698}, 3.91, 5, 5},
    {"bell", 1, 0.346, 0.998, 0.01, {668, 992}, 0.49, 5.01, 5.01},
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
