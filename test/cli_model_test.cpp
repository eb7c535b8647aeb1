// heddle model: where a product's time goes.
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

Json model_of(const std::vector<std::string>& words) {
  std::vector<std::string> all{"model", "--seconds", "0", "--json"};
  all.insert(all.end(), words.begin(), words.end());
  const Outcome outcome = heddle_command(all);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json();
}

// The parts of every time add up, and what is predicted is of the size of what is measured.
void expect_times(const Json& document) {
  ASSERT_EQ(document["variants"].size(), 4u);
  for (const Json& variant : document["variants"])
    for (const char* caches : {"warm", "cold"}) {
      if (!variant["applies"]) continue;
      const double all = variant[caches]["t_all"], pseudo = variant[caches]["t_pseudo"];
      EXPECT_GT(all, 0);
      EXPECT_GT(pseudo, 0);
      EXPECT_NEAR(variant[caches]["x_share"].get<double>(), 1 - pseudo / all, 1e-9);
    }
  EXPECT_EQ(document["variants"][0]["gain_warm"], 1);
  EXPECT_GT(document["t_pseudo"]["predicted"].get<double>(), 0);
  EXPECT_GE(document["t_pseudo"]["predicted_ellpack"].get<double>(),
            0.999 * document["t_pseudo"]["predicted"].get<double>());
}

TEST(ModelCommand, splits_the_time_of_a_matrix_on_the_cpu_and_says_that_it_has_no_hints) {
  const Json document = model_of({"gen:band,rows=3000,width=7", "--device", "cpu", "--precision", "f32"});
  EXPECT_EQ(document["precision"], "f32");
  expect_times(document);
  for (const Json& variant : document["variants"]) EXPECT_EQ(variant["applies"], true) << variant;
  EXPECT_TRUE(document["hints"]["gain_warm"].is_null());
  EXPECT_EQ(document["entries_share"], 1);
}

TEST(ModelCommand, works_as_on_a_gpu_on_the_emulator) {
  const Json document = model_of({"gen:stencil2d5,n=20", "--device", "emulator"});
  expect_times(document);
  EXPECT_EQ(document["model"]["resident"], 256);
  EXPECT_NEAR(document["model"]["passes"].get<double>(), 400.0 / 256, 1e-9);
  EXPECT_NEAR(document["width"].get<double>(), 5, 0.2) << "the longest row of each warp, averaged";
  EXPECT_GT(document["hints"]["gain_warm"].get<double>(), 0);
}

TEST(ModelCommand, says_why_a_means_is_of_no_use) {
  // Columns up to 40,000 from the diagonal, in a matrix that is not square.
  const ScratchFolder folder;
  const std::string wide =
      folder.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n3 40000 3\n1 1 1\n2 40000 1\n3 5 1\n");
  const Json document = model_of({wide, "--device", "cpu"});
  for (const int k : {1, 2, 3}) EXPECT_EQ(document["variants"][k]["applies"], false) << k;
  EXPECT_NE(document["variants"][1]["reason"].get<std::string>().find("32,767"), std::string::npos);
  EXPECT_EQ(document["variants"][2]["reason"], "the matrix is not square");
}

// An arrow of two long rows: padding to the longest would be a thousandfold.
TEST(ModelCommand, cuts_rows_that_are_too_unequal_as_the_paper_does) {
  const Json document = model_of({"gen:circuit,rows=4000,giants=2", "--device", "cpu"});
  EXPECT_LT(document["entries_share"].get<double>(), 1);
  EXPECT_GT(document["entries_share"].get<double>(), 0.3);
}

TEST(ModelCommand, shows_all_of_it_to_people) {
  const Outcome outcome = heddle_command({"model", "gen:stencil2d5,n=30", "--seconds", "0", "--device", "cpu"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part : {"t_pseudo", "predicted", "RCM and 16-bit columns", "bandwidth", "hints"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << outcome.out;
}

}  // namespace
}  // namespace heddle::test
