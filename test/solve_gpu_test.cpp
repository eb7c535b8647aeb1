// Solvers on a real GPU: every method and preconditioner, host and device vectors, the same bits every time.
#include <gtest/gtest.h>

#include <cmath>

#include <heddle/heddle.hpp>

namespace heddle::test {
namespace {

using Numbers = std::vector<double>;

struct Case {
  std::string method, preconditioner;
};

class OnGpuSolve : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
    A = generate<double>("stencil2d5,n=60,coefficients=varying");  // 3,600 unknowns: 15 blocks
    b.resize(static_cast<std::size_t>(A.rows));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 + static_cast<double>(i * 37 % 101) / 101;
  }
  SolveOptions<double> options() const {
    return {.method = GetParam().method, .preconditioner = GetParam().preconditioner, .tolerance = 1e-9, .restart = 50};
  }
  Csr<double> A;
  Numbers b;
};

TEST_P(OnGpuSolve, converges_as_on_the_cpu) {
  Numbers here(b.size(), 0.0), there(b.size(), 0.0);
  const Report cpu = solve(build(A), b, here, options());
  const Report gpu = solve(build(A, {}, {.device = Device::gpu()}), b, there, options());
  EXPECT_EQ(gpu.status, Status::converged) << gpu.reason;
  EXPECT_LE(gpu.true_residual, 1e-9);
  EXPECT_EQ(gpu.history.size(), static_cast<std::size_t>(gpu.iterations + 1));
  // Rounding differs; bicgstab and restarted gmres take it more to heart.
  EXPECT_NEAR(static_cast<double>(gpu.iterations), static_cast<double>(cpu.iterations),
              2 + 0.1 * static_cast<double>(cpu.iterations));
  Numbers r = b;
  build(A).multiply(-1, there, 1, r);
  double rr = 0, bb = 0;
  for (std::size_t i = 0; i < b.size(); ++i) rr += r[i] * r[i], bb += b[i] * b[i];
  EXPECT_LE(rr, 1.000001e-18 * bb);
}

TEST_P(OnGpuSolve, takes_its_first_steps_as_on_the_cpu) {
  SolveOptions<double> few = options();
  few.max_iterations = 4;
  few.preconditioner_options.double_cycle = true;  // floats differ in their last digits: a GPU fuses products and sums
  Numbers here(b.size(), 0.0), there(b.size(), 0.0);
  const Report cpu = solve(build(A), b, here, few);
  const Report gpu = solve(build(A, {}, {.device = Device::gpu()}), b, there, few);
  EXPECT_EQ(gpu.status, cpu.status);
  EXPECT_EQ(gpu.iterations, cpu.iterations);
  for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(there[i], here[i], 1e-9 * (1 + std::abs(here[i]))) << i;
}

TEST_P(OnGpuSolve, gives_the_same_bits_with_device_vectors_and_any_rhythm_of_looks) {
  const auto op = build(A, {}, {.device = Device::gpu()});
  Numbers first(b.size(), 0.0);
  solve(op, b, first, options());
  const Buffer<double> b_there = Buffer<double>::copy_of(b, Device::gpu());
  for (const int rhythm : {1, 7, 64}) {
    Buffer<double> x = Buffer<double>::copy_of(Numbers(b.size(), 0.0), Device::gpu());
    SolveOptions<double> other = options();
    other.check_every = rhythm;
    solve(op, b_there, x, other);
    const Buffer<double> back = x.to(Device::cpu());
    EXPECT_EQ(Numbers(back.begin(), back.end()), first) << rhythm;
  }
}

TEST_P(OnGpuSolve, gives_the_same_bits_when_a_graph_replays_the_iterations) {
  const auto op = build(A, {}, {.device = Device::gpu()});
  for (const int rhythm : {0, 40, 64}) {
    SolveOptions<double> plain = options(), replayed = options();
    plain.graph = Graph::off, replayed.graph = Graph::on, plain.check_every = replayed.check_every = rhythm;
    Numbers one(b.size(), 0.0), two(b.size(), 0.0);
    const Report without = solve(op, b, one, plain), with = solve(op, b, two, replayed);
    EXPECT_EQ(one, two);
    EXPECT_EQ(without.iterations, with.iterations);
    EXPECT_EQ(without.history, with.history);
    EXPECT_EQ(without.graph_iterations, 0);
    if (GetParam().method == "gmres") {
      EXPECT_EQ(with.graph_iterations, 0);
    } else if (with.iterations > 100) {
      EXPECT_GT(with.graph_iterations, 0);
    }
  }
}

