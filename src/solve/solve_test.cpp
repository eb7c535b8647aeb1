// solve on the CPU and on the emulator: solutions, verdicts, determinism.
#include <heddle/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>
#include <heddle/reorder.hpp>

#include "support/dense_matrix.hpp"
#include "support/guarded_memory.hpp"
#include "support/oracle.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using Numbers = std::vector<double>;

// Diagonally dominant, unsymmetric.
Csr<double> convection(Index n) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, 4.0 + i % 3});
    if (i > 0) entries.push_back({i, i - 1, -1.7});
    if (i + 1 < n) entries.push_back({i, i + 1, -0.4});
    if (i + 20 < n) entries.push_back({i, i + 20, -1.0});
  }
  return from_entries(n, n, entries);
}

// Symmetric, with eigenvalues on both sides of zero.
Csr<double> saddle(Index n) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, i % 3 == 0 ? -3.0 : 4.0});
    if (i > 0) entries.push_back({i, i - 1, 1.0}), entries.push_back({i - 1, i, 1.0});
  }
  return from_entries(n, n, entries);
}

Numbers wavy(std::int64_t n) {
  Numbers b(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 + std::sin(0.7 * static_cast<double>(i));
  return b;
}

// |b - A x| / |b| in twice the precision.
double exact_residual(const Csr<double>& A, const Numbers& b, const Numbers& x) {
  double rr = 0, bb = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    TwiceDouble sum;
    sum.add(b[static_cast<std::size_t>(row)], 0);
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      sum.add_product(-A.val[k], x[static_cast<std::size_t>(A.col[k])]);
    rr += sum.value() * sum.value();
    bb += b[static_cast<std::size_t>(row)] * b[static_cast<std::size_t>(row)];
  }
  return std::sqrt(rr / bb);
}

struct Solved {
  Report report;
  Numbers x;
};

Solved solved(const Csr<double>& A, const Numbers& b, SolveOptions<double> options, Device device = {}) {
  Solved made;
  made.x.assign(b.size(), 0.0);
  made.report = solve(build(A, {}, {.device = device}), b, made.x, options);
  return made;
}

// ------------------------------------------------------------------- every method, preconditioner, device

struct Case {
  std::string method, preconditioner;
  Device device;
};
std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return info.param.method + "_" + info.param.preconditioner + "_" + to_string(info.param.device);
}
bool fits(std::string_view method, std::string_view preconditioner) {
  return preconditioner != "spai" || method == "bicgstab" || method == "gmres";
}
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* method : {"cg", "minres", "bicgstab", "gmres"})
    for (const char* preconditioner : {"none", "jacobi", "block_jacobi", "chebyshev", "fsai", "spai", "amg"})
      for (const Device device : {Device::cpu(), Device::emulator()})
        if (fits(method, preconditioner)) all.push_back({method, preconditioner, device});
  return all;
}

class EveryMethod : public testing::TestWithParam<Case> {
 protected:
  // The emulator needs milliseconds for a trip.
  double tolerance() const { return GetParam().device == Device::emulator() ? 1e-5 : 1e-10; }
  SolveOptions<double> options() const {
    return {.method = GetParam().method, .preconditioner = GetParam().preconditioner, .tolerance = tolerance()};
  }
};

TEST_P(EveryMethod, converges_to_what_the_recomputed_residual_confirms) {
  // 289 unknowns: two blocks of a GPU
  const Csr<double> A = generate<double>("stencil2d5,n=17,coefficients=varying");
  const Numbers b = wavy(A.rows);
  const auto [report, x] = solved(A, b, options(), GetParam().device);
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_LE(exact_residual(A, b, x), tolerance() * (1 + 1e-6));
  EXPECT_NEAR(report.true_residual, exact_residual(A, b, x), 1e-14);
  EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations + 1));
  EXPECT_EQ(report.history.back(), report.residual);
}

TEST_P(EveryMethod, gives_the_same_bits_however_seldom_the_host_looks) {
  const Csr<double> A = generate<double>("stencil2d5,n=7,coefficients=varying");
  const Numbers b = wavy(A.rows);
  SolveOptions<double> rarely = options();
  rarely.check_every = 13;
  const Solved one = solved(A, b, options(), GetParam().device), two = solved(A, b, rarely, GetParam().device);
  EXPECT_EQ(one.x, two.x);
  EXPECT_EQ(one.report.iterations, two.report.iterations);
  EXPECT_EQ(one.report.history, two.report.history);
}

