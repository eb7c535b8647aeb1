// heddle_solve and preconditioners through the C library.
#include <gtest/gtest.h>
#include <heddle.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

struct Grid {
  heddle_matrix* matrix = nullptr;
  heddle_operator* op = nullptr;
  std::vector<double> b, x;

  Grid() {
    EXPECT_EQ(heddle_matrix_read("gen:stencil2d5,nx=30,ny=30", HEDDLE_F64, nullptr, nullptr, &matrix), HEDDLE_OK);
    HEDDLE_INIT(heddle_options, o);
    o.plan = "csr";
    EXPECT_EQ(heddle_operator_create(matrix, &o, &op), HEDDLE_OK) << heddle_last_error();
    b.assign(900, 1);
    x.assign(900, 0);
  }
  Grid(const Grid&) = delete;
  ~Grid() {
    heddle_operator_destroy(op);
    heddle_matrix_destroy(matrix);
  }
  double residual() const {
    std::vector<double> r = b;
    EXPECT_EQ(heddle_multiply_add(op, 0, -1, x.data(), 1, r.data(), nullptr), HEDDLE_OK);
    double sum = 0;
    for (const double v : r) sum += v * v;
    return std::sqrt(sum) / 30;
  }
};

TEST(CSolve, solves_with_every_preconditioner_and_its_options) {
  for (const char* name : {"none", "jacobi", "block_jacobi", "chebyshev", "fsai", "amg"}) {
    Grid grid;
    HEDDLE_INIT(heddle_preconditioner_options, settings);
    settings.degree = 3, settings.smoothing = 1, settings.coarsest = 50;
    HEDDLE_INIT(heddle_solve_options, o);
    o.method = "cg", o.preconditioner = name, o.preconditioner_options = &settings, o.tolerance = 1e-9;
    o.matrix = grid.matrix;
    HEDDLE_INIT(heddle_report, report);
    ASSERT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_OK) << heddle_last_error();
    EXPECT_EQ(report.verdict, HEDDLE_CONVERGED) << name << ": " << report.reason;
    EXPECT_LT(grid.residual(), 2e-9) << name;
    EXPECT_STREQ(report.method, "cg");
  }
}

TEST(CSolve, the_degree_of_a_named_preconditioner_is_heard) {
  const auto iterations = [](int degree) {
    Grid grid;
    HEDDLE_INIT(heddle_preconditioner_options, settings);
    settings.degree = degree;
    HEDDLE_INIT(heddle_solve_options, o);
    o.method = "cg", o.preconditioner = "chebyshev", o.preconditioner_options = &settings;
    HEDDLE_INIT(heddle_report, report);
    EXPECT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_OK) << heddle_last_error();
    return report.iterations;
  };
  EXPECT_LT(iterations(8), iterations(2));
}

TEST(CSolve, gives_the_history_as_far_as_there_is_room) {
  Grid grid;
  std::vector<double> history(5, -1);
  HEDDLE_INIT(heddle_solve_options, o);
  o.method = "cg", o.history = history.data(), o.history_capacity = 4;
  HEDDLE_INIT(heddle_report, report);
  ASSERT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_OK);
  EXPECT_GT(report.history_length, 4);
  EXPECT_EQ(history[0], 1);
  EXPECT_GT(history[3], 0);
  EXPECT_EQ(history[4], -1);
}

struct Calls {
  int count = 0, stop_at = -1;
  std::vector<double> iterate;
};

int32_t count_calls(void* context, int64_t, double, double, const void* x) {
  auto& calls = *static_cast<Calls*>(context);
  ++calls.count;
  if (x) calls.iterate.assign(static_cast<const double*>(x), static_cast<const double*>(x) + 900);
  return calls.count == calls.stop_at;
}

TEST(CSolve, a_stop_is_a_verdict_and_leaves_the_last_iterate) {
  Grid grid;
  Calls calls;
  calls.stop_at = 4;
  HEDDLE_INIT(heddle_solve_options, o);
  o.method = "cg", o.progress = count_calls, o.context = &calls, o.want_iterate = 1;
  HEDDLE_INIT(heddle_report, report);
  ASSERT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(report.verdict, HEDDLE_STOPPED_BY_CALLER);
  EXPECT_EQ(calls.count, 4);
  EXPECT_GT(report.history_length, 1);
  EXPECT_EQ(grid.x, calls.iterate);
}

TEST(CSolve, a_solve_that_does_not_converge_is_not_an_error) {
  Grid grid;
  HEDDLE_INIT(heddle_solve_options, o);
  o.method = "cg", o.max_iterations = 3;
  HEDDLE_INIT(heddle_report, report);
  EXPECT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_OK);
  EXPECT_EQ(report.verdict, HEDDLE_MAX_ITERATIONS);
  EXPECT_EQ(report.iterations, 3);
  o.method = "no method";
  EXPECT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_USAGE);
}

struct Watch {
  std::int64_t stop_at = 0, seen = 0;
  bool with_x = false;
};
int32_t watch(void* context, std::int64_t iteration, double, double, const void* x) {
  auto& mine = *static_cast<Watch*>(context);
  mine.seen = iteration;
  mine.with_x = x && static_cast<const double*>(x)[450] != 0;
  return iteration == mine.stop_at;
}

