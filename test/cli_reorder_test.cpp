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

TEST(Reorder, takes_an_order_from_a_file_for_rows_and_columns_or_rows_alone) {
  const ScratchFolder folder;
  //  1 . .        order 2 0 1, P A P^T:   4 . 3        rows alone:   3 . 4
  //  . 2 .                                . 1 .                      1 . .
  //  3 . 4                                . . 2                      . 2 .
  const std::string matrix = folder.write("a.mtx",
                                          "%%MatrixMarket matrix coordinate real general\n3 3 4\n"
                                          "1 1 1\n2 2 2\n3 1 3\n3 3 4\n");
  const std::string order = folder.write("order.txt", "2\n0\n1\n"), out = folder.path("out.mtx");
  Outcome outcome = heddle_command({"reorder", matrix, "--order", order, "--out", out, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["rows_only"], false);
  EXPECT_NE(content_of(out).find("1 1 4\n1 2 3\n2 2 1\n3 3 2\n"), std::string::npos) << content_of(out);
  outcome = heddle_command({"reorder", matrix, "--order", order, "--rows", "--out", out, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["rows_only"], true);
  EXPECT_NE(content_of(out).find("1 1 3\n1 3 4\n2 1 1\n3 2 2\n"), std::string::npos) << content_of(out);
}

TEST(Reorder, gives_back_the_order_it_wrote) {
  const ScratchFolder folder;
  const std::string order = folder.path("order.txt"), once = folder.path("once.mtx"), again = folder.path("again.mtx");
  const std::string matrix = "gen:mesh,rows=300";
  ASSERT_EQ(heddle_command({"reorder", matrix, "--out", once, "--permutation", order}).exit_code, 0);
  ASSERT_EQ(heddle_command({"reorder", matrix, "--order", order, "--out", again}).exit_code, 0);
  EXPECT_EQ(content_of(once), content_of(again));
}

TEST(Reorder, refuses_a_file_that_is_no_order) {
  const ScratchFolder folder;
  const std::string matrix =
      folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n3 3 3\n");
  for (const char* numbers : {"2\n0\n0\n", "2\n0\n", "2\n0\n1.5\n", "3\n0\n1\n", "-1\n0\n1\n"}) {
    const Outcome outcome = heddle_command({"reorder", matrix, "--order", folder.write("order.txt", numbers)});
    EXPECT_EQ(outcome.exit_code, 3) << numbers << outcome.err;
    EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
  }
}

TEST(Reorder, refuses_rcm_of_a_matrix_that_is_not_square) {
  const Outcome outcome = heddle_command({"reorder", "gen:random,rows=4,cols=5,per_row=2"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
}

}  // namespace
}  // namespace heddle::test
