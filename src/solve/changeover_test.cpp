// Overlapped planning: begin with one operator, go on with a better one.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>
#include <heddle/solve.hpp>

namespace heddle::test {
namespace {

using Numbers = std::vector<double>;

class Overlap : public testing::Test {
 protected:
  Overlap() : A(generate<double>("stencil2d5,n=60")), b(static_cast<std::size_t>(A.rows), 1.0), x(b.size(), 0.0) {}
  SolveOptions<double> options() { return {.method = "cg", .tolerance = 1e-10, .matrix = &A}; }

  Csr<double> A;
  Numbers b, x;
};

TEST_F(Overlap, changes_over_when_the_better_operator_is_ready_and_solves_the_same_system) {
  std::promise<void> third, built;
  SolveOptions<double> overlapped = options();
  overlapped.better = [&] {
    third.get_future().wait();
    Operator<double> op = build(A, Plan::parse("sell C=8"));
    built.set_value();
    return op;
  };
  overlapped.progress = [&](const SolveProgress& now) {
    if (now.iteration == 3) third.set_value(), built.get_future().wait();
    if (now.iteration > 3) std::this_thread::yield();  // the other thread is about to say that it is ready
  };
  overlapped.tolerance = 1e-300;
  overlapped.max_iterations = 3000;
  const Report report = solve(build(A), b, x, overlapped);
  EXPECT_TRUE(report.changeover.asked);
  ASSERT_TRUE(report.changeover.happened);
  EXPECT_GE(report.changeover.iteration, 3);
  EXPECT_LT(report.changeover.iteration, report.iterations);
  EXPECT_TRUE(report.changeover.plan.starts_with("sell C=8"));
  EXPECT_EQ(report.plan, report.changeover.plan);
  EXPECT_GT(report.changeover.first_seconds, 0);
  EXPECT_GT(report.changeover.better_seconds, 0);
  EXPECT_LT(report.true_residual, 1e-12);  // rounding allows eps |A| |x| / |b|, which is 2e-13 here
}

TEST_F(Overlap, a_polynomial_preconditioner_changes_over_too) {
  SolveOptions<double> overlapped = options();
  overlapped.preconditioner = "chebyshev";
  std::promise<void> built;
  overlapped.better = [&] {
    Operator<double> op = build(A, Plan::parse("ellr"));
    built.set_value();
    return op;
  };
  overlapped.progress = [&](const SolveProgress& now) {
    if (now.iteration == 1) built.get_future().wait();
  };
  const Report report = solve(build(A), b, x, overlapped);
  EXPECT_TRUE(report.converged()) << report.reason;
  EXPECT_LE(report.true_residual, 1e-10);
}

TEST_F(Overlap, a_builder_that_fails_changes_nothing_but_is_reported) {
  SolveOptions<double> overlapped = options();
  overlapped.better = []() -> Operator<double> { throw Error(ErrorKind::unavailable, "no room"); };
  const Report report = solve(build(A), b, x, overlapped);
  EXPECT_TRUE(report.converged());
  EXPECT_FALSE(report.changeover.happened);
  EXPECT_EQ(report.changeover.error, "no room");
}

TEST_F(Overlap, a_builder_that_throws_what_is_no_exception_is_reported_too) {
  SolveOptions<double> overlapped = options();
  overlapped.better = []() -> Operator<double> { throw 42; };
  const Report report = solve(build(A), b, x, overlapped);
  EXPECT_TRUE(report.converged());
  EXPECT_NE(report.changeover.error, "");
}

TEST_F(Overlap, an_operator_of_another_matrix_is_an_error) {
  SolveOptions<double> overlapped = options();
  overlapped.tolerance = 1e-300;
  std::promise<void> built;
  overlapped.progress = [&](const SolveProgress& now) {
    if (now.iteration == 1) built.get_future().wait();
    std::this_thread::yield();
  };
  overlapped.better = [&] {
    Operator<double> other = build(generate<double>("stencil2d5,n=4"));
    built.set_value();
    return other;
  };
  EXPECT_THROW(solve(build(A), b, x, overlapped), Error);
}

TEST_F(Overlap, a_solve_that_ends_first_waits_for_the_thread_and_says_so) {
  std::promise<void> end;
  SolveOptions<double> overlapped = options();
  overlapped.max_iterations = 2;
  overlapped.better = [&] {
    end.get_future().wait();
    return build(A);
  };
  overlapped.progress = [&](const SolveProgress& now) {
    if (now.iteration == 2) end.set_value();
  };
  const Report report = solve(build(A), b, x, overlapped);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_TRUE(report.changeover.asked);
  EXPECT_GT(report.changeover.build_seconds, 0);
}

TEST_F(Overlap, is_not_asked_for_by_default) { EXPECT_FALSE(solve(build(A), b, x, options()).changeover.asked); }

}  // namespace
}  // namespace heddle::test
