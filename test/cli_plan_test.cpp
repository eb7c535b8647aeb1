// heddle plan: what it promises to scripts.
#include <gtest/gtest.h>

#include <heddle/plan.hpp>

#include "support/command.hpp"

namespace heddle::test {
namespace {

const std::string tiny = "gen:stencil2d5,n=30";

nlohmann::json json_of(std::vector<std::string> words) {
  const Outcome outcome = heddle_command(std::move(words));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json();
}

TEST(Plan, gives_every_promised_key) {
  const auto document = json_of({"plan", tiny, "--device", "emulator", "--json"});
  EXPECT_EQ(document["command"], "plan");
  EXPECT_FALSE(document["plan"].get<std::string>().empty());
  EXPECT_FALSE(document["reason"].get<std::string>().empty());
  EXPECT_GT(document["predicted_seconds"], 0);
  EXPECT_GT(document["predicted_build_seconds"], 0);
  ASSERT_GT(document["candidates"].size(), 5u);
  for (const auto& candidate : document["candidates"]) {
    EXPECT_GT(candidate["bytes"], 0);
    EXPECT_GT(candidate["predicted_seconds"], 0);
    EXPECT_TRUE(candidate["fits"].is_boolean());
  }
  EXPECT_TRUE(document["measured"].empty());
}

TEST(Plan, says_the_same_twice) {
  const ScratchFolder folder;  // figures of the machine are measured once, then read from here
  const auto said = [&] {
    return heddle_command({"plan", tiny, "--json"}, {.environment = {{"HEDDLE_CACHE", folder.path("cache")}}}).json();
  };
  const auto first = said();
  EXPECT_EQ(first, said());
}

TEST(Plan, writes_a_plan_that_multiply_takes) {
  const ScratchFolder folder;
  const std::string file = folder.path("plan.txt");
  const auto document = json_of({"plan", tiny, "--save", file, "--json"});
  const std::string text = content_of(file);
  EXPECT_EQ(text, document["plan"].get<std::string>() + "\n");
  const std::string taken = json_of({"multiply", tiny, "--plan", text, "--json"})["plan"];
  Plan built = Plan::parse(taken), planned = Plan::parse(text);
  for (Plan* plan : {&built, &planned})  // how values are stored is decided by them, when they are there
    std::erase_if(plan->settings, [](const auto& setting) { return setting.first == "values"; });
  EXPECT_EQ(to_string(built), to_string(planned));
}

TEST(Plan, measures_when_asked_and_remembers_it) {
  const ScratchFolder folder;
  const Surroundings around{.environment = {{"HEDDLE_CACHE", folder.path("cache")}}};
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"plan", tiny, "--device", "cpu", "--effort", "measure", "--json"});
    const Outcome outcome = heddle_command(more, around);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json();
  };
  const auto first = run({});
  ASSERT_GE(first["measured"].size(), 2u);
  for (const auto& each : first["measured"]) EXPECT_GT(each["seconds"], 0);
  EXPECT_EQ(first["from_cache"], false);
  const auto second = run({});
  EXPECT_EQ(second["from_cache"], true);
  EXPECT_EQ(second["plan"], first["plan"]);
  EXPECT_EQ(second["measured"], first["measured"]);
  EXPECT_EQ(run({"--no-cache"})["from_cache"], false);
}

TEST(Plan, counts_building_when_told_how_often_it_multiplies) {
  const auto once = json_of({"plan", "gen:fem,n=8,dof=3", "--expected-multiplies", "1", "--device", "cpu", "--json"});
  EXPECT_TRUE(once["plan"].get<std::string>().starts_with("csr")) << once["plan"];
  EXPECT_EQ(once["expected_multiplies"], 1);
}

TEST(Plan, has_the_selectors_of_the_papers) {
  EXPECT_TRUE(json_of({"plan", tiny, "--selector", "csr_ell_rules", "--json"})["plan"].get<std::string>().starts_with(
      "csr_ell "));
}