TEST(OnGpuSolve, loads_kernels_before_the_clocks_of_the_first_solve_begin) {
  if (!gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
  const Csr<double> A = generate<double>("stencil2d5,n=50");
  const auto op = build(A, {}, {.device = Device::gpu()});
  const Numbers b(static_cast<std::size_t>(A.rows), 1.0);
  Numbers x(b.size(), 0.0), again(b.size(), 0.0);
  const SolveOptions<double> options{.method = "minres", .preconditioner = "fsai", .matrix = &A};
  solve(op, b, x, options);
  const Report second = solve(op, b, again, options);
  EXPECT_EQ(second.loading_seconds, 0);
  EXPECT_EQ(x, again);
}

TEST(OnGpuSolve, takes_a_function_that_gets_memory_of_the_gpu_and_the_stream) {
  if (!gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
  const Csr<double> A = generate<double>("stencil2d5,n=50");
  const auto op = build(A, {}, {.device = Device::gpu()});
  const Numbers b(static_cast<std::size_t>(A.rows), 1.0);
  for (const bool recordable : {false, true})
    for (const char* method : {"cg", "minres", "bicgstab", "gmres"}) {
      MatrixFree<double> function{.size = A.rows, .device = Device::gpu(), .recordable = recordable};
      function.multiply = [&](auto v, auto y, Stream stream) { op.multiply(v, y, stream); };
      Numbers x(b.size(), 0.0), by_operator(b.size(), 0.0);
      const Report report = solve(function, b, x, {.method = method});
      EXPECT_TRUE(report.converged()) << method << ": " << report.reason;
      solve(op, b, by_operator, {.method = method});
      EXPECT_EQ(x, by_operator) << method;
    }
  MatrixFree<double> shorter{.size = A.rows, .device = Device::gpu()};
  shorter.multiply = [](auto, auto, Stream) {};
  Numbers x(b.size(), 0.5);
  EXPECT_THROW(solve(shorter, b, x), Error);
  EXPECT_EQ(x, Numbers(b.size(), 0.5));
}

TEST(OnGpuSolveGraph, is_recorded_anew_for_a_better_operator_and_not_for_what_cannot_be) {
  if (!gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
  const Csr<double> A = generate<double>("stencil2d5,n=100");
  const Numbers b(static_cast<std::size_t>(A.rows), 1.0);
  const auto op = build(A, {}, {.device = Device::gpu()});
  SolveOptions<double> options{.method = "cg", .tolerance = 1e-10, .graph = Graph::on};
  Numbers x(b.size(), 0.0);
  options.better = [&] { return build(A, Plan::parse("sell"), {.device = Device::gpu()}); };
  const Report changed = solve(op, b, x, options);
  EXPECT_TRUE(changed.converged()) << changed.reason;
  EXPECT_GT(changed.graph_iterations, 0);
  options.better = nullptr;
  for (const auto& [format, shares_memory] :
       {std::pair("coo", true), std::pair("csr_split", true), std::pair("hyb", false)}) {
    std::fill(x.begin(), x.end(), 0.0);
    const auto made = build(A, Plan::parse(format), {.device = Device::gpu()});
    EXPECT_EQ(made.takes_turns(), shares_memory) << format;
    const Report report = solve(made, b, x, options);
    EXPECT_TRUE(report.converged()) << format;
    EXPECT_EQ(report.graph_iterations == 0, shares_memory) << format;
  }
}

TEST(OnGpuSolveAuto, takes_the_matrix_in_the_memory_of_the_gpu) {
  if (!gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
  const Csr<double> A = generate<double>("stencil2d5,n=500"), there = A.to(Device::gpu());
  const auto op = build(A, {}, {.device = Device::gpu()});
  const Numbers b(static_cast<std::size_t>(A.rows), 1.0);
  Numbers x(b.size(), 0.0), other(b.size(), 0.0);
  const Report from_host = solve(op, b, x, {.preconditioner = "auto", .matrix = &A}),
               from_device = solve(op, b, other, {.preconditioner = "auto", .matrix = &there});
  EXPECT_EQ(from_device.preconditioner, from_host.preconditioner);
  EXPECT_EQ(from_device.preconditioner_reason, from_host.preconditioner_reason);
  EXPECT_EQ(other, x);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* method : {"cg", "minres", "bicgstab", "gmres"})
    for (const char* preconditioner : {"none", "jacobi", "block_jacobi", "chebyshev", "fsai", "amg"})
      all.push_back({method, preconditioner});
  for (const char* method : {"bicgstab", "gmres"}) all.push_back({method, "spai"});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Methods, OnGpuSolve, testing::ValuesIn(cases()),
                         [](const auto& param) { return param.param.method + "_" + param.param.preconditioner; });

}  // namespace
}  // namespace heddle::test
