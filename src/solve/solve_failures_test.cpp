// What cannot be solved gets its verdict, and never "converged".
#include <heddle/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "support/dense_matrix.hpp"
#include "support/guarded_memory.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
using Numbers = std::vector<double>;
constexpr const char* methods[] = {"cg", "minres", "bicgstab", "gmres"};

Csr<double> diagonal(const Numbers& values) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0) entries.push_back({static_cast<Index>(i), static_cast<Index>(i), values[i]});
  const auto n = static_cast<std::int64_t>(values.size());
  return from_entries(n, n, entries);
}

double true_residual(const Csr<double>& A, const Numbers& b, const Numbers& x) {
  Numbers r = b;
  build(A).multiply(-1, x, 1, r);
  double rr = 0, bb = 0;
  for (std::size_t i = 0; i < b.size(); ++i) rr += r[i] * r[i], bb += b[i] * b[i];
  return std::sqrt(rr / bb);
}

struct Outcome {
  Report report;
  Numbers x;
};

// Every outcome keeps the law: converged means that the residual is small, and x is never NaN.
Outcome outcome(const Csr<double>& A, const Numbers& b, const SolveOptions<double>& options) {
  Outcome made{{}, Numbers(b.size(), 0.0)};
  made.report = solve(build(A), b, made.x, options);
  if (made.report.converged() && made.report.rhs_norm > 0) {
    EXPECT_LE(true_residual(A, b, made.x), std::max(options.tolerance, 1e-15) * (1 + 1e-6));
  }
  for (const double v : made.x) EXPECT_FALSE(std::isnan(v)) << options.method;
  return made;
}
Status verdict(const Csr<double>& A, const Numbers& b, const std::string& method) {
  return outcome(A, b, {.method = method}).report.status;
}

TEST(SolveFailures, a_right_hand_side_of_zeros_gives_zeros_at_once) {
  const Csr<double> A = generate<double>("stencil2d5,n=5");
  for (const char* method : methods) {
    Numbers x(25, 3.0);
    const Report report = solve(build(A), Numbers(25, 0.0), x, {.method = method});
    EXPECT_EQ(report.status, Status::converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.true_residual, 0);
    EXPECT_EQ(x, Numbers(25, 0.0)) << "the guess was not zero";
  }
}

TEST(SolveFailures, the_smallest_systems) {
  for (const char* method : methods) {
    EXPECT_EQ(verdict(from_entries(0, 0, {}), {}, method), Status::converged) << method;
    const Outcome one = outcome(diagonal({4}), {8}, {.method = method});
    EXPECT_EQ(one.report.status, Status::converged) << method;
    EXPECT_EQ(one.report.iterations, 1) << method;
    EXPECT_EQ(one.x, Numbers{2});
    EXPECT_EQ(outcome(diagonal({1, 1, 1, 1}), {1, 2, 3, 4}, {.method = method}).report.iterations, 1) << method;
  }
}

TEST(SolveFailures, conjugate_gradients_notice_an_indefinite_matrix) {
  EXPECT_EQ(verdict(dense(2, {0, 1, 1, 0}), {1, 0}, "cg"), Status::indefinite);
  EXPECT_EQ(verdict(diagonal({1, -1}), {1, 1}, "cg"), Status::indefinite);
  EXPECT_EQ(verdict(diagonal({5, 4, 3, 2, 1, -1}), Numbers(6, 1.0), "cg"), Status::indefinite);
  EXPECT_EQ(verdict(diagonal({-1, -2, -3}), Numbers(3, 1.0), "cg"), Status::indefinite);
  EXPECT_EQ(verdict(diagonal({1, -1}), {1, 1}, "minres"), Status::converged);
}

TEST(SolveFailures, a_matrix_of_zeros_and_a_singular_one_are_no_success) {
  for (const char* method : methods) {
    const Status zeros = verdict(from_entries(3, 3, {}), {1, 2, 3}, method);
    EXPECT_TRUE(zeros == Status::breakdown || zeros == Status::stagnated) << method << " " << name_of(zeros);
    const Status inconsistent = verdict(diagonal({1, 2, 0}), {1, 1, 1}, method);
    EXPECT_TRUE(inconsistent == Status::breakdown || inconsistent == Status::stagnated)
        << method << " " << name_of(inconsistent);
    EXPECT_EQ(verdict(diagonal({1, 2, 0}), {1, 1, 0}, method), Status::converged) << method << ": b is in its range";
  }
}