TEST_P(EveryMethod, works_in_single_precision) {
  const Csr<float> A = generate<float>("stencil2d5,n=7");
  std::vector<float> b(static_cast<std::size_t>(A.rows), 1.0f), x(b.size(), 0.0f);
  const auto& [method, preconditioner, device] = GetParam();
  const Report report =
      solve(build(A, {}, {.device = device}), b, x,
            {.method = method, .preconditioner = preconditioner, .tolerance = 1e-5, .check_every = 4});
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_LE(report.true_residual, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Solve, EveryMethod, testing::ValuesIn(cases()), name_of_case);

// ---------------------------------------------------------------------------------- what else a solve can do

TEST(Solve, takes_unsymmetric_systems_with_bicgstab_and_gmres) {
  const Csr<double> A = convection(300);
  const Numbers b = wavy(300);
  for (const char* method : {"bicgstab", "gmres"})
    for (const char* preconditioner : {"none", "jacobi", "block_jacobi", "spai", "amg"}) {
      const Solved made = solved(A, b, {.method = method, .preconditioner = preconditioner, .tolerance = 1e-11});
      EXPECT_EQ(made.report.status, Status::converged) << method << " " << preconditioner;
      EXPECT_LE(exact_residual(A, b, made.x), 1.000001e-11);
    }
}

TEST(Solve, takes_symmetric_indefinite_systems_with_minres) {
  const Csr<double> A = saddle(200);
  const Numbers b = wavy(200);
  for (const char* preconditioner : {"none", "jacobi"}) {
    const Solved made = solved(A, b, {.method = "minres", .preconditioner = preconditioner});
    EXPECT_EQ(made.report.status, Status::converged) << preconditioner;
    EXPECT_LE(exact_residual(A, b, made.x), 1.000001e-8);
  }
}

TEST(Solve, chooses_the_method_by_the_matrix) {
  EXPECT_EQ(method_for(generate<double>("stencil2d5,n=4")), "cg");
  EXPECT_EQ(method_for(saddle(9)), "minres");
  EXPECT_EQ(method_for(dense(2, {0, 1, 1, 0})), "minres");
  EXPECT_EQ(method_for(convection(30)), "gmres");
  EXPECT_EQ(solved(saddle(30), wavy(30), {}).report.method, "minres");
}

TEST(Solve, does_not_depend_on_the_number_of_threads) {
  const Csr<double> A = generate<double>("stencil2d5,n=200");  // 40,000 unknowns: several pieces of every vector
  const Numbers b = wavy(A.rows);
  for (const char* method : {"cg", "minres", "bicgstab", "gmres"}) {
    const SolveOptions<double> options{.method = method, .max_iterations = 40};
    set_threads(1);
    const Solved one = solved(A, b, options);
    set_threads(5);
    const Solved five = solved(A, b, options);
    EXPECT_EQ(one.x, five.x) << method;
    EXPECT_EQ(one.report.history, five.report.history) << method;
  }
}

TEST(Solve, begins_at_the_guess_it_is_given) {
  const Csr<double> A = generate<double>("stencil2d5,n=10");
  const Numbers b = wavy(A.rows);
  const auto op = build(A);
  Numbers x(b.size(), 0.0);
  const Report whole = solve(op, b, x, {.method = "cg", .tolerance = 1e-10});
  const Numbers solution = x;
  const Report again = solve(op, b, x, {.method = "cg", .tolerance = 1e-9});
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.status, Status::converged);
  EXPECT_EQ(x, solution);
  EXPECT_LT(whole.true_residual, 1e-10);
}

TEST(Solve, keeps_the_plan_when_the_values_change_between_solves) {
  const Csr<double> A = generate<double>("stencil2d5,n=12");
  auto op = build(A, Plan::parse("sell C=8"));
  const Numbers b = wavy(A.rows);
  Numbers x(b.size(), 0.0), doubled(b.size(), 0.0);
  solve(op, b, x, {.method = "cg", .tolerance = 1e-12});
  Numbers values(A.val.begin(), A.val.end());
  for (double& v : values) v *= 2;
  op.update_values(values);
  const Report report = solve(op, b, doubled, {.method = "cg", .tolerance = 1e-12});
  EXPECT_TRUE(report.plan.starts_with("sell")) << report.plan;
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(doubled[i], x[i] / 2);
}

TEST(Solve, allocates_nothing_while_it_iterates) {
  const Csr<double> A = generate<double>("stencil2d5,n=30");
  const Numbers b = wavy(A.rows);
  for (const char* method : {"cg", "minres", "bicgstab"})
    for (const char* preconditioner : {"none", "jacobi", "chebyshev", "fsai", "amg"}) {
      const auto op = build(A);
      Numbers x(b.size(), 0.0);
      const GuardedMemory memory;
      std::vector<std::int64_t> allocations;  // so far, at every step
      allocations.reserve(100);
      solve(op, b, x,
            {.method = method,
             .preconditioner = preconditioner,
             .tolerance = 0,
             .max_iterations = 9,
             .progress = [&](const SolveProgress&) { allocations.push_back(memory.allocations()); },
             .matrix = &A});
      ASSERT_GE(allocations.size(), 9u) << method << " " << preconditioner;
      EXPECT_EQ(allocations.front(), allocations.back()) << method << " " << preconditioner;
    }
}

