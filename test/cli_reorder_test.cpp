#include <gtest/gtest.h>

#include "support/command.hpp"

namespace heddle::test {
namespace {

TEST(Reorder, writes_matrix_and_permutation_and_reports_the_bandwidth) {
  const ScratchFolder folder;
  //  the path 0 - 2 - 1 - 3
  const std::string path = folder.write("path.mtx",
                                        "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n"
                                        "3 1 5\n3 2 6\n4 2 7\n");
  const std::string out = folder.path("out.mtx"), order = folder.path("order.txt");
  const Outcome outcome =
      heddle_command({"reorder", path, "--by", "rcm", "--out", out, "--permutation", order, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["bandwidth"]["before"], 2);
  EXPECT_EQ(outcome.json()["bandwidth"]["after"], 1);
  EXPECT_EQ(outcome.json()["by"], "rcm");
  EXPECT_EQ(heddle_command({"info", out, "--json"}).json()["bandwidth"], 1);
  EXPECT_NE(content_of(order).find("0\n2\n1\n3\n"), std::string::npos) << content_of(order);
}

TEST(Reorder, by_length_moves_the_rows_of_any_matrix) {
  const ScratchFolder folder;
  const std::string wide =
      folder.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 2 1\n2 1 2\n2 3 3\n");
  const std::string order = folder.path("order.txt");
  const Outcome outcome = heddle_command({"reorder", wide, "--by", "length", "--permutation", order});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(content_of(order).find("1\n0\n"), std::string::npos) << content_of(order);
}

TEST(Reorder, refuses_rcm_of_a_matrix_that_is_not_square) {
  const Outcome outcome = heddle_command({"reorder", "gen:random,rows=4,cols=5,per_row=2"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
}

}  // namespace
}  // namespace heddle::test