TEST(SolveFailures, breakdowns_of_bicgstab_are_named) {
  // Skew-symmetric: t's = 0 in the first iteration. Cyclic shift: r0'A r0 = 0.
  EXPECT_EQ(verdict(dense(2, {0, 1, -1, 0}), {1, 0}, "bicgstab"), Status::breakdown);
  EXPECT_EQ(verdict(dense(3, {0, 0, 1, 1, 0, 0, 0, 1, 0}), {1, 0, 0}, "bicgstab"), Status::breakdown);
}

TEST(SolveFailures, gmres_that_cannot_improve_within_its_restart_says_so) {
  const Index n = 12;
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) entries.push_back({static_cast<Index>((i + 1) % n), i, 1.0});
  const Csr<double> shift = from_entries(n, n, entries);
  Numbers b(12, 0.0);
  b[0] = 1;
  EXPECT_EQ(outcome(shift, b, {.method = "gmres", .restart = 5}).report.status, Status::stagnated);
  const Outcome whole = outcome(shift, b, {.method = "gmres", .restart = 12});
  EXPECT_EQ(whole.report.status, Status::converged);
  EXPECT_EQ(whole.report.iterations, 12);
}

TEST(SolveFailures, inf_and_nan_are_seen_before_the_first_iteration_and_leave_x_alone) {
  const Csr<double> A = generate<double>("stencil2d5,n=3");
  Csr<double> bad_A = A;
  bad_A.val[5] = nan;
  const Numbers b(9, 1.0);
  for (const double bad : {nan, infinity, -infinity}) {
    Numbers bad_b = b;
    bad_b[4] = bad;
    for (const char* method : methods) {
      Numbers x(9, 0.5);
      const Report of_bad_b = solve(build(A), bad_b, x, {.method = method});
      EXPECT_EQ(of_bad_b.status, Status::not_finite);
      EXPECT_TRUE(std::isnan(of_bad_b.true_residual)) << "no residual is known";
      EXPECT_EQ(solve(build(bad_A), b, x, {.method = method}).status, Status::not_finite);
      EXPECT_EQ(x, Numbers(9, 0.5)) << method;
      x[2] = bad;
      EXPECT_EQ(solve(build(A), b, x, {.method = method}).status, Status::not_finite);
      EXPECT_EQ(x[0], 0.5);
    }
  }
}

// ---------------------------------------------------------------------------------- verdicts on the x that is returned

Report solved_diagonal(double entry, double b, const std::string& method, double tolerance, Numbers& x) {
  x.assign(2, 0.0);
  return solve(build(diagonal({entry, entry})), Numbers(2, b), x, {.method = method, .tolerance = tolerance});
}

TEST(SolveFailures, words_for_a_solve_that_never_began_name_no_method) {
  const auto op = build(generate<double>("stencil2d5,n=4"));
  const std::vector<double> b(16, NAN);
  std::vector<double> x(16, 0);
  EXPECT_TRUE(to_string(solve(op, b, x)).starts_with("not_finite after no iteration, preconditioner none"));
  const std::vector<double> ones(16, 1);
  EXPECT_TRUE(
      to_string(solve(op, ones, x, {.max_iterations = 1})).starts_with("max_iterations after 1 iteration of cg,"));
}

TEST(SolveFailures, a_solution_beyond_the_largest_number_is_not_finite) {
  for (const char* method : methods) {
    Numbers x;
    const Report report = solved_diagonal(1e-20, 1e300, method, 1e-8, x);
    EXPECT_EQ(report.status, Status::not_finite) << method << ": " << report.reason;
    EXPECT_EQ(x, Numbers(2, infinity));
  }
}