TEST(CSolve, progress_that_is_not_zero_stops_with_the_iterate_there_is) {
  for (const int want : {0, 1}) {
    Grid grid;
    Watch mine{.stop_at = 5};
    HEDDLE_INIT(heddle_solve_options, o);
    o.method = "gmres", o.progress = watch, o.context = &mine, o.want_iterate = want;
    HEDDLE_INIT(heddle_report, report);
    ASSERT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_OK) << heddle_last_error();
    EXPECT_EQ(report.verdict, HEDDLE_STOPPED_BY_CALLER) << report.reason;
    EXPECT_EQ(report.iterations, 5);
    EXPECT_EQ(report.history_length, 6);
    EXPECT_EQ(mine.seen, 5);
    EXPECT_EQ(mine.with_x, want == 1);
    EXPECT_NEAR(grid.residual(), report.true_residual, 1e-12);
  }
}

TEST(CSolve, keep_going_that_is_not_zero_stops_before_the_set_up) {
  Grid grid;
  HEDDLE_INIT(heddle_solve_options, o);
  o.preconditioner = "amg";
  o.keep_going = [](void*, double, const char*) { return 1; };
  HEDDLE_INIT(heddle_report, report);
  ASSERT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_OK);
  EXPECT_EQ(report.verdict, HEDDLE_STOPPED_BY_CALLER);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(grid.x, std::vector<double>(900, 0));
}

TEST(CSolve, several_right_hand_sides_have_a_report_each) {
  Grid grid;
  std::vector<double> b(1800, 1), x(1800, 0);
  std::fill(b.begin() + 900, b.end(), 0);
  heddle_report reports[2];
  for (auto& report : reports) report.size = sizeof report;
  ASSERT_EQ(heddle_solve_many(grid.op, 2, b.data(), x.data(), nullptr, reports), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(reports[0].verdict, HEDDLE_CONVERGED);
  EXPECT_GT(reports[0].iterations, 5);
  EXPECT_EQ(reports[1].verdict, HEDDLE_CONVERGED);
  EXPECT_EQ(reports[1].iterations, 0);
}

struct Diagonal {
  int applied = 0, released = 0;
  bool fails = false;
};

int32_t divide(void* context, const void* r, void* z, heddle_stream) {
  auto& mine = *static_cast<Diagonal*>(context);
  ++mine.applied;
  std::transform(static_cast<const double*>(r), static_cast<const double*>(r) + 900, static_cast<double*>(z),
                 [](double value) { return value / 4; });
  return mine.fails;
}

TEST(CSolve, takes_a_preconditioner_of_the_caller) {
  Diagonal diagonal;
  {
    Grid grid;
    heddle_preconditioner* own = nullptr;
    ASSERT_EQ(heddle_preconditioner_create_own(
                  HEDDLE_F64, 900, divide, 1, 0, [](void* context) { ++static_cast<Diagonal*>(context)->released; },
                  &diagonal, &own),
              HEDDLE_OK);
    HEDDLE_INIT(heddle_solve_options, o);
    o.method = "cg", o.own = own;
    HEDDLE_INIT(heddle_report, report);
    ASSERT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_OK) << heddle_last_error();
    EXPECT_EQ(report.verdict, HEDDLE_CONVERGED);
    EXPECT_GT(diagonal.applied, 5);
    diagonal.fails = true;
    std::fill(grid.x.begin(), grid.x.end(), 0);
    EXPECT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_STOPPED);
    EXPECT_EQ(diagonal.released, 0);
    heddle_preconditioner_destroy(own);
  }
  EXPECT_EQ(diagonal.released, 1);
}

int32_t halve(void* context, const void* r, void* z, heddle_stream) {
  const auto rows = *static_cast<int*>(context);
  std::transform(static_cast<const double*>(r), static_cast<const double*>(r) + rows, static_cast<double*>(z),
                 [](double value) { return value / 2; });
  return 0;
}

TEST(CSolve, solves_with_a_matrix_that_is_a_function) {
  int rows = 5;
  HEDDLE_INIT(heddle_matrix_free, A);
  A.rows = rows, A.multiply = halve, A.context = &rows, A.symmetric = A.positive_definite = 1;
  const std::vector<double> b(5, 3);
  std::vector<double> x(5, 0);
  HEDDLE_INIT(heddle_report, report);
  ASSERT_EQ(heddle_solve_matrix_free(&A, b.data(), x.data(), nullptr, &report), HEDDLE_OK) << heddle_last_error();
  EXPECT_STREQ(report.method, "cg");
  EXPECT_EQ(x, std::vector<double>(5, 6));
  A.multiply = [](void*, const void*, void*, heddle_stream) -> int32_t { return 1; };
  x.assign(5, 0);
  EXPECT_NE(heddle_solve_matrix_free(&A, b.data(), x.data(), nullptr, &report), HEDDLE_OK);
  EXPECT_EQ(x, std::vector<double>(5, 0));
}

TEST(CSolve, a_preconditioner_can_be_kept_and_applied) {
  Grid grid;
  heddle_preconditioner* jacobi = nullptr;
  ASSERT_EQ(heddle_preconditioner_create(grid.op, nullptr, "jacobi", nullptr, &jacobi), HEDDLE_OK);
  ASSERT_EQ(heddle_preconditioner_apply(jacobi, grid.b.data(), grid.x.data(), nullptr), HEDDLE_OK);
  EXPECT_EQ(grid.x, std::vector<double>(900, 0.25));
  heddle_preconditioner_destroy(jacobi);
}

}  // namespace