TEST(Plan, takes_the_selectors_of_the_papers_wherever_a_plan_is_taken) {
  const auto plan_of = [&](const std::vector<std::string>& command) {
    const std::string plan = json_of(command)["plan"].get<std::string>();
    return plan.substr(0, plan.find(' '));
  };
  EXPECT_EQ(plan_of({"multiply", tiny, "--plan", "csr_ell_rules", "--device", "cpu", "--json"}), "csr_ell");
  EXPECT_EQ(plan_of({"multiply", tiny, "--plan", "ellr_trials", "--device", "cpu", "--json"}), "ellr");
  EXPECT_EQ(plan_of({"multiply", tiny, "--plan", "ellr_trials cache=none", "--device", "emulator", "--json"}), "ellr");
  EXPECT_EQ(heddle_command({"multiply", tiny, "--plan", "ellr_trials T=2", "--json"}).exit_code, 2)
      << "T is what they try";
}

TEST(Plan, works_on_matrices_without_entries) {
  const ScratchFolder folder;
  const std::string file = folder.write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  EXPECT_TRUE(json_of({"plan", file, "--json"})["plan"].get<std::string>().starts_with("csr "));
}

TEST(Plan, refuses_unknown_words_as_wrong_usage) {
  EXPECT_EQ(heddle_command({"plan", tiny, "--effort", "lots"}).exit_code, 2);
  EXPECT_EQ(heddle_command({"plan", tiny, "--selector", "dice"}).exit_code, 2);
  for (const char* number : {"-1", "nan", "many", "3x"}) {
    const auto outcome = heddle_command({"plan", tiny, "--expected-multiplies", number});
    EXPECT_EQ(outcome.exit_code, 2) << number;
    EXPECT_NE(outcome.err.find("'" + std::string(number) + "' is not a number of 0 or more"), std::string::npos)
        << outcome.err;
  }
}

TEST(Plan, draws_what_was_predicted_and_what_was_measured) {
  const ScratchFolder folder;
  const std::string file = folder.path("plan.svg");
  const auto document =
      json_of({"plan", tiny, "--device", "cpu", "--effort", "measure", "--no-cache", "--svg", file, "--json"});
  const std::string svg = content_of(file);
  EXPECT_TRUE(svg.starts_with("<svg") && svg.ends_with("</svg>\n")) << svg;
  std::size_t fitting = 0, dots = 0;
  for (const auto& candidate : document["candidates"]) {
    if (!candidate["fits"].get<bool>()) continue;
    ++fitting;
    EXPECT_NE(svg.find(">" + candidate["plan"].get<std::string>() + "</text>"), std::string::npos) << candidate;
  }
  for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++dots;
  constexpr std::size_t legend = 2;
  EXPECT_EQ(dots, fitting + document["measured"].size() + legend);
  // The chosen plan, in bold letters, begins inside the picture.
  const std::size_t chosen = svg.find(" class='chosen'>"), begin = svg.rfind("x='", chosen) + 3;
  ASSERT_NE(chosen, std::string::npos);
  const std::string plan = svg.substr(chosen + 16, svg.find('<', chosen) - chosen - 16);
  EXPECT_GE(std::stod(svg.substr(begin)), 8.0 * static_cast<double>(plan.size())) << plan;
  EXPECT_NE(svg.find("prefers-color-scheme: dark"), std::string::npos);
}

TEST(Plan, says_where_a_picture_cannot_be_written) {
  const auto outcome = heddle_command({"plan", tiny, "--svg", "/nowhere/plan.svg"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("/nowhere/plan.svg"), std::string::npos) << outcome.err;
}

TEST(Plan, shows_people_the_reason_and_the_candidates) {
  const std::string text = heddle_command({"plan", tiny, "--device", "emulator"}).out;
  for (const char* word : {"plan", "because", "predicted", "csr", "fits"})
    EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
}

}  // namespace
}  // namespace heddle::test
