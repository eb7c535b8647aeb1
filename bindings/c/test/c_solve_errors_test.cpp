// What heddle_solve* refuses, and leaves as it was.
#include <string>

#include "grid.hpp"

using namespace heddle_test;

namespace {

TEST(CSolveErrors, a_report_without_its_size_is_found_before_x_changes) {
  Grid grid;
  std::vector<double> history(4, -1);
  HEDDLE_INIT(heddle_solve_options, o);
  o.method = "cg", o.history = history.data(), o.history_capacity = 2;
  heddle_report report{};
  EXPECT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_USAGE);
  EXPECT_NE(std::string(heddle_last_hint()).find("HEDDLE_INIT"), std::string::npos);
  int rows = 900;
  HEDDLE_INIT(heddle_matrix_free, A);
  A.rows = rows, A.multiply = halve, A.context = &rows;
  EXPECT_EQ(heddle_solve_matrix_free(&A, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_USAGE);
  EXPECT_EQ(grid.x, std::vector<double>(900, 0));
  const std::vector<double> b(1800, 1);
  std::vector<double> x(1800, 0);
  heddle_report reports[2] = {};
  EXPECT_EQ(heddle_solve_many(grid.op, 2, b.data(), x.data(), &o, reports), HEDDLE_USAGE);
  reports[0].size = sizeof(heddle_report);
  EXPECT_EQ(heddle_solve_many(grid.op, 2, b.data(), x.data(), &o, reports), HEDDLE_USAGE);
  EXPECT_NE(std::string(heddle_last_error()).find("reports[1]"), std::string::npos) << heddle_last_error();
  EXPECT_EQ(x, std::vector<double>(1800, 0));
  EXPECT_EQ(history, std::vector<double>(4, -1));
}

TEST(CSolveErrors, vectors_that_are_null_are_errors) {
  Grid grid;
  const std::vector<double> b(1800, 1);
  double* const none = nullptr;
  EXPECT_EQ(heddle_solve(grid.op, none, grid.x.data(), nullptr, nullptr), HEDDLE_USAGE);
  EXPECT_STREQ(heddle_last_error(), "b: NULL");
  EXPECT_EQ(heddle_solve(grid.op, grid.b.data(), none, nullptr, nullptr), HEDDLE_USAGE);
  EXPECT_EQ(heddle_solve_many(grid.op, 2, b.data(), none, nullptr, nullptr), HEDDLE_USAGE);
  int rows = 900;
  HEDDLE_INIT(heddle_matrix_free, A);
  A.rows = rows, A.multiply = halve, A.context = &rows;
  EXPECT_EQ(heddle_solve_matrix_free(&A, none, grid.x.data(), nullptr, nullptr), HEDDLE_USAGE);
  heddle_preconditioner* jacobi = nullptr;
  ASSERT_EQ(heddle_preconditioner_create(grid.op, nullptr, "jacobi", nullptr, &jacobi), HEDDLE_OK);
  EXPECT_EQ(heddle_preconditioner_apply(jacobi, none, grid.x.data(), nullptr), HEDDLE_USAGE);
  EXPECT_EQ(heddle_preconditioner_apply(jacobi, grid.b.data(), none, nullptr), HEDDLE_USAGE);
  heddle_preconditioner_destroy(jacobi);
  EXPECT_EQ(grid.x, std::vector<double>(900, 0));
}

}  // namespace