TEST(SolveFailures, systems_of_any_size_are_solved) {
  const Csr<double> grid = generate<double>("stencil2d5,n=6");
  for (const double size_of_A : {1e-90, 1e-40, 1e-20, 1.0, 1e20, 1e90})
    for (const double size_of_b : {1e-200, 1e-20, 1.0, 1e20, 1e200})
      for (const char* method : methods)
        for (const char* preconditioner : {"none", "jacobi", "block_jacobi"}) {
          Csr<double> A = grid;
          for (double& v : A.val) v *= size_of_A;
          Numbers x(36, 0.0);
          const Report report =
              solve(build(A), Numbers(36, size_of_b), x, {.method = method, .preconditioner = preconditioner});
          EXPECT_TRUE(report.converged())
              << method << " " << preconditioner << " " << size_of_A << " " << size_of_b << ": " << report.reason;
        }
}

TEST(SolveFailures, a_solution_that_is_lost_to_small_numbers_is_judged_by_what_is_left_of_it) {
  for (const char* method : methods) {
    Numbers x;
    const Report all = solved_diagonal(1e30, 1e-300, method, 1e-8, x);
    EXPECT_EQ(all.status, Status::stagnated) << method << ": " << all.reason;
    EXPECT_EQ(x, Numbers(2, 0.0));
    EXPECT_EQ(all.true_residual, 1) << method;
    const Report digits = solved_diagonal(1e20, 1e-300, method, 1e-8, x);
    EXPECT_EQ(digits.status, Status::stagnated) << method << ": " << digits.reason;
    EXPECT_NEAR(digits.true_residual, std::abs(1 - x[0] * 1e20 / 1e-300), 1e-12) << method;
    EXPECT_GT(digits.true_residual, 1e-8);
    const Report enough = solved_diagonal(1e20, 1e-300, method, 1e-3, x);
    EXPECT_TRUE(enough.converged()) << method << ": " << enough.reason;
    EXPECT_EQ(enough.true_residual, digits.true_residual);
  }
}

TEST(SolveFailures, very_small_floats_are_judged_without_the_bits_that_products_of_them_lose) {
  const Csr<float> A = convert<float>(diagonal({0.3f}).view());
  const float b = 1e-44f;  // seven times the least number there is: x is rounded to 23 of them
  for (const char* method : methods) {
    std::vector<float> x(1, 0.0f);
    const Report report = solve(build(A), std::vector<float>{b}, x, {.method = method});
    EXPECT_FALSE(report.converged()) << method;
    EXPECT_NEAR(report.true_residual, std::abs(1 - 0.3f * static_cast<double>(x[0]) / b), 1e-6) << method;
  }
}

TEST(SolveFailures, right_hand_sides_at_both_ends_of_the_numbers_are_finite) {
  for (const char* method : methods) {
    for (const double size : {1e-307, 1e-308, 5e-309, 1e-320, 1.7e308}) {
      Numbers x;
      const Report report = solved_diagonal(1, size, method, 1e-8, x);
      EXPECT_TRUE(report.converged()) << method << " " << size << ": " << report.reason;
      EXPECT_DOUBLE_EQ(x[0], size);
    }
    for (const float size : {1e-37f, 1e-40f, 1e-45f, 3e38f}) {
      std::vector<float> x(1, 0.0f);
      const Csr<float> one = convert<float>(diagonal({1}).view());
      EXPECT_TRUE(solve(build(one), std::vector<float>{size}, x, {.method = method}).converged()) << method << size;
      EXPECT_EQ(x[0], size);
    }
  }
}

TEST(SolveFailures, zeros_on_the_right_do_not_hide_what_is_not_finite) {
  for (const double bad : {nan, infinity}) {
    for (const char* method : methods) {
      Numbers x(2, 0.5);
      const Csr<double> A = from_entries(2, 2, {{0, 0, 1}, {1, 1, bad}});
      EXPECT_EQ(solve(build(A), Numbers(2, 0.0), x, {.method = method}).status, Status::not_finite) << method;
      EXPECT_EQ(x, Numbers(2, 0.5));
      x[1] = bad;
      EXPECT_EQ(solve(build(diagonal({1, 1})), Numbers(2, 0.0), x, {.method = method}).status, Status::not_finite);
    }
  }
}

