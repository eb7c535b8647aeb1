#include "plan/custom_work.hpp"

#include <cmath>

#include "cost/workload_parts.hpp"
#include "formats/custom.hpp"

namespace heddle {

namespace {

constexpr double more_than_any = 1e18;  // places: what a format keeps that is not for the matrix

Workload work_on_gpu(const Subject& s, const Plan& plan) {
  const CustomFormat& format = *find_custom(plan.format);
  const ProductWork need = format.work(s.facts, complete_plan(format, plan), s.value_bytes);
  Workload w = start(s, need.bytes, need.places, need.places);
  w.sectors = need.bytes / sector_bytes + gathered(s, need.lanes);
  w.teams = s.rows() * need.lanes / lanes_of_warp;
  w.chain = std::ceil(s.longest() / need.lanes);
  if (!need.fits) w.stored = more_than_any;
  return w;
}

Workload work_on_cpu(const Subject& s, const Plan& plan) {
  const Workload w = work_on_gpu(s, plan);
  return as_on_cpu(s, w, w.stored > s.nnz() ? Walk::places : Walk::entries, 1, 1);
}

const Rules custom_rules{
    .format = "", .turn = 0, .plans = nullptr, .gpu = work_on_gpu, .cpu = work_on_cpu, .suits = row_text};

}  // namespace

const Rules* find_custom_rules(const std::string& format) {
  return find_custom(format) != nullptr ? &custom_rules : nullptr;
}

std::vector<Plan> custom_plans(const Structure& facts, const Target& target) {
  std::vector<Plan> all;
  for (const Format* line : registry()) {
    const CustomFormat* format = find_custom(line->info.name);
    if (format == nullptr || (target.on_gpu && !format->on_gpu)) continue;
    all.push_back({format->info.name, {}});
    if (format->plans == nullptr) continue;
    for (Plan& plan : format->plans(facts)) all.push_back(std::move(plan));
  }
  return all;
}

}  // namespace heddle
