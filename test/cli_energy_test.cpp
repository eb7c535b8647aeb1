// bench --energy and solve --energy, with counters that the tests turn.
#include <gtest/gtest.h>

#include "support/planted_package.hpp"

namespace heddle::test {
namespace {

TEST(EnergyCommand, bench_tells_the_joules_of_a_product) {
  const PlantedPackage package;
  const ScratchFolder folder;
  const Outcome outcome = heddle_command(
      {"bench", "gen:stencil2d5,n=30", "--formats", "csr", "--peers", "none", "--device", "cpu", "--seconds", "0.01",
       "--energy", "--json=" + folder.path("r.json"), "--csv", folder.path("r.csv")},
      package.around());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(content_of(folder.path("r.json")));
  EXPECT_EQ(document["energy"]["source"], "RAPL: package-0");
  EXPECT_TRUE(document["energy"]["absence"].is_null());
  const auto result = document["matrices"][0]["results"][0];
  EXPECT_NEAR(result["watts"].get<double>(), 50, 5);
  EXPECT_GT(result["joules"].get<double>(), 50 * 0.5 * result["seconds"].get<double>());
  EXPECT_NE(outcome.out.find("energy"), std::string::npos) << outcome.out;
  EXPECT_NE(content_of(folder.path("r.csv")).find(",joules,watts,"), std::string::npos);
}

TEST(EnergyCommand, solve_tells_the_joules_of_a_solve) {
  const PlantedPackage package;
  const auto document =
      heddle_command({"solve", "gen:stencil2d5,n=30", "--method", "cg", "--device", "cpu", "--energy", "--json"},
                     package.around())
          .json();
  EXPECT_EQ(document["status"], "converged");
  EXPECT_NEAR(document["energy"]["watts"].get<double>(), 50, 5);
  EXPECT_GT(document["energy"]["solves"].get<int>(), 1);
  EXPECT_NEAR(document["energy"]["joules"].get<double>(), 50 * document["energy"]["seconds"].get<double>(), 1);
}

TEST(EnergyCommand, says_where_nothing_counts) {
  const ScratchFolder folder;
  const Surroundings nothing{.environment = {{"HEDDLE_POWERCAP", folder.path("")}}};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"bench", "gen:dense,rows=9", "--formats", "csr", "--peers", "none", "--seconds", "0"},
        {"solve", "gen:stencil2d5,n=5"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--device", "cpu", "--energy", "--json"});
    const Outcome outcome = heddle_command(all, nothing);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("no energy: RAPL: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.json()["energy"]["absence"].get<std::string>().find("no package"), std::string::npos);
    EXPECT_FALSE(outcome.json()["energy"].contains("joules"));
  }
}

}  // namespace
}  // namespace heddle::test
