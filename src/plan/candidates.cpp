#include "plan/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/format.hpp"
#include "plan/custom_work.hpp"
#include "plan/model.hpp"

namespace heddle {

namespace {

bool registered(const std::string& format) {
  return std::ranges::any_of(registry(), [&](const Format* line) { return line->info.name == format; });
}

}  // namespace

std::vector<Plan> candidate_plans(const Structure& facts, const CandidateOptions& options) {
  std::vector<Plan> all;
  for (const Family* family : model_families()) {
    if (!registered(family->format)) continue;
    for (Plan& plan : family->plans(facts, options.target))
      if (cost_of(plan, options.target)) all.push_back(std::move(plan));
  }
  // Windows of 1,024 rows that several cores would share.
  if (!options.target.on_gpu && facts.rows < 1024 * std::int64_t{options.target.units} && registered("sell"))
    all.push_back(Plan::parse("sell sigma=256"));
  for (Plan& plan : custom_plans(facts, options.target)) all.push_back(std::move(plan));
  if (options.reorder && facts.rows == facts.cols) all.push_back(Plan::parse("ell16 reorder=rcm"));
  return all;
}

std::vector<Plan> ellr_trials() {
  std::vector<Plan> plans;
  for (const int block : {128, 256, 512})
    for (const int T : {1, 2, 4, 8}) plans.push_back(Plan::parse(fmt::format("ellr T={} block={}", T, block)));
  return plans;
}

}  // namespace heddle
