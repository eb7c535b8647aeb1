// solve with a function in place of a matrix.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>
#include <heddle/solve.hpp>

#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using Numbers = std::vector<double>;
constexpr const char* methods[] = {"cg", "minres", "bicgstab", "gmres"};

// 2 on the diagonal and -1 next to it.
Csr<double> path(Index n) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    if (i > 0) entries.push_back({i, static_cast<Index>(i - 1), -1.0});
    entries.push_back({i, i, 2.0});
    if (i + 1 < n) entries.push_back({i, static_cast<Index>(i + 1), -1.0});
  }
  return from_entries(n, n, entries);
}

// -u'' on a line, without a matrix.
void second_difference(std::span<const double> x, std::span<double> y, Stream) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) y[i] = 2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i + 1] : 0);
}
MatrixFree<double> line(std::int64_t size) {
  return {.size = size, .multiply = second_difference, .symmetric = true, .positive_definite = true, .name = "line"};
}
MatrixFree<double> line_by(decltype(MatrixFree<double>::multiply) multiply) {
  MatrixFree<double> A = line(40);
  A.multiply = std::move(multiply);
  return A;
}

struct Refusal {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
};
// What a solve that fails says; x stays as it was.
Refusal refusal(const MatrixFree<double>& A, const SolveOptions<double>& options = {}) {
  Numbers x(40, 0.5);
  Refusal seen;
  try {
    solve(A, Numbers(40, 1.0), x, options);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    seen = {error.kind(), error.message()};
  }
  EXPECT_EQ(x, Numbers(40, 0.5));
  return seen;
}

TEST(MatrixFree, is_solved_like_the_matrix_it_stands_for) {
  const Csr<double> A = path(60);
  const auto op = build(A);
  for (const Device device : {Device::cpu(), Device::emulator()})
    for (const char* method : methods) {
      MatrixFree<double> function{.size = A.rows, .multiply = [&](auto x, auto y, Stream) { op.multiply(x, y); }};
      function.device = device;
      const Numbers b(60, 1.0);
      Numbers x(60, 0.0), by_operator(60, 0.0);
      const SolveOptions<double> options{.method = method, .max_iterations = 60};
      const Report report = solve(function, b, x, options);
      EXPECT_TRUE(report.converged()) << method << ": " << report.reason;
      EXPECT_EQ(report.plan, "matrix-free");
      if (device == Device::cpu()) {
        EXPECT_EQ(report.history, solve(op, b, by_operator, options).history) << method;
        EXPECT_EQ(x, by_operator) << method;
      }
    }
}

TEST(MatrixFree, takes_the_method_that_its_owner_promises) {
  const Numbers b(40, 1.0);
  const auto method_of = [&](bool symmetric, bool definite) {
    MatrixFree<double> A = line(40);
    A.symmetric = symmetric;
    A.positive_definite = definite;
    Numbers x(40, 0.0);
    const Report report = solve(A, b, x);
    EXPECT_TRUE(report.converged()) << report.reason;
    return report.method;
  };
  EXPECT_EQ(method_of(true, true), "cg");
  EXPECT_EQ(method_of(true, false), "minres");
  EXPECT_EQ(method_of(false, false), "gmres");
}

TEST(MatrixFree, that_throws_is_an_error_which_carries_what_was_thrown) {
  EXPECT_EQ(refusal(line_by([](auto, auto, Stream) { throw 42; })).kind, ErrorKind::input);
  int calls = 0;
  const Refusal late = refusal(line_by([&](auto x, auto y, Stream) {
    second_difference(x, y, {});
    if (++calls == 7) throw std::runtime_error("the sensor is off");
  }));
  EXPECT_EQ(late.kind, ErrorKind::input);
  EXPECT_NE(late.message.find("the sensor is off"), std::string::npos) << late.message;
  Numbers x(40, 0.0);
  try {
    solve(line_by([](auto, auto, Stream) { throw std::out_of_range("here"); }), Numbers(40, 1.0), x);
  } catch (const Error& error) {
    EXPECT_THROW(std::rethrow_if_nested(error), std::out_of_range);
  }
}

