// heddle_solve and preconditioners through the C library.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "grid.hpp"

using namespace heddle_test;

namespace {

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

TEST(CSolve, gives_every_history_whole) {
  const Grid grid;
  std::vector<std::vector<double>> histories(2);
  std::vector<double> b(1800, 1), x(1800, 0);
  std::fill(b.begin() + 900, b.end(), 2);
  HEDDLE_INIT(heddle_solve_options, o);
  o.context = &histories;
  o.take_history = [](void* context, int64_t column, const double* residuals, int64_t count) {
    auto& all = *static_cast<std::vector<std::vector<double>>*>(context);
    all[static_cast<std::size_t>(column)].assign(residuals, residuals + count);
  };
  std::vector<heddle_report> reports(2);
  for (auto& report : reports) report.size = sizeof report;
  ASSERT_EQ(heddle_solve_many(grid.op, 2, b.data(), x.data(), &o, reports.data()), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(std::ssize(histories[0]), reports[0].history_length);
  EXPECT_GT(reports[0].history_length, 10);
  EXPECT_EQ(histories[0], histories[1]);
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

TEST(CSolve, several_right_hand_sides_have_a_history_each) {
  Grid grid;
  std::vector<double> b(1800, 1), x(1800, 0), history(20, -1);
  std::fill(b.begin() + 900, b.end(), 2);
  HEDDLE_INIT(heddle_solve_options, o);
  o.history = history.data(), o.history_capacity = 10;
  ASSERT_EQ(heddle_solve_many(grid.op, 2, b.data(), x.data(), &o, nullptr), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(history[0], 1);
  EXPECT_GT(history[9], 0);
  EXPECT_TRUE(std::equal(history.begin(), history.begin() + 10, history.begin() + 10));  // b times 2: the same bits
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

// A beam of hexahedra, clamped at x = 0, where there are no nodes; z runs fastest.
struct Beam {
  heddle_matrix* matrix = nullptr;
  heddle_operator* op = nullptr;
  std::vector<double> coordinates;

  Beam() {
    EXPECT_EQ(heddle_matrix_read("gen:elasticity,nx=30,ny=2,nz=2", HEDDLE_F64, nullptr, nullptr, &matrix), HEDDLE_OK);
    HEDDLE_INIT(heddle_options, o);
    o.plan = "csr";
    EXPECT_EQ(heddle_operator_create(matrix, &o, &op), HEDDLE_OK) << heddle_last_error();
    for (int x = 1; x <= 30; ++x)
      for (int y = 0; y <= 2; ++y)
        for (int z = 0; z <= 2; ++z) coordinates.insert(coordinates.end(), {double(x), double(y), double(z)});
  }
  Beam(const Beam&) = delete;
  ~Beam() {
    heddle_operator_destroy(op);
    heddle_matrix_destroy(matrix);
  }
  int64_t iterations(const heddle_preconditioner_options& settings) const {
    HEDDLE_INIT(heddle_solve_options, o);
    o.method = "cg", o.preconditioner = "amg", o.preconditioner_options = &settings;
    const std::vector<double> b(coordinates.size(), 1);
    std::vector<double> x(coordinates.size(), 0);
    HEDDLE_INIT(heddle_report, report);
    EXPECT_EQ(heddle_solve(op, b.data(), x.data(), &o, &report), HEDDLE_OK) << heddle_last_error();
    EXPECT_EQ(report.verdict, HEDDLE_CONVERGED) << report.reason;
    return report.iterations;
  }
};

TEST(CSolve, amg_takes_the_motions_of_a_rigid_body) {
  const Beam beam;
  const auto unknowns = static_cast<int64_t>(beam.coordinates.size());
  std::vector<double> modes(static_cast<std::size_t>(6 * unknowns));
  ASSERT_EQ(heddle_rigid_body_modes(beam.coordinates.data(), unknowns / 3, 3, modes.data()), HEDDLE_OK);
  HEDDLE_INIT(heddle_preconditioner_options, settings);
  settings.block = 3, settings.coarsest = 60;
  const int64_t before = beam.iterations(settings);
  settings.near_nullspace = modes.data(), settings.near_nullspace_count = 6;
  EXPECT_LT(2 * beam.iterations(settings), before);
  settings.size = offsetof(heddle_preconditioner_options, double_cycle);  // a program that was compiled before
  EXPECT_EQ(beam.iterations(settings), before);
}

TEST(CSolve, refuses_vectors_of_the_near_nullspace_that_are_none) {
  const Grid grid;
  heddle_preconditioner* amg = nullptr;
  HEDDLE_INIT(heddle_preconditioner_options, settings);
  settings.near_nullspace_count = 1;
  EXPECT_EQ(heddle_preconditioner_create(grid.op, nullptr, "amg", &settings, &amg), HEDDLE_USAGE);
  settings.near_nullspace_count = -1, settings.near_nullspace = grid.b.data();
  EXPECT_EQ(heddle_preconditioner_create(grid.op, nullptr, "amg", &settings, &amg), HEDDLE_USAGE);
  double modes[6];
  EXPECT_EQ(heddle_rigid_body_modes(grid.b.data(), 1, 4, modes), HEDDLE_USAGE);
  EXPECT_EQ(heddle_rigid_body_modes(nullptr, 1, 3, modes), HEDDLE_USAGE);
  EXPECT_EQ(amg, nullptr);
}

// The five-point Laplacian of a 20 x 20 grid as COO, the last entry first, its diagonal in two halves.
struct Backwards {
  std::vector<int32_t> row, col;
  std::vector<double> val;
  heddle_operator* op = nullptr;

  Backwards() {
    for (int32_t i = 399; i >= 0; --i) {
      add(i, i, 2), add(i, i, 2);
      if (i % 20 != 0) add(i, i - 1, -1);
      if (i % 20 != 19) add(i, i + 1, -1);
      if (i >= 20) add(i, i - 20, -1);
      if (i < 380) add(i, i + 20, -1);
    }
    op = stored(val);
  }
  Backwards(const Backwards&) = delete;
  ~Backwards() { heddle_operator_destroy(op); }
  void add(int32_t i, int32_t j, double v) { row.push_back(i), col.push_back(j), val.push_back(v); }
  heddle_operator* stored(const std::vector<double>& values) const {
    HEDDLE_INIT(heddle_arrays, a);
    a.rows = a.cols = 400, a.nnz = static_cast<int64_t>(values.size()), a.layout = HEDDLE_COO;
    a.index_type = HEDDLE_I32, a.row_indices = row.data(), a.indices = col.data(), a.values = values.data();
    heddle_matrix* matrix = nullptr;
    heddle_operator* made = nullptr;
    EXPECT_EQ(heddle_matrix_create(&a, &matrix), HEDDLE_OK) << heddle_last_error();
    HEDDLE_INIT(heddle_options, o);
    o.plan = "csr";
    EXPECT_EQ(heddle_operator_create(matrix, &o, &made), HEDDLE_OK) << heddle_last_error();
    heddle_matrix_destroy(matrix);
    return made;
  }
  static std::vector<double> applied(const heddle_preconditioner* M) {
    std::vector<double> r(400, 0), z(400, -1);
    r[123] = 1;
    EXPECT_EQ(heddle_preconditioner_apply(M, r.data(), z.data(), nullptr), HEDDLE_OK) << heddle_last_error();
    return z;
  }
};

TEST(CSolve, a_preconditioner_takes_new_values_in_the_order_of_the_caller) {
  Backwards matrix;
  HEDDLE_INIT(heddle_preconditioner_options, settings);
  settings.coarsest = 40, settings.updates = 1;
  heddle_preconditioner *kept = nullptr, *fresh = nullptr;
  ASSERT_EQ(heddle_preconditioner_create(matrix.op, nullptr, "amg", &settings, &kept), HEDDLE_OK);
  const auto before = Backwards::applied(kept);
  std::vector<double> val = matrix.val;
  for (std::size_t k = 0; k < val.size(); ++k) val[k] *= matrix.row[k] == matrix.col[k] ? 3.001 : 3;
  int64_t changed = -1;
  ASSERT_EQ(heddle_operator_update(matrix.op, val.data(), nullptr), HEDDLE_OK) << heddle_last_error();
  ASSERT_EQ(heddle_preconditioner_update(kept, val.data(), nullptr, nullptr, &changed), HEDDLE_OK)
      << heddle_last_error();
  EXPECT_EQ(changed, 0);
  heddle_operator* other = matrix.stored(val);
  ASSERT_EQ(heddle_preconditioner_create(other, nullptr, "amg", &settings, &fresh), HEDDLE_OK);
  EXPECT_NE(Backwards::applied(kept), before);
  EXPECT_EQ(Backwards::applied(kept), Backwards::applied(fresh));
  heddle_preconditioner_destroy(fresh);
  heddle_preconditioner_destroy(kept);
  heddle_operator_destroy(other);
}

TEST(CSolve, a_preconditioner_that_cannot_be_updated_says_so) {
  const Grid grid;
  heddle_preconditioner* jacobi = nullptr;
  ASSERT_EQ(heddle_preconditioner_create(grid.op, nullptr, "jacobi", nullptr, &jacobi), HEDDLE_OK);
  const std::vector<double> values(4380, 1);
  EXPECT_EQ(heddle_preconditioner_update(jacobi, values.data(), nullptr, nullptr, nullptr), HEDDLE_UNAVAILABLE);
  EXPECT_EQ(heddle_preconditioner_update(jacobi, nullptr, nullptr, nullptr, nullptr), HEDDLE_USAGE);
  EXPECT_EQ(heddle_preconditioner_update(nullptr, values.data(), nullptr, nullptr, nullptr), HEDDLE_USAGE);
  heddle_preconditioner_destroy(jacobi);
}

TEST(CSolve, a_report_says_why_auto_took_a_preconditioner) {
  Grid grid;
  HEDDLE_INIT(heddle_solve_options, o);
  o.preconditioner = "auto";
  HEDDLE_INIT(heddle_report, report);
  ASSERT_EQ(heddle_solve(grid.op, grid.b.data(), grid.x.data(), &o, &report), HEDDLE_OK) << heddle_last_error();
  EXPECT_EQ(report.minres_from, -1);
  EXPECT_GT(std::string(report.preconditioner_reason).size(), 10);
}

TEST(CSolve, a_preconditioner_tells_its_name_and_grids) {
  const Grid grid;
  HEDDLE_INIT(heddle_preconditioner_options, settings);
  settings.coarsest = 50;
  heddle_preconditioner* amg = nullptr;
  ASSERT_EQ(heddle_preconditioner_create(grid.op, grid.matrix, "amg", &settings, &amg), HEDDLE_OK);
  std::vector<char> text(4096);
  ASSERT_EQ(heddle_preconditioner_json(amg, text.data(), 4096, nullptr), HEDDLE_OK);
  for (const char* part : {"\"name\":\"amg", "\"grids\":[{", "\"rows\":900", "\"nnz\":4380", "\"interpolated\":0"})
    EXPECT_NE(std::string(text.data()).find(part), std::string::npos) << part << " in " << text.data();
  heddle_preconditioner_destroy(amg);
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
