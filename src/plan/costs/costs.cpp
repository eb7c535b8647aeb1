// The tables of costs: one line a plan, fitted by bench/fit_model.py and bench/fit_building.py (docs/selection.md says
// how good they are). A format without a line has the guess that fitting begins with, never the costs of another one.
#include <algorithm>
#include <iterator>
#include <string>

#include "plan/predict/building.hpp"
#include "plan/predict/model.hpp"

namespace heddle {

namespace {

constexpr Cost gpu_costs[] = {
#include "plan/costs/h200.inc"
};
constexpr Cost cpu_costs[] = {
#include "plan/costs/xeon.inc"
};
constexpr Cost cpu_loading_costs[] = {
#include "plan/costs/xeon_slow_gathers.inc"
};
constexpr BuildCost gpu_build_costs[] = {
#include "plan/costs/h200_building.inc"
};
constexpr BuildCost cpu_build_costs[] = {
#include "plan/costs/xeon_building.inc"
};

constexpr Cost gpu_guess[] = {
#include "plan/costs/gpu_guess.inc"
};
constexpr Cost cpu_guess[] = {
#include "plan/costs/cpu_guess.inc"
};
constexpr BuildCost gpu_build_guess[] = {
#include "plan/costs/gpu_building_guess.inc"
};
constexpr BuildCost cpu_build_guess[] = {
#include "plan/costs/cpu_building_guess.inc"
};

template <class Table>
constexpr bool is_complete(const Table& table) {
  return std::all_of(std::begin(table), std::end(table), [](const auto& line) { return line.check() == line.check(); });
}
static_assert(is_complete(gpu_costs) && is_complete(cpu_costs) && is_complete(cpu_loading_costs), "a field is missing");
static_assert(is_complete(gpu_build_costs) && is_complete(cpu_build_costs), "a field is missing");
static_assert(is_complete(gpu_guess) && is_complete(cpu_guess), "a field is missing");
static_assert(is_complete(gpu_build_guess) && is_complete(cpu_build_guess), "a field is missing");

template <class Table>
auto* line_of(const Table& table, const std::string& key) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& line) { return line.key == key; });
  return found == std::end(table) ? nullptr : &*found;
}

// "weave" while there are lines for "weave:rows" and others.
template <class Table>
bool is_open(const Table& table, const std::string& key) {
  return std::any_of(std::begin(table), std::end(table),
                     [&](const auto& line) { return line.key.starts_with(key) && line.key[key.size()] == ':'; });
}

template <class Table>
const Cost* cost_in(const Table& table, const Cost& guess, const std::string& key) {
  if (const Cost* line = line_of(table, key)) return line;
  return is_open(table, key) ? nullptr : &guess;
}

}  // namespace

std::string cost_key(const Plan& plan) {
  const std::string *layout = plan.find("layout"), *values = plan.find("values");
  if (values && *values == "symmetric") return plan.format + ":symmetric";  // a kernel of its own
  return layout ? plan.format + ":" + *layout : plan.format;
}

const BuildCost& build_cost(const Plan& plan, bool on_gpu) {
  const std::string key = cost_key(plan);
  const BuildCost* line = on_gpu ? line_of(gpu_build_costs, key) : line_of(cpu_build_costs, key);
  return line ? *line : on_gpu ? gpu_build_guess[0] : cpu_build_guess[0];
}

const Cost* cost_of(const Plan& plan, const Target& target) {
  const std::string key = cost_key(plan);
  if (target.on_gpu) return cost_in(gpu_costs, gpu_guess[0], key);
  return target.loads_singly() ? cost_in(cpu_loading_costs, cpu_guess[0], key) : cost_in(cpu_costs, cpu_guess[0], key);
}

}  // namespace heddle