TEST(SolveFailures, a_first_guess_that_no_column_reads_is_looked_at) {
  const Csr<double> A = from_entries(2, 2, {{1, 1, 2}});
  for (const double bad : {nan, infinity})
    for (const double b : {0.0, 1.0, 1e300})
      for (const char* method : methods) {
        Numbers x{bad, 0};
        EXPECT_EQ(solve(build(A), Numbers{0, b}, x, {.method = method}).status, Status::not_finite) << method << b;
        EXPECT_EQ(x[1], 0);
      }
  Numbers large{1e200, 0};
  EXPECT_TRUE(solve(build(A), Numbers{0, 1}, large).converged()) << "its square overflows, it does not";
}

TEST(SolveFailures, an_exception_leaves_x_alone) {
  const Csr<double> A = generate<double>("stencil2d5,n=9");
  const auto at_five = [](const SolveProgress& now) {
    if (now.iteration == 5) throw std::string("enough");
  };
  for (const double size : {1.0, 1e300})
    for (const char* method : methods) {
      Numbers x(81, 0.25);
      EXPECT_THROW(solve(build(A), Numbers(81, size), x, {.method = method, .progress = at_five}), std::string);
      EXPECT_EQ(x, Numbers(81, 0.25)) << method;
    }
}

TEST(SolveFailures, numbers_that_overflow_on_the_way_are_no_success) {
  const Csr<double> A = diagonal({1e300, 1e-300, 1});
  for (const char* method : methods) EXPECT_NE(verdict(A, {1, 1, 1}, method), Status::max_iterations) << method;
}

TEST(SolveFailures, a_hilbert_matrix_converges_only_as_far_as_the_recomputed_residual_confirms) {
  constexpr int n = 12;
  Numbers values, b(n, 0.0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) values.push_back(1.0 / (i + j + 1)), b[static_cast<std::size_t>(i)] += values.back();
  const Csr<double> hilbert = dense(n, values);
  for (const char* method : methods)
    for (const double tolerance : {1e-6, 1e-12, 1e-15, 1e-17, 1e-30, 0.0}) {
      const Report report = outcome(hilbert, b, {.method = method, .tolerance = tolerance}).report;
      EXPECT_TRUE(report.status != Status::converged || report.true_residual <= tolerance) << method << tolerance;
    }
}

TEST(SolveFailures, a_tolerance_below_what_rounding_allows_ends_as_stagnated) {
  const Csr<double> A = generate<double>("stencil2d5,n=20,coefficients=varying");
  Numbers b(400);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i));
  for (const char* method : {"cg", "minres", "gmres"}) {
    const Report report = outcome(A, b, {.method = method, .tolerance = 1e-30}).report;
    EXPECT_EQ(report.status, Status::stagnated) << method << ": " << report.reason;
    EXPECT_LT(report.true_residual, 1e-13);
  }
}

TEST(SolveFailures, the_limit_of_iterations_is_exact) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  const Numbers b(400, 1.0);
  for (const char* method : methods)
    for (const std::int64_t limit : {0, 1, 2, 7}) {
      const Report report = outcome(A, b, {.method = method, .max_iterations = limit, .check_every = 5}).report;
      EXPECT_EQ(report.status, Status::max_iterations) << method;
      EXPECT_EQ(report.iterations, limit) << method;
    }
}

TEST(SolveFailures, an_unsymmetric_matrix_for_cg_is_no_false_success) {
  const Status status = verdict(dense(3, {2, 5, 0, -5, 2, 1, 0, 3, 1}), {1, 2, 3}, "cg");
  EXPECT_NE(status, Status::converged);
}

template <class F>
ErrorKind kind_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
    return error.kind();
  }
  ADD_FAILURE() << "no error";
  return ErrorKind::internal;
}

