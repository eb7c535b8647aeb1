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
    {"csr", 0, 0.8, 1.0, 0, {350, 350}, 1.5, 0, 0},       {"csr_padded", 0, 0.8, 1.0, 0, {350, 350}, 2.0, 0, 0},
    {"csr_split", 0, 0.8, 1.0, 0, {700, 700}, 1.0, 0, 0}, {"csr_ell", 0, 0.8, 1.0, 0, {700, 700}, 2.0, 0, 0},
    {"coo", 0, 0.8, 1.0, 0, {250, 250}, 0.5, 0, 0},       {"ell", 0, 0.8, 1.0, 0, {700, 700}, 1.0, 0, 0},
    {"ellr", 0, 0.8, 1.0, 0, {600, 600}, 1.0, 0, 0},      {"sell", 0, 0.8, 1.0, 0, {600, 600}, 1.0, 0, 0},
    {"rgcsr", 0, 0.8, 1.0, 0, {600, 600}, 1.0, 0, 0},     {"hyb", 0, 0.8, 1.0, 0, {700, 700}, 1.0, 0, 0},
    {"ell16", 0, 0.8, 1.0, 0, {600, 600}, 1.0, 0, 0},     {"dia", 0, 0.8, 1.0, 0, {200, 200}, 1.0, 0, 0},
    {"bcsr", 0, 0.8, 1.0, 0, {300, 300}, 1.0, 0, 0},      {"bell", 0, 0.8, 1.0, 0, {400, 400}, 1.0, 0, 0},
};

template <class Table>
const Cost* find(const Table& table, const std::string& format) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const Cost& c) { return c.format == format; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

const Cost* cost_of(const std::string& format, bool on_gpu) {
  return on_gpu ? find(gpu_costs, format) : find(cpu_costs, format);
}

}  // namespace heddle