TEST(Solve, reports_progress_and_passes_on_what_it_throws) {
  const Csr<double> A = generate<double>("stencil2d5,n=12");
  const Numbers b = wavy(A.rows);
  Numbers x(b.size(), 0.0);
  std::vector<std::int64_t> seen;
  const auto op = build(A);
  solve(op, b, x, {.method = "cg", .max_iterations = 5, .progress = [&](const SolveProgress& now) {
                     seen.push_back(now.iteration);
                     EXPECT_EQ(now.target, 1e-8);
                   }});
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  EXPECT_THROW(solve(op, b, x, {.method = "cg", .progress = [](const SolveProgress&) { throw 7; }}), int);
}

TEST(Solve, scales_systems_whose_squares_leave_the_range_of_numbers) {
  const Csr<double> A = generate<double>("stencil2d5,n=10");
  const Numbers b = wavy(A.rows);
  const Solved plain = solved(A, b, {.method = "cg"});
  for (const double size : {0x1p-700, 0x1p700}) {
    Numbers scaled = b;
    for (double& v : scaled) v *= size;
    const Solved made = solved(A, scaled, {.method = "cg"});
    EXPECT_EQ(made.report.status, Status::converged) << made.report.reason;
    EXPECT_EQ(made.report.iterations, plain.report.iterations);
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(made.x[i] / size, plain.x[i], 1e-12);
  }
}

// ---------------------------------------------------------------------------------- user-supplied preconditioners

TEST(SolvePreconditioner, an_operator_that_is_the_inverse_needs_one_iteration) {
  const Csr<double> A = dense(2, {2, 0, 0, 5}), inverse = dense(2, {0.5, 0, 0, 0.2});
  for (const char* method : {"cg", "minres", "bicgstab", "gmres"}) {
    const Solved made = solved(A, {3, 4}, {.method = method, .own_preconditioner = as_preconditioner(build(inverse))});
    EXPECT_EQ(made.report.iterations, 1) << method;
    EXPECT_NEAR(made.x[0], 1.5, 1e-12);
    EXPECT_NEAR(made.x[1], 0.8, 1e-12);
  }
}

// A few sweeps of Jacobi, more of them from one call to the next: no fixed matrix.
class Varying : public Preconditioner<double> {
 public:
  explicit Varying(const Csr<double>& matrix) : A(matrix) {}
  std::string name() const override { return "varying"; }
  bool varies() const override { return true; }
  void apply(std::span<const double> r, std::span<double> z, Stream) const override {
    std::fill(z.begin(), z.end(), 0.0);
    for (int sweep = 0; sweep <= calls % 3; ++sweep) {
      const Numbers old(z.begin(), z.end());
      for (std::size_t row = 0; row < z.size(); ++row) {
        double sum = r[row], diagonal = 0;
        for (Offset k = A.ptr[static_cast<std::int64_t>(row)]; k < A.ptr[static_cast<std::int64_t>(row) + 1]; ++k)
          if (A.col[k] == static_cast<Index>(row))
            diagonal = A.val[k];
          else
            sum -= A.val[k] * old[static_cast<std::size_t>(A.col[k])];
        z[row] = sum / diagonal;
      }
    }
    ++calls;
  }
  mutable int calls = 0;

 private:
  const Csr<double>& A;
};

TEST(SolvePreconditioner, one_that_varies_makes_gmres_flexible_and_is_refused_by_the_others) {
  const Csr<double> A = convection(200);
  const Numbers b = wavy(200);
  const Solved made =
      solved(A, b, {.method = "gmres", .own_preconditioner = std::make_shared<Varying>(A), .tolerance = 1e-12});
  EXPECT_EQ(made.report.status, Status::converged) << made.report.reason;
  EXPECT_LE(exact_residual(A, b, made.x), 1.000001e-12);
  EXPECT_NEAR(made.report.residual, made.report.true_residual, 1e-13);
  for (const char* method : {"cg", "minres", "bicgstab", "auto"})
    EXPECT_THROW(solved(A, b, {.method = method, .own_preconditioner = std::make_shared<Varying>(A)}), Error);
}

TEST(SolvePreconditioner, block_jacobi_solves_a_block_diagonal_system_at_once) {
  const Csr<double> A = dense(5, {4, 1, 0, 0, 0,  //
                                  1, 3, 0, 0, 0,  //
                                  0, 0, 5, 2, 0,  //
                                  0, 0, 2, 6, 0,  //
                                  0, 0, 0, 0, 7});
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const Solved made =
        solved(A, {1, 2, 3, 4, 5},
               {.method = "cg", .preconditioner = "block_jacobi", .preconditioner_options = {.block = 2}}, device);
    EXPECT_EQ(made.report.iterations, 1);
    EXPECT_EQ(made.report.preconditioner, "block_jacobi 2");
  }
}

TEST(SolvePreconditioner, takes_the_size_of_blocks_from_the_structure) {
  const Csr<double> A = generate<double>("fem,n=4,dof=3");
  EXPECT_EQ(make_preconditioner("block_jacobi", build(A), A)->name(), "block_jacobi 3");
}

}  // namespace
}  // namespace heddle::test
