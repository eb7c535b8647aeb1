// The planner settles what a plan of weave leaves open by estimates, building by what it counts: the same rules, so the
// same text, but where facts do not tell. These cases are kept in test/golden/settled_plans.txt (support/golden.hpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "formats/weave/weave_plan.hpp"
#include "plan/all_rules.hpp"
#include "support/golden.hpp"
#include "support/record_matrices.hpp"
#include "support/workload_of.hpp"

namespace heddle {
namespace {

std::string settled_text(const Subject& s, const Plan& plan) {
  WeaveSettings settings = weave_counts::settled(s, plan);
  return to_string(write_settings(settings.fields(), "weave"));
}

template <class V>
std::string differences(const std::string& matrix) {
  const Csr<V> A = generate<V>(matrix);
  const Structure facts = analyze(A, Detail::planning);
  std::string text;
  int plans = 0;
  for (const bool on_gpu : {true, false})
    for (const Plan& plan : find_rules("weave")->plans(facts, test::target_of_kind(on_gpu))) {
      ++plans;
      const Subject subject{facts, sizeof(V), test::target_of_kind(on_gpu)};
      const std::string estimated = settled_text(subject, plan),
                        counted = to_string(resolve(A.view(), plan, sizeof(V)));
      if (estimated == counted) continue;
      text += fmt::format("{} f{} {}\n  estimated {}\n  counted   {}\n", matrix, 8 * sizeof(V), to_string(plan),
                          estimated, counted);
    }
  EXPECT_GT(plans, 0) << matrix;
  return text;
}

TEST(WeaveSettled, by_estimates_is_what_building_settles_but_for_the_cases_that_are_kept) {
  std::string text;
  for (const char* matrix : test::record_matrices) text += differences<float>(matrix) + differences<double>(matrix);
  test::expect_kept("settled_plans.txt", text);
}

}  // namespace
}  // namespace heddle