TEST(MatrixFree, that_writes_less_or_more_than_y_is_an_error_that_says_where) {
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    MatrixFree<double> shorter =
        line_by([](auto x, auto y, Stream) { second_difference(x.first(39), y.first(39), {}); });
    shorter.device = device;
    EXPECT_NE(refusal(shorter).message.find("element 40 of 40"), std::string::npos);
    MatrixFree<double> longer = line_by([](auto x, auto y, Stream) {
      second_difference(x, y, {});
      y.data()[40] = 1;
    });
    longer.device = device;
    EXPECT_NE(refusal(longer).message.find("beyond the 40 elements"), std::string::npos);
    EXPECT_EQ(refusal(longer).kind, ErrorKind::input);
  }
}

TEST(MatrixFree, that_gives_nan_is_not_finite_and_leaves_x_alone_before_the_first_iteration) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* method : methods) {
    Numbers x(40, 0.5);
    const auto all = line_by([&](auto, auto y, Stream) { std::fill(y.begin(), y.end(), nan); });
    EXPECT_EQ(solve(all, Numbers(40, 1.0), x, {.method = method}).status, Status::not_finite) << method;
    EXPECT_EQ(x, Numbers(40, 0.5));
    int calls = 0;
    const auto late = line_by([&](auto v, auto y, Stream) {
      second_difference(v, y, {});
      if (++calls > 5) y[3] = nan;
    });
    const Report report = solve(late, Numbers(40, 1.0), x, {.method = method});
    EXPECT_EQ(report.status, Status::not_finite) << method;
    Numbers before(40, 0.5);  // x is what the iterations before the NaN made of it
    solve(line(40), Numbers(40, 1.0), before, {.method = method, .max_iterations = report.iterations});
    EXPECT_EQ(x, before) << method;
    EXPECT_NE(x, Numbers(40, 0.5)) << method;
  }
}

TEST(MatrixFree, refuses_what_needs_entries) {
  EXPECT_EQ(refusal(line(40), {.preconditioner = "jacobi"}).kind, ErrorKind::usage);
  EXPECT_EQ(refusal(line(40), {.preconditioner = "auto"}).kind, ErrorKind::usage);
  EXPECT_EQ(refusal(line(39)).kind, ErrorKind::input);
  EXPECT_EQ(refusal(line_by(nullptr)).kind, ErrorKind::usage);
  EXPECT_EQ(refusal(line(40), {.better = [] { return build(path(40)); }}).kind, ErrorKind::usage);
}

TEST(MatrixFree, takes_a_preconditioner_of_a_matrix_that_resembles_it) {
  const Csr<double> near = path(40);
  const auto op = build(near);
  Numbers x(40, 0.0);
  const Report report =
      solve(line(40), Numbers(40, 1.0), x, {.own_preconditioner = make_preconditioner("fsai", op, near)});
  EXPECT_TRUE(report.converged());
  EXPECT_LT(report.iterations, 30);
}

TEST(Solves, of_several_threads_with_one_operator_give_the_bits_of_one_alone) {
  const Csr<double> A = generate<double>("stencil2d5,n=40");
  for (const char* plan : {"csr", "coo", "hyb", "sell C=8"}) {
    const auto op = build(A, Plan::parse(plan));
    const Numbers b(1600, 1.0);
    Numbers alone(1600, 0.0);
    solve(op, b, alone);
    std::vector<Numbers> all(4, Numbers(1600, 0.0));
    std::vector<std::thread> threads;
    for (Numbers& x : all) threads.emplace_back([&] { solve(op, b, x, {.preconditioner = "none", .matrix = &A}); });
    for (std::thread& thread : threads) thread.join();
    for (const Numbers& x : all) EXPECT_EQ(x, alone) << plan;
  }
}

}  // namespace
}  // namespace heddle::test
