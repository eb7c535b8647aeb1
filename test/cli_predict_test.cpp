// heddle predict: what it promises to scripts, and that its names leave nothing out.
#include <gtest/gtest.h>

#include <cmath>

#include "plan/predict/predicted_parts.hpp"
#include "support/command.hpp"

namespace heddle::test {
namespace {

const std::string tiny = "gen:stencil2d5,n=30";

nlohmann::json plans_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"predict", tiny});
  words.push_back("--json");
  const Outcome outcome = heddle_command(std::move(words));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json()["plans"];
}

double sum_of(const nlohmann::json& numbers) {
  double sum = 0;
  for (const auto& [name, number] : numbers.items()) sum += number.get<double>();
  return sum;
}

TEST(Predict, gives_all_that_plan_compares_with_the_same_seconds) {
  const auto plans = plans_of({"--device", "emulator"});
  const auto compared = heddle_command({"plan", tiny, "--device", "emulator", "--json"}).json()["candidates"];
  ASSERT_EQ(plans.size(), compared.size());
  ASSERT_GT(plans.size(), 5u);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    EXPECT_EQ(plans[i]["plan"], compared[i]["plan"]);
    EXPECT_NEAR(plans[i]["seconds"], compared[i]["predicted_seconds"], 1e-12) << plans[i]["plan"];
    EXPECT_NEAR(plans[i]["build_seconds"], compared[i]["predicted_build_seconds"], 1e-12) << plans[i]["plan"];
  }
}

TEST(Predict, the_parts_make_up_the_seconds) {
  for (const auto& plan : plans_of({"--device", "emulator"})) {
    const auto& t = plan["parts"];
    const auto square = [&](const char* name) { return t[name].get<double>() * t[name].get<double>(); };
    const double together =
        std::sqrt(square("stream") + square("misses") + square("sectors") + square("walk") + square("chain"));
    EXPECT_NEAR(plan["seconds"], t["start"].get<double>() + together, 1e-9 * plan["seconds"].get<double>());
  }
}

TEST(Predict, costs_are_named_and_complete) {
  const auto plan = plans_of({"csr", "--device", "emulator"}).at(0);
  const Cost& cost = *cost_of(Plan{}, {.on_gpu = true});
  EXPECT_NEAR(sum_of(plan["costs"]), cost.check(), 1e-9);
  EXPECT_NEAR(sum_of(plan["build_costs"]), build_cost(Plan{}, true).check(), 1e-9);
  EXPECT_EQ(plan["costs"]["step_ns"], cost.step_ns);
  EXPECT_EQ(plan["build_parts"].size(), BuildParts{}.values().size());
  EXPECT_EQ(plan["build_costs"].size(), BuildParts{}.values().size());
  EXPECT_EQ(plan["fitted"], true);
  EXPECT_EQ(plan["build_fitted"], true);
}

TEST(Predict, a_plan_that_leaves_its_layout_open_gets_the_one_that_would_be_built) {
  const std::string plan = plans_of({"weave", "--device", "emulator"}).at(0)["plan"];
  EXPECT_TRUE(plan.starts_with("weave layout=")) << plan;
}

TEST(Predict, each_number_of_a_struct_has_its_name) {
  BuildParts parts;
  double next = 1;
  for (double* part :
       {&parts.once, &parts.wide, &parts.table, &parts.doubles, &parts.entries, &parts.table_entries, &parts.rows,
        &parts.gaps, &parts.alone, &parts.partials, &parts.long_rows, &parts.some_long, &parts.one_thread,
        &parts.sorted_rows, &parts.gathered, &parts.listed, &parts.looked_at, &parts.new_bytes, &parts.memory})
    *part = next++;
  std::vector<double> values;
  for (const auto& [name, number] : named(parts)) values.push_back(number);
  const auto kept = parts.values();
  EXPECT_EQ(values, std::vector<double>(kept.begin(), kept.end()));
}

TEST(Predict, serves_what_building_takes_beside_the_parts) {
  const auto answer = [](const std::string& machine, const std::string& plans) {
    const ScratchFolder folder;
    const std::string asked = folder.write("asked", R"({"building": {"machine": {)" + machine +
                                                        R"(, "cache_bytes": 1, "repeat_us": 1}, "value_bytes": 8,)" +
                                                        R"( "rows": 99, "nnz": 100, "plans": [)" + plans + "]}}\n");
    const Outcome outcome = heddle_in_shell("predict --serve < " + asked);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json();
  };
  const auto gpu = answer(R"("kind": "gpu", "units": 132, "upload_gbps": 10)",
                          R"({"bytes": 3000, "by_kernels": true}, {"bytes": 3000, "by_kernels": false})");
  const auto &by_kernels = gpu["plans"][0], &by_host = gpu["plans"][1];
  EXPECT_DOUBLE_EQ(by_kernels["way"], 2000 / 10e9);  // the matrix as csr
  EXPECT_DOUBLE_EQ(by_kernels["way_there"], 0);
  EXPECT_DOUBLE_EQ(by_host["way"], 3000 / 10e9);
  EXPECT_DOUBLE_EQ(by_host["way_there"], 5000 / 10e9);
  EXPECT_DOUBLE_EQ(by_host["new_bytes"], 0);
  EXPECT_DOUBLE_EQ(gpu["slowness"], 1);
  const auto cpu = answer(R"("kind": "cpu", "units": 2, "entry_ns": 1)",
                          R"({"bytes": 1e6, "by_kernels": false}, {"bytes": 1e5, "by_kernels": false})");
  EXPECT_DOUBLE_EQ(cpu["slowness"], 1 / Cost::fitted_entry_ns);
  EXPECT_DOUBLE_EQ(cpu["plans"][0]["new_bytes"], 1e-3);
  EXPECT_DOUBLE_EQ(cpu["plans"][1]["new_bytes"], 0);
  EXPECT_DOUBLE_EQ(cpu["plans"][0]["way"], 0);
}

TEST(Predict, says_in_words_which_costs_are_fitted) {
  const Outcome outcome = heddle_command({"predict", tiny, "csr", "--device", "cpu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("fitted"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("unfitted"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace heddle::test