TEST(SolveFailures, wrong_shapes_and_words_are_errors_before_the_first_iteration) {
  const auto op = build(generate<double>("stencil2d5,n=3"));
  const auto wide = build(from_entries(2, 3, {{0, 0, 1}}));
  Numbers nine(9, 1.0), x(9, 0.0), two(2, 1.0), three(3, 0.0);
  EXPECT_EQ(kind_of([&] { solve(wide, two, three); }), ErrorKind::input);
  EXPECT_EQ(kind_of([&] { solve(op, two, x); }), ErrorKind::input);
  EXPECT_EQ(kind_of([&] { solve(op, nine, three); }), ErrorKind::input);
  EXPECT_EQ(kind_of([&] { solve(op, nine, nine); }), ErrorKind::input);
  EXPECT_EQ(kind_of([&] { solve(op, nine, x, {.method = "sor"}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { solve(op, nine, x, {.method = "cg", .preconditioner = "ilu"}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { solve(op, nine, x, {.tolerance = -1}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { solve(op, nine, x, {.tolerance = nan}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { solve(op, nine, x, {.method = "gmres", .restart = 0}); }), ErrorKind::usage);
  EXPECT_EQ(x, Numbers(9, 0.0));
}

TEST(SolveFailures, a_diagonal_without_inverse_is_an_error_that_names_the_row) {
  const Csr<double> A = dense(3, {1, 0, 0, 0, 0, 1, 0, 1, 0});
  Numbers x(3, 0.0);
  for (const char* preconditioner : {"jacobi", "chebyshev", "fsai", "amg"}) {
    try {
      solve(build(A), Numbers{1, 2, 3}, x, {.method = "minres", .preconditioner = preconditioner});
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_NE(error.message().find("row 2"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(kind_of([&] {
              solve(build(A), Numbers{1, 2, 3}, x,
                    {.method = "minres", .preconditioner = "block_jacobi", .preconditioner_options = {.block = 1}});
            }),
            ErrorKind::input);
}

TEST(SolveFailures, a_negative_diagonal_shows_cg_that_jacobi_is_not_definite) {
  const Report report = outcome(diagonal({-2, -3}), {1, 1}, {.method = "cg", .preconditioner = "jacobi"}).report;
  EXPECT_EQ(report.status, Status::indefinite);
  EXPECT_EQ(report.iterations, 0);
}

TEST(SolveFailures, no_allocation_that_fails_leaks_or_crashes) {
  const Csr<double> A = generate<double>("stencil2d5,n=6");
  const Numbers b(36, 1.0);
  for (const char* method : methods)
    for (const char* preconditioner : {"none", "jacobi", "block_jacobi", "chebyshev", "fsai"}) {
      const auto op = build(A);
      const GuardedMemory memory;
      bool done = false;
      std::int64_t at = 0;
      for (; !done && at < 100; ++at) {
        Numbers x(36, 0.0);
        GuardedMemory::fail_at(at, GuardedMemory::Fault::once);
        try {
          done = solve(op, b, x, {.method = method, .preconditioner = preconditioner}).converged();
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.what();
        } catch (const std::bad_alloc&) {
        }
        EXPECT_EQ(GuardedMemory::live_bytes(), 0) << method << " " << preconditioner << " " << at;
      }
      EXPECT_TRUE(done);
      EXPECT_GT(at, 5);
      EXPECT_EQ(GuardedMemory::damaged_blocks(), 0);
    }
}

// ---------------------------------------------------------------------------------- small systems of arbitrary numbers

TEST(SolveFailures, no_small_system_of_awkward_numbers_breaks_the_law) {
  const double awkward[] = {0, 0, 0, 1, -1, 2, 0.5, 1e-8, -1e8, 1e-300, 1e150, 3};
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    const auto n = 1 + dice.below(6);
    Numbers values(static_cast<std::size_t>(n * n)), b(static_cast<std::size_t>(n));
    for (double& v : values) v = awkward[dice.below(12)];
    for (double& v : b) v = awkward[dice.below(12)];
    const Csr<double> A = dense(n, values);
    for (const char* method : methods) {
      SCOPED_TRACE(std::string(method) + ", seed " + std::to_string(seed));
      Numbers x(b.size(), 0.0);
      const Report report = solve(build(A), b, x, {.method = method, .max_iterations = 200});
      EXPECT_LE(report.iterations, 200);
      EXPECT_TRUE(!report.converged() || report.true_residual <= 1e-8);
    }
  }
}

}  // namespace
}  // namespace heddle::test
