#include "plan/candidates.hpp"

#include "plan/all_rules.hpp"
#include "plan/custom_work.hpp"
#include "plan/predict/model.hpp"

namespace heddle {

std::vector<Plan> candidate_plans(const Structure& facts, const CandidateOptions& options) {
  std::vector<Plan> all;
  const auto add = [&](std::vector<Plan> plans) {
    for (Plan& plan : plans)
      if (cost_of(plan, options.target)) all.push_back(std::move(plan));
  };
  for (const Rules* rules : all_rules()) add(rules->plans(facts, options.target));
  add(custom_plans(facts, options.target));
  if (options.reorder)
    for (const Rules* rules : all_rules())
      if (rules->tried != nullptr) add(rules->tried(facts, options.target));
  return all;
}

}  // namespace heddle
