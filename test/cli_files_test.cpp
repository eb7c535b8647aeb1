// generate, convert, demo.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/command.hpp"

namespace heddle::test {
namespace {

nlohmann::json json_of(const std::vector<std::string>& words) {
  const Outcome outcome = heddle_command(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json();
}

TEST(Generate, lists_the_generators_with_their_keys) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"generate"}, {"generate", "--list"}}) {
    const std::string text = heddle_command(words).out;
    for (const char* name : {"stencil2d5", "rmat", "laplacian", "seed"})
      EXPECT_NE(text.find(name), std::string::npos) << name;
  }
  const auto generators = json_of({"generate", "--list", "--json"})["generators"];
  EXPECT_GE(generators.size(), 18u);
  EXPECT_TRUE(generators[0]["keys"][0].contains("default"));
}

TEST(Generate, takes_settings_as_options_as_words_and_in_the_text) {
  const ScratchFolder folder;
  const std::string a = folder.path("a.mtx"), b = folder.path("b.mtx"), c = folder.path("c.mtx");
  json_of(
      {"generate", "random", "--rows", "30", "--cols", "20", "--per-row", "4", "--seed", "7", "--out", a, "--json"});
  json_of({"generate", "random", "rows=30", "cols=20", "per_row=4", "seed=7", "--out", b, "--json"});
  json_of({"generate", "--out", c, "random,rows=30,cols=20,per_row=4,seed=7", "--json"});
  const std::string content = content_of(a);
  EXPECT_TRUE(content.starts_with("%%MatrixMarket matrix coordinate real general\n"));
  EXPECT_EQ(content_of(b), content);
  EXPECT_EQ(content_of(c), content);
}

TEST(Generate, another_seed_gives_another_matrix) {
  const auto checksum = [](const char* seed) {
    return json_of({"multiply", std::string("gen:random,rows=30,seed=") + seed, "--json"})["checksum"];
  };
  EXPECT_EQ(checksum("1"), checksum("1"));
  EXPECT_NE(checksum("1"), checksum("2"));
}

TEST(Generate, describes_the_matrix_without_keeping_it_when_no_file_is_named) {
  const Outcome outcome = heddle_command({"generate", "dense", "--rows", "40"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("1,600 entries"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("--out"), std::string::npos) << outcome.err;
}

TEST(Generate, refuses_a_second_kind) {
  const Outcome outcome = heddle_command({"generate", "dense", "random"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
}

TEST(Convert, there_and_back_gives_the_same_file) {
  const ScratchFolder folder;
  const std::string first = folder.path("a.mtx"), packed = folder.path("a.mtx.gz"), binary = folder.path("a.hdl"),
                    last = folder.path("b.mtx");
  ASSERT_EQ(heddle_command({"convert", "gen:circuit,rows=500", first}).exit_code, 0);
  ASSERT_EQ(heddle_command({"convert", first, packed}).exit_code, 0);
  ASSERT_EQ(heddle_command({"convert", packed, binary}).exit_code, 0);
  ASSERT_EQ(heddle_command({"convert", binary, last}).exit_code, 0);
  EXPECT_EQ(content_of(last), content_of(first));
  EXPECT_LT(content_of(packed).size(), content_of(first).size());
}

TEST(Convert, reports_sizes_and_rates) {
  const ScratchFolder folder;
  const std::string first = folder.path("a.mtx"), second = folder.path("a.hdl");
  const auto generated = json_of({"convert", "gen:dense,rows=30", first, "--json"});
  EXPECT_TRUE(generated["input"]["bytes"].is_null());
  const auto document = json_of({"convert", first, second, "--json"});
  EXPECT_EQ(document["matrix"]["nnz"], 900);
  EXPECT_EQ(document["input"]["bytes"], content_of(first).size());
  EXPECT_EQ(document["output"]["bytes"], content_of(second).size());
  EXPECT_GT(document["output"]["bytes_per_second"], 0);
}

TEST(Convert, keeps_what_the_banner_said_in_the_binary_form) {
  const ScratchFolder folder;
  const std::string text = folder.path("a.mtx"), binary = folder.path("a.hdl");
  std::ofstream(text) << "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 4\n2 1 -3\n";
  ASSERT_EQ(heddle_command({"convert", text, binary}).exit_code, 0);
  const auto matrix = json_of({"info", binary, "--json"})["matrix"];
  EXPECT_EQ(matrix["field"], "integer");
  EXPECT_EQ(matrix["symmetry"], "symmetric");
  EXPECT_EQ(matrix["nnz"], 3);
}

TEST(Convert, into_a_missing_folder_is_an_error_and_leaves_nothing) {
  const ScratchFolder folder;
  const std::string target = folder.path("missing/a.mtx");
  const Outcome outcome = heddle_command({"convert", "gen:dense,rows=3", target});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
  EXPECT_FALSE(exists(folder.path("missing")));
}

// In the place of python3: a SciPy 9.9 that takes half a second for a product of the file that it is given.
Surroundings with_scipy(const ScratchFolder& programs) {
  programs.write("python3",
                 "#!/bin/sh\n"
                 "case \"$2\" in\n"
                 "*__version__*) echo 9.9 ;;\n"
                 "*) test -s \"$3\" && test \"$4\" = float64 && echo 0.5 ;;\n"
                 "esac\n");
  std::filesystem::permissions(programs.path("python3"), std::filesystem::perms::owner_all);
  return {.environment = {{"PATH", programs.path("") + ":/usr/bin:/bin"}}};
}

TEST(Demo, shows_every_step_and_leaves_its_files) {
  const ScratchFolder folder, programs;
  const std::string out = folder.path("it's a tour");
  const Outcome outcome =
      heddle_command({"demo", "--out", out, "--json=" + folder.path("demo.json")}, with_scipy(programs));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* step : {"1. Matrices", "2. Files", "3. Structure", "4. Formats", "5. Plans", "6. y = A x",
                           "7. A x = b", "8. What it is for"})
    EXPECT_NE(outcome.out.find(step), std::string::npos) << step;
  for (const char* name : {"circuit.mtx", "circuit.mtx.gz", "circuit.hdl", "residuals.svg"})
    EXPECT_TRUE(exists(out + "/" + name)) << name;
  const auto document = nlohmann::json::parse(content_of(folder.path("demo.json")));
  ASSERT_GE(document["matrices"].size(), 4u);
  EXPECT_EQ(document["plans"].size(), 4u);
  for (const auto& matrix : document["matrices"])
    for (const auto& result : matrix["results"]) {
      EXPECT_LE(result["error_per_bound"], 1) << result;
      EXPECT_NE(result["device"], "emulator") << "./dev demo builds none";
    }
  const auto& ending = document["ending"];
  EXPECT_GE(ending["products_per_second"].size(), 2u);
  for (const auto& [who, rate] : ending["products_per_second"].items()) EXPECT_GT(rate, 0) << who;
  EXPECT_EQ(ending["products_per_second"]["SciPy 9.9, one core"], 2);
  EXPECT_FALSE(exists(out + "/for-scipy.mtx"));
  EXPECT_EQ(ending["verdict"], "converged");
  EXPECT_EQ(ending["claims"].size(), 5u);
}

TEST(Demo, can_be_run_twice_in_the_same_folder) {
  const ScratchFolder folder;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(heddle_command({"demo", "--out", folder.path("tour"), "--precision", "f32"}).exit_code, 0);
}

TEST(Demo, says_so_when_its_folder_cannot_be_made) {
  const Outcome outcome = heddle_command({"demo", "--out", "/no/such/folder/tour"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--out"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace heddle::test
